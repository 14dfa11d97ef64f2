#include "core/measure/measuredtransfers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::array<std::pair<std::string_view, CollectiveOp>, 11> kWords{{{"all_reduce", CollectiveOp::AllReduce}, {"allreduce", CollectiveOp::AllReduce},
                                                                            {"all_gather", CollectiveOp::AllGather}, {"allgather", CollectiveOp::AllGather},
                                                                            {"reduce_scatter", CollectiveOp::ReduceScatter}, {"reducescatter", CollectiveOp::ReduceScatter},
                                                                            {"all_to_all", CollectiveOp::AllToAll}, {"alltoall", CollectiveOp::AllToAll},
                                                                            {"broadcast", CollectiveOp::Broadcast}, {"bcast", CollectiveOp::Broadcast},
                                                                            {"reduce", CollectiveOp::Broadcast}}};
constexpr std::array<std::string_view, 3> kMessages{"send_recv", "sendrecv", "send"};
constexpr std::int64_t kMostGpus = 1024;
constexpr std::size_t kMostTransfers = 4'000;
constexpr double kMostBytes = 1e12;

class TransferReader {
public:
    explicit TransferReader(const MeasuredTable& table) : m_table(table), m_ring(table.column("n_gpus") >= 0) {}

    Result<std::vector<TransferSet>> run()
    {
        for (const std::string_view name : m_ring ? std::vector<std::string_view>{"n_gpus", "bytes", "time_ns"} : std::vector<std::string_view>{"gpus", "nodes", "collective", "bytes", "time_us"}) {
            if (m_table.column(name) < 0)
                return wrong(1, "no column " + std::string(name), "the columns of this --kind");
        }
        if (m_table.rows.size() > kMostTransfers)
            return wrong(m_table.rows[kMostTransfers].line, "more than " + std::to_string(kMostTransfers) + " rows", "fewer");
        std::vector<TransferSet> sets;
        for (std::size_t i = 0; i < m_table.rows.size(); ++i) {
            Result<MeasuredTransfer> transfer = transferOf(m_table.rows[i]);
            if (!transfer)
                return transfer.error();
            transfer.value().row = i;
            const std::string name = nameOf(m_table.rows[i]);
            auto set = std::find_if(sets.begin(), sets.end(), [&name](const TransferSet& known) { return known.name == name; });
            if (set == sets.end())
                set = sets.insert(sets.end(), {name, {}});
            set->rows.push_back(transfer.value());
        }
        for (TransferSet& set : sets)
            std::stable_sort(set.rows.begin(), set.rows.end(), [](const MeasuredTransfer& a, const MeasuredTransfer& b) { return a.bytes < b.bytes; });
        return sets;
    }

private:
    Error wrong(int line, std::string message, std::string expected) const
    {
        Place place;
        place.file = m_table.file;
        place.line = line;
        return invalidInput(std::move(message), std::move(place), std::move(expected));
    }

    Error wrongCell(const MeasuredTable::Row& row, std::string_view column, std::string expected) const
    {
        return wrong(row.line, "\"" + m_table.cell(row, column) + "\" in column " + std::string(column) + " is not possible", std::move(expected));
    }

    std::string nameOf(const MeasuredTable::Row& row) const
    {
        std::string name;
        for (const char* const column : {"table", "system", "gpu"}) {
            if (const std::string& cell = m_table.cell(row, column); !cell.empty())
                name += (name.empty() ? "" : " ") + cell;
        }
        name += (name.empty() ? "" : ", ") + m_table.cell(row, m_ring ? "n_gpus" : "gpus") + " GPUs";
        if (!m_ring && m_table.cell(row, "nodes") != "1")
            name += " on " + m_table.cell(row, "nodes") + " nodes";
        name += ", " + (m_ring ? std::string("all_reduce") : m_table.cell(row, "collective"));
        if (const std::string& algorithm = m_table.cell(row, "algorithm"); !algorithm.empty())
            name += ", " + algorithm;
        return name;
    }

    Result<MeasuredTransfer> transferOf(const MeasuredTable::Row& row) const
    {
        MeasuredTransfer transfer;
        if (!m_ring) {
            const auto named = transferNamed(m_table.cell(row, "collective"));
            if (!named)
                return wrongCell(row, "collective", "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce or send_recv");
            transfer = *named;
        }
        for (const auto& [name, into] : {std::pair{m_ring ? "n_gpus" : "gpus", &transfer.gpus}, {m_ring ? "" : "nodes", &transfer.nodes}}) {
            if (*name == '\0')
                continue;
            const auto value = m_table.whole(row, name);
            if (!value)
                return value.error();
            if (value.value() > kMostGpus)
                return wrongCell(row, name, "at most " + std::to_string(kMostGpus));
            *into = static_cast<std::int32_t>(value.value());
        }
        if (transfer.gpus < 2 || (transfer.message && transfer.gpus != 2))
            return wrongCell(row, m_ring ? "n_gpus" : "gpus", transfer.message ? "2 of a message" : "2 or more");
        if (transfer.gpus % transfer.nodes != 0)
            return wrongCell(row, "nodes", "as many GPUs on each node");
        const auto bytes = m_table.number(row, "bytes");
        if (!bytes || *bytes > kMostBytes || *bytes != static_cast<double>(static_cast<std::int64_t>(*bytes)))
            return wrongCell(row, "bytes", "a whole number of 1 or more");
        transfer.bytes = static_cast<std::int64_t>(*bytes);
        const char* const timeColumn = m_ring ? "time_ns" : "time_us";
        const auto time = m_table.number(row, timeColumn);
        constexpr double kLeastSeconds = 1e-12; // Finer is not simulated.
        const double seconds = time.value_or(0) * (m_ring ? 1e-9 : 1e-6);
        if (!time || *time > 1e15 || seconds < kLeastSeconds)
            return wrongCell(row, timeColumn, "a number above 0");
        transfer.seconds = seconds;
        return transfer;
    }

    const MeasuredTable& m_table;
    bool m_ring; ///< Ring all-reduces in one node.
};

} // namespace

std::optional<MeasuredTransfer> transferNamed(const std::string& word)
{
    MeasuredTransfer transfer;
    const auto found = std::find_if(kWords.begin(), kWords.end(), [&word](const auto& known) { return known.first == word; });
    transfer.message = std::find(kMessages.begin(), kMessages.end(), word) != kMessages.end();
    if (found == kWords.end() && !transfer.message)
        return std::nullopt;
    if (found != kWords.end())
        transfer.op = found->second;
    return transfer;
}

bool hasTransfers(const MeasuredTable& table)
{
    return table.column("bytes") >= 0 && (table.column("time_us") >= 0 || table.column("n_gpus") >= 0);
}

Result<std::vector<TransferSet>> readTransferSets(const MeasuredTable& table)
{
    return TransferReader(table).run();
}

} // namespace fabricscope
