// Load rate of traces: ours against libprotobuf's loop over one reused message, on the same bytes in the same run.
#include "chakra_et.pb.h"

#include "core/trace/dependencies.h"
#include "core/trace/etfile.h"
#include "core/trace/etwriter.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace {

using namespace fabricscope;

constexpr std::uint32_t kNodes = 1'000'000;

/// Lean nodes as simulators' generators write them: name, two dependencies, a size, a collective now and then. About 98 bytes.
EtNode leanNode(std::uint32_t i)
{
    EtNode node;
    node.id = i + 1;
    const bool collective = i % 8 == 7;
    node.name = (collective ? "COMM_COLL_NODE_" : "COMP_NODE_layer_") + std::to_string(i);
    node.type = static_cast<std::int32_t>(collective ? EtNodeType::Collective : EtNodeType::Comp);
    if (i > 0)
        node.dataDeps.push_back(i);
    if (i > 3)
        node.dataDeps.push_back(i - 2);
    node.durationMicros = collective ? 0 : 10 + i % 1000;
    node.attributes.push_back(EtAttribute::boolean("is_cpu_op", false));
    if (collective) {
        node.attributes.push_back(EtAttribute::integer("comm_type", 0));
        node.attributes.push_back(EtAttribute::integer("comm_size", 1 << 20));
    } else {
        node.attributes.push_back(EtAttribute::integer("num_ops", std::int64_t{1} << 30));
        node.attributes.push_back(EtAttribute::integer("tensor_size", 1 << 20, EtKind::Uint64));
    }
    return node;
}

/// The file, written once; removed at exit.
class TraceFile {
public:
    TraceFile() : m_path((std::filesystem::temp_directory_path() / ("fabricscope-bench-" + std::to_string(::getpid()) + ".0.et")).string())
    {
        auto writer = EtWriter::create(m_path, {});
        bool done = static_cast<bool>(writer);
        for (std::uint32_t i = 0; done && i < kNodes; ++i)
            done = static_cast<bool>(writer.value().add(leanNode(i)));
        if (!done || !writer.value().finish())
            std::fprintf(stderr, "cannot write %s\n", m_path.c_str());
        std::error_code ignored;
        m_size = std::filesystem::file_size(m_path, ignored);
    }
    ~TraceFile()
    {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
    }
    const std::string& path() const { return m_path; }
    std::int64_t size() const { return static_cast<std::int64_t>(m_size); }

private:
    std::string m_path;
    std::uintmax_t m_size = 0;
};

const TraceFile& traceFile()
{
    static const TraceFile file;
    return file;
}

std::int64_t residentBytes()
{
    std::ifstream status("/proc/self/statm");
    std::int64_t total = 0;
    std::int64_t resident = 0;
    status >> total >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

void setRates(benchmark::State& state)
{
    state.SetBytesProcessed(state.iterations() * traceFile().size());
    state.SetItemsProcessed(state.iterations() * std::int64_t{kNodes});
    state.counters["file_B_per_node"] = static_cast<double>(traceFile().size()) / kNodes;
}

/// Memory is measured first, before another benchmark leaves freed blocks behind.
void residentPerNode(benchmark::State& state)
{
    double perNode = 0;
    traceFile();
    for (auto _ : state) {
        const std::int64_t before = residentBytes();
        const auto trace = readTraceFile(traceFile().path());
        std::int64_t sum = 0;
        for (std::uint32_t node = 0; node < trace.value().size(); ++node) {
            sum += trace.value().type(node) + trace.value().value(node, EtField::CommSize);
            for (const std::uint64_t id : trace.value().dataDependencies(node))
                sum += static_cast<std::int64_t>(id);
        }
        benchmark::DoNotOptimize(sum);
        perNode = static_cast<double>(residentBytes() - before) / kNodes;
    }
    state.counters["resident_B_per_node"] = perNode;
}
BENCHMARK(residentPerNode)->Iterations(1)->Unit(benchmark::kMillisecond);

void readFile(benchmark::State& state)
{
    traceFile();
    for (auto _ : state) {
        const auto trace = readTraceFile(traceFile().path());
        benchmark::DoNotOptimize(trace.value().size());
    }
    setRates(state);
}
BENCHMARK(readFile)->Unit(benchmark::kMillisecond);

void resolve(benchmark::State& state)
{
    const auto trace = readTraceFile(traceFile().path());
    for (auto _ : state)
        benchmark::DoNotOptimize(resolveDependencies(trace.value(), CtrlDeps::Auto).depends.size());
    setRates(state);
}
BENCHMARK(resolve)->Unit(benchmark::kMillisecond);

/// The baseline: the whole file in memory already, one message reused, nothing kept.
void reusedProtobufMessage(benchmark::State& state)
{
    std::ifstream file(traceFile().path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (auto _ : state) {
        const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
        const auto* const end = p + bytes.size();
        ChakraProtoMsg::Node node;
        bool first = true;
        std::uint64_t sum = 0;
        while (p < end) {
            std::uint32_t length = 0;
            unsigned shift = 0;
            while (*p >= 0x80) {
                length |= (*p++ & 0x7fU) << shift;
                shift += 7;
            }
            length |= static_cast<std::uint32_t>(*p++) << shift;
            if (!first && !node.ParseFromArray(p, static_cast<int>(length)))
                break;
            first = false;
            sum += node.id();
            p += length;
        }
        benchmark::DoNotOptimize(sum);
    }
    setRates(state);
}
BENCHMARK(reusedProtobufMessage)->Unit(benchmark::kMillisecond);

} // namespace
