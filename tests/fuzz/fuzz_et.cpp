// Any bytes as a trace file: the reader must refuse or read them; what it reads must survive resolving, linting and conversion,
// and every node it lists must decode.
#include "core/trace/etfile.h"
#include "core/trace/lint.h"
#include "core/workload/customcollective.h"
#include "core/workload/traceworkload.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto read = readTraceBytes({reinterpret_cast<const char*>(data), size});
    if (!read)
        return 0;
    const auto trace = std::make_shared<const RankTrace>(std::move(read).value());
    std::size_t seen = 0;
    for (std::uint32_t node = 0; node < trace->size(); ++node) {
        seen += trace->name(node).size() + trace->dataDependencies(node).size() + trace->ctrlDependencies(node).size() + trace->groupName(node).size();
        for (std::size_t field = 0; field < kEtFields; ++field)
            seen += trace->value(node, static_cast<EtField>(field)) != 0;
        if (trace->recordBegin(node) > size)
            std::abort();
    }
    const TraceSet set = TraceSet::fromRanks({trace, trace}, "fuzz");
    const CommGroups groups{"groups.json", {{"1", {1, 0}, 1}}};
    for (const CtrlDeps mode : {CtrlDeps::Auto, CtrlDeps::Use}) {
        const auto workload = workloadFromTraces(set, groups, {mode, 2, 2, false});
        if (workload && workload.value().workload->taskCount() != 2 * static_cast<std::int64_t>(trace->size()))
            std::abort();
        seen += lintTraces(set, groups, {mode, 2, 1}).size();
    }
    seen += customProgramFromTraces(set) ? 1 : 0;
    return seen == ~std::size_t{0} ? 1 : 0;
}
