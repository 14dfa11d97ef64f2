#include "core/design/astramemoryfile.h"
#include "core/design/astranetwork.h"
#include "core/design/astrasystemfile.h"
#include "core/design/design.h"

#include <cmath>

namespace fabricscope {

namespace {

Error missingInput(const char* option, const char* expected)
{
    Place place;
    place.field = option;
    return {ErrorCode::Usage, "no file is given", place, expected};
}

} // namespace

Result<LoadedDesign> designFromAstra(const AstraInputs& inputs)
{
    if (inputs.network.empty())
        return missingInput("network", "a network file");
    if (inputs.system.empty())
        return missingInput("system", "a system file");
    if (inputs.queues < 1 || inputs.queues > INT32_MAX)
        return invalidInput(std::to_string(inputs.queues) + " queues per dimension", {}, "at least 1");
    if (!std::isfinite(inputs.injectionScale) || inputs.injectionScale < 0)
        return invalidInput("an injection scale that is no number of at least 0");

    LoadedDesign loaded;
    Design& design = loaded.design;
    auto network = loadAstraNetwork(inputs.network, loaded.diagnostics);
    if (!network)
        return std::move(network).error();
    design.platform = std::make_shared<const PlatformSpec>(std::move(network).value());
    design.platformOrigin = inputs.network + " (ASTRA-sim)";
    design.astraUnits = true;
    design.files.push_back(inputs.network);

    auto system = loadAstraSystem(inputs.system, loaded.diagnostics);
    if (!system)
        return std::move(system).error();
    AstraSystem astra = std::move(system).value();
    astra.queuesPerDimension = inputs.queues;
    astra.injectionScale = inputs.injectionScale;
    astra.rendezvous = inputs.rendezvous;
    design.astra = std::make_shared<const AstraSystem>(std::move(astra));
    design.model.rendezvous = inputs.rendezvous;
    design.collectives.queuesPerDimension = inputs.queues;
    design.files.push_back(inputs.system);

    if (!inputs.memory.empty()) {
        auto memory = loadAstraMemory(inputs.memory, loaded.diagnostics);
        if (!memory)
            return std::move(memory).error();
        design.remoteMemory = memory.value();
        design.files.push_back(inputs.memory);
    }
    if (!inputs.workload.empty()) {
        TraceWorkload trace;
        trace.prefix = inputs.workload;
        trace.commGroups = inputs.commGroups; // any path names a file here, also one with "empty" in it
        design.workload = std::make_shared<const WorkloadSpec>(std::move(trace));
    }
    design.name = inputs.workload.empty() ? inputs.network : inputs.workload;
    return loaded;
}

} // namespace fabricscope
