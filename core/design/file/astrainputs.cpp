#include "core/design/file/astrainputs.h"

#include "core/formats/astra/memoryfile.h"
#include "core/formats/astra/systemfile.h"
#include "core/formats/fabricload.h"

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
    // The ns-3 and HTSim front ends take topologies of their own; what looks like none of them is read as the analytical form, which says what is wrong.
    const auto told = fabricKindOfFile(inputs.network);
    const FabricKind kind = told ? told.value() : FabricKind::AstraSim;
    auto network = loadFabric(inputs.network, kind, {}, loaded.diagnostics);
    if (!network)
        return std::move(network).error();
    design.platform = std::make_shared<const PlatformSpec>(std::move(network.value().spec));
    design.platformOrigin = inputs.network + " (" + std::string(fabricKindRow(kind).name) + ')';
    design.astraUnits = network.value().astraUnits;
    design.files.push_back(inputs.network);
    design.files.insert(design.files.end(), network.value().files.begin(), network.value().files.end());

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
