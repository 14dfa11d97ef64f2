#include "tests/unit/support/cases/tracefiles.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace fabricscope::test {

namespace {

EtNode node(std::uint64_t id, EtNodeType type, std::vector<std::uint64_t> dataDeps)
{
    EtNode out;
    out.id = id;
    out.name = "node" + std::to_string(id);
    out.type = static_cast<std::int32_t>(type);
    out.dataDeps = std::move(dataDeps);
    out.attributes.push_back(EtAttribute::boolean("is_cpu_op", false));
    return out;
}

std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    out.push_back(static_cast<char>(value));
    return out;
}

} // namespace

EtNode compNode(std::uint64_t id, std::uint64_t micros, std::vector<std::uint64_t> dataDeps)
{
    EtNode out = node(id, EtNodeType::Comp, std::move(dataDeps));
    out.durationMicros = micros;
    return out;
}

EtNode collNode(std::uint64_t id, EtCommType type, std::int64_t bytes, std::vector<std::uint64_t> dataDeps, const std::string& group)
{
    EtNode out = node(id, EtNodeType::Collective, std::move(dataDeps));
    out.attributes.push_back(EtAttribute::integer("comm_type", static_cast<std::int64_t>(type)));
    out.attributes.push_back(EtAttribute::integer("comm_size", bytes));
    if (!group.empty())
        out.attributes.push_back(EtAttribute::text("pg_name", group));
    return out;
}

EtNode sendNode(std::uint64_t id, std::int64_t to, std::int64_t tag, std::int64_t bytes, std::vector<std::uint64_t> dataDeps)
{
    EtNode out = node(id, EtNodeType::Send, std::move(dataDeps));
    out.attributes.push_back(EtAttribute::integer("comm_dst", to, EtKind::Int32));
    out.attributes.push_back(EtAttribute::integer("comm_tag", tag, EtKind::Int32));
    out.attributes.push_back(EtAttribute::integer("comm_size", bytes));
    return out;
}

EtNode recvNode(std::uint64_t id, std::int64_t from, std::int64_t tag, std::int64_t bytes, std::vector<std::uint64_t> dataDeps)
{
    EtNode out = node(id, EtNodeType::Receive, std::move(dataDeps));
    out.attributes.push_back(EtAttribute::integer("comm_src", from, EtKind::Int32));
    out.attributes.push_back(EtAttribute::integer("comm_tag", tag, EtKind::Int32));
    out.attributes.push_back(EtAttribute::integer("comm_size", bytes));
    return out;
}

TraceSet traceSet(const std::vector<std::vector<EtNode>>& ranks, const EtMetadata& metadata)
{
    std::vector<std::shared_ptr<const RankTrace>> traces;
    for (const auto& nodes : ranks) {
        auto trace = readTraceBytes(etBytes(metadata, nodes));
        if (!trace)
            std::abort(); // a test that builds bytes we cannot read is broken
        traces.push_back(std::make_shared<const RankTrace>(std::move(trace).value()));
    }
    return TraceSet::fromRanks(std::move(traces), "memory");
}

bool writeBytes(const std::string& path, const std::string& bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return static_cast<bool>(file.flush());
}

std::string readBytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string framed(const std::string& message)
{
    return varint(message.size()) + message;
}

std::string varintField(unsigned number, std::uint64_t value)
{
    return varint(number << 3U) + varint(value);
}

std::string bytesField(unsigned number, const std::string& value)
{
    return varint((number << 3U) | 2U) + varint(value.size()) + value;
}

const Diagnostic* findRule(const Diagnostics& diagnostics, const std::string& rule)
{
    const auto found = std::find_if(diagnostics.begin(), diagnostics.end(), [&rule](const Diagnostic& d) { return d.rule == rule; });
    return found == diagnostics.end() ? nullptr : &*found;
}

} // namespace fabricscope::test
