#include "core/scenario/taskscheduling.h"

namespace fabricscope {

SchedulingConfig schedulingOf(const Design& design)
{
    return design.scheduling ? *design.scheduling : SchedulingConfig{};
}

std::shared_ptr<const TaskScheduling> makeTaskScheduling(const Design& design, const Structure&, Params& params, Diagnostics& diagnostics)
{
    if (!traitsOf(design.model.model).schedules)
        return nullptr;
    const SchedulingConfig config = schedulingOf(design);
    const SchedulingConfig none;
    if (design.astra && !design.astra->schedulingPolicy.empty()) {
        diagnostics.push_back(note("scheduling-policy-unused", "scheduling-policy " + design.astra->schedulingPolicy + " of the ASTRA-sim system file is not used"
                                                                   + (design.scheduling ? std::string() : std::string(": section scheduling of a design orders tasks and collectives"))));
    }
    const std::string source = design.file.empty() ? "given" : design.file;
    const auto say = [&](bool isSet, const char* name, std::string value) {
        if (isSet)
            params.list.push_back({name, std::move(value), source, false});
    };
    say(config.dimensions != none.dimensions, "order of dimensions", std::string(keyOf(kDimensionSchedulers, config.dimensions)));
    say(config.inside != none.inside, "order inside a dimension", std::string(keyOf(kInsideSchedulers, config.inside)));
    say(config.order != none.order, "order of tasks", std::string(keyOf(kTaskOrders, config.order)));
    say(config.computeUnits != none.computeUnits, "compute units", std::to_string(config.computeUnits));
    say(config.communicationUnits != none.communicationUnits, "communication units", std::to_string(config.communicationUnits));
    say(config.streams != none.streams, "collectives of a group at once", std::to_string(config.streams));

    SchedulingConfig programs;
    programs.dimensions = config.dimensions;
    if (config == programs)
        return nullptr;
    auto scheduling = std::make_shared<TaskScheduling>();
    scheduling->inside = config.inside;
    scheduling->order = config.order;
    scheduling->computeUnits = config.computeUnits;
    scheduling->communicationUnits = config.communicationUnits;
    scheduling->streams = config.streams;
    return scheduling;
}

} // namespace fabricscope
