#include "core/programio/nccltuner.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 7> kAlgorithms{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};

/// Empty: the plugin does not know it.
std::string_view collectiveName(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return "allreduce";
    case CollectiveOp::AllGather:
        return "allgather";
    case CollectiveOp::ReduceScatter:
        return "reducescatter";
    case CollectiveOp::Broadcast:
        return "broadcast";
    case CollectiveOp::Reduce:
        return "reduce";
    default:
        return {};
    }
}

/// What decides whether a line is looked at, besides the size.
auto situation(const TunerRow& row)
{
    return std::tuple(row.op, row.nodes, row.ranks, row.pipeOps, row.registered);
}

auto choice(const TunerRow& row)
{
    return std::tuple(row.algorithm, row.protocol == WireProtocol::Any ? WireProtocol::Simple : row.protocol, row.channels);
}

bool canMeet(const TunerRow& a, const TunerRow& b)
{
    const auto meets = [](std::int32_t x, std::int32_t y) { return x == y || x < 0 || y < 0; };
    return a.op == b.op && meets(a.nodes, b.nodes) && meets(a.ranks, b.ranks) && meets(a.pipeOps, b.pipeOps) && meets(a.registered, b.registered);
}

std::string rangeText(const TunerRow& row)
{
    return std::string(collectiveName(row.op)) + ' ' + std::to_string(row.minBytes) + " to " + std::to_string(row.maxBytes);
}

Status check(const std::vector<TunerRow>& rows)
{
    for (const TunerRow& row : rows) {
        if (collectiveName(row.op).empty())
            return Error{ErrorCode::Unsupported, "the tuner plugin of NCCL does not know " + std::string(collectiveKey(row.op)), {}, "all_reduce, all_gather, reduce_scatter, broadcast or reduce"};
        if (row.minBytes < 0 || row.maxBytes < row.minBytes)
            return invalidInput("no size is in the range " + rangeText(row));
        for (const std::int32_t number : {row.channels, row.nodes, row.ranks}) {
            if (number == 0 || number < -1)
                return invalidInput("channels, nodes and ranks of " + rangeText(row) + " must be at least 1", {}, "-1 for any");
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (canMeet(rows[i], rows[j]) && rows[i].minBytes <= rows[j].maxBytes && rows[j].minBytes <= rows[i].maxBytes)
                return invalidInput("the ranges " + rangeText(rows[j]) + " and " + rangeText(rows[i]) + " overlap");
        }
    }
    return {};
}

} // namespace

std::string_view tunerAlgorithmKey(TunerAlgorithm algorithm)
{
    return kAlgorithms[at(algorithm)];
}

std::optional<TunerAlgorithm> tunerAlgorithmOf(std::string_view name)
{
    if (name == "double_binary_tree")
        return TunerAlgorithm::Tree;
    if (name == "in_network")
        return TunerAlgorithm::Nvls;
    const auto found = std::find(kAlgorithms.begin(), kAlgorithms.end(), name);
    if (found == kAlgorithms.end())
        return {};
    return static_cast<TunerAlgorithm>(found - kAlgorithms.begin());
}

Result<std::string> writeTunerTable(std::vector<TunerRow> rows)
{
    if (Status status = check(rows); !status)
        return std::move(status).error();
    std::stable_sort(rows.begin(), rows.end(), [](const TunerRow& a, const TunerRow& b) { return std::tuple(situation(a), a.minBytes) < std::tuple(situation(b), b.minBytes); });
    std::vector<TunerRow> merged;
    for (const TunerRow& row : rows) {
        const bool joins = !merged.empty() && situation(merged.back()) == situation(row) && choice(merged.back()) == choice(row) && merged.back().maxBytes + 1 == row.minBytes;
        if (joins)
            merged.back().maxBytes = row.maxBytes;
        else
            merged.push_back(row);
    }
    // A comment: the plugin would read a bare header as a line about all-reduce.
    std::string out = "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n";
    for (const TunerRow& row : merged) {
        const WireProtocol protocol = row.protocol == WireProtocol::Any ? WireProtocol::Simple : row.protocol;
        out += std::string(collectiveName(row.op)) + ',' + std::to_string(row.minBytes) + ',' + std::to_string(row.maxBytes) + ',' + std::string(tunerAlgorithmKey(row.algorithm)) + ','
            + std::string(wireProtocolKey(protocol)) + ',' + std::to_string(row.channels) + ',' + std::to_string(row.nodes) + ',' + std::to_string(row.ranks) + ','
            + std::to_string(row.pipeOps) + ',' + std::to_string(row.registered) + '\n';
    }
    return out;
}

} // namespace fabricscope
