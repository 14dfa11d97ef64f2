#include "core/design/file/reader.h"
#include "core/design/file/sectiontree.h"
#include "core/design/schedulingconfig.h"
#include "core/design/sectionchecks.h"
#include "core/design/usualscheduling.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxUnits = 1 << 20;

template <typename Value, std::size_t count>
std::vector<std::pair<std::string_view, Value>> choices(const std::array<std::pair<std::string_view, Value>, count>& list)
{
    return {list.begin(), list.end()};
}

} // namespace

void readSchedulingSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "scheduling", {"dimensions", "inside", "order", "units", "streams"});
    SchedulingConfig config;
    config.dimensions = map.choice<DimensionScheduler>("dimensions", choices(kDimensionSchedulers)).value_or(config.dimensions);
    config.inside = map.choice<InsideScheduler>("inside", choices(kInsideSchedulers)).value_or(usualInside(config.dimensions));
    config.order = map.choice<TaskOrder>("order", choices(kTaskOrders)).value_or(config.order);
    config.streams = map.integer32("streams", 1, kMaxUnits).value_or(config.streams);
    if (const YamlNode* units = map.node("units")) {
        MapReader reader(reading.fields, *units, "scheduling.units", {"compute", "communication"});
        config.computeUnits = reader.integer32("compute", 1, kMaxUnits).value_or(config.computeUnits);
        config.communicationUnits = reader.integer32("communication", 1, kMaxUnits).value_or(config.communicationUnits);
    }
    reading.design.scheduling = std::make_shared<const SchedulingConfig>(config);
}

YamlNode schedulingTree(const Design& design, DesignForm)
{
    MapBuilder map;
    if (!design.scheduling)
        return map.take();
    const SchedulingConfig& config = *design.scheduling;
    const SchedulingConfig none;
    if (config.dimensions != none.dimensions)
        map.add("dimensions", std::string(schedulingKey(kDimensionSchedulers, config.dimensions)));
    if (config.inside != usualInside(config.dimensions))
        map.add("inside", std::string(schedulingKey(kInsideSchedulers, config.inside)));
    if (config.order != none.order)
        map.add("order", std::string(schedulingKey(kTaskOrders, config.order)));
    MapBuilder units;
    if (config.computeUnits != none.computeUnits)
        units.add("compute", std::int64_t{config.computeUnits});
    if (config.communicationUnits != none.communicationUnits)
        units.add("communication", std::int64_t{config.communicationUnits});
    map.addFilled("units", units.take());
    if (config.streams != none.streams)
        map.add("streams", std::int64_t{config.streams});
    return map.take();
}

Diagnostics validateScheduling(const Design& design, const std::stop_token&)
{
    Diagnostics problems;
    if (!design.scheduling)
        return problems;
    const SchedulingConfig& config = *design.scheduling;
    const auto check = [&](std::int32_t value, std::int32_t least, const char* field) {
        if (value < least || value > kMaxUnits)
            problems.push_back(finding("scheduling", invalidInput(std::to_string(value) + " is not possible here", design.place(field), "1 to " + std::to_string(kMaxUnits))));
    };
    check(config.computeUnits, 1, "scheduling.units.compute");
    check(config.communicationUnits, 0, "scheduling.units.communication");
    check(config.streams, 1, "scheduling.streams");
    const SchedulingConfig none;
    if (isAstra(design.model.model) && config != none)
        problems.push_back(warning("scheduling-unused", "section scheduling is not used: the astra-* models schedule as ASTRA-sim does", design.place("scheduling")));
    else if (design.model.model != Model::Links && config.inside != usualInside(config.dimensions))
        problems.push_back(warning("scheduling-unused", "scheduling.inside is not used: in the models ideal and flow no message waits for a link", design.place("scheduling.inside")));
    return problems;
}

} // namespace fabricscope
