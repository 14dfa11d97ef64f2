// Files of collective programs. Baselines in the same run: a bare parse of the same XML text by pugixml; for graphs the published times of the
// collective-API converter (16 / 32 / 64 / 128 NPUs: 259 / 398 / 1485 / 7662 ms, seed paper, another machine), as the counter "published_ms".
#include "tests/unit/support/canonical.h"
#include "core/program/programbuilder.h"
#include "core/programio/mscclwriter.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "core/programio/programtraces.h"
#include "core/base/files/textfile.h"
#include "core/trace/etwriter.h"
#include "tests/unit/support/corpus.h"

#include <benchmark/benchmark.h>
#include <pugixml.hpp>

#include <map>

using namespace fabricscope;

namespace {

/// The largest file of the corpus, 1.4 MB and 11,904 steps; empty where the shared folder is absent.
std::string largestXml()
{
    const auto shared = test::sharedFolder();
    auto text = shared ? readTextFile(*shared + "/corpus/msccl_xml/allreduce_rccl_ring_both_modes_16r.xml") : Result<std::string>(std::string());
    return text ? std::move(text).value() : std::string();
}

/// Ring all-reduce of n ranks and n chunks in one lane each.
ProgramPtr ring(int ranks)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, ranks, ranks);
    builder.header().outOfPlace = false;
    ProgramBuilder::How how;
    how.sendLane = how.receiveLane = 0;
    for (int step = 0; step < 2 * (ranks - 1); ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            const int chunk = ((rank - step) % ranks + 2 * ranks) % ranks;
            how.step = step;
            how.reduce = step < ranks - 1;
            builder.transfer({rank, BufferKind::Input, chunk}, {(rank + 1) % ranks, BufferKind::Input, chunk}, 1, how);
        }
    }
    return builder.finish("ring", "benchmark");
}

void bareParse(benchmark::State& state)
{
    const std::string text = largestXml();
    if (text.empty())
        return state.SkipWithError("the shared folder is absent (FABRICSCOPE_SHARED)");
    for (auto _ : state) {
        pugi::xml_document document;
        benchmark::DoNotOptimize(document.load_buffer(text.data(), text.size()).status);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(bareParse)->Unit(benchmark::kMillisecond);

void readXml(benchmark::State& state)
{
    const std::string text = largestXml();
    if (text.empty())
        return state.SkipWithError("the shared folder is absent (FABRICSCOPE_SHARED)");
    for (auto _ : state)
        benchmark::DoNotOptimize(parseMsccl(text, "benchmark"));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(readXml)->Unit(benchmark::kMillisecond);

void writeXml(benchmark::State& state)
{
    const auto file = parseMsccl(largestXml(), "benchmark");
    if (!file || !file.value().program)
        return state.SkipWithError("the shared folder is absent (FABRICSCOPE_SHARED)");
    for (auto _ : state)
        benchmark::DoNotOptimize(writeMsccl(file.value().program));
}
BENCHMARK(writeXml)->Unit(benchmark::kMillisecond);

void canonical(benchmark::State& state)
{
    const ProgramPtr program = ring(static_cast<int>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(canonicalDigest(*program));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(program->asExplicit().size()));
}
BENCHMARK(canonical)->Arg(128)->Unit(benchmark::kMillisecond);

/// XML text -> bytes of the graph files, as the converter does.
void xmlToGraphs(benchmark::State& state)
{
    const std::map<std::int64_t, double> published{{16, 259}, {32, 398}, {64, 1485}, {128, 7662}};
    const std::string text = writeMsccl(ring(static_cast<int>(state.range(0)))).value().text;
    for (auto _ : state) {
        const auto file = parseMsccl(text, "benchmark");
        const auto traces = programTraces(*file.value().program, 1 << 20);
        for (const ProgramTrace& trace : traces.value())
            benchmark::DoNotOptimize(etBytes(trace.metadata, trace.nodes));
    }
    state.counters["published_ms"] = published.at(state.range(0));
}
BENCHMARK(xmlToGraphs)->Arg(16)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

void jsonThereAndBack(benchmark::State& state)
{
    const ProgramPtr program = ring(static_cast<int>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(parseProgramJson(writeProgramJson(*program), "benchmark"));
}
BENCHMARK(jsonThereAndBack)->Arg(128)->Unit(benchmark::kMillisecond);

} // namespace
