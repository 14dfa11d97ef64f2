#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/schedulingconfig.h"
#include "core/design/sectionchecks.h"
#include "core/design/usualscheduling.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxUnits = 1 << 20;

InsideScheduler usualInsideOf(const SchedulingConfig& config)
{
    return usualInside(config.dimensions);
}

} // namespace

const SectionFields<SchedulingConfig>& schedulingFields()
{
    using Config = SchedulingConfig;
    static const SectionFields<Config> fields{
        wordField("dimensions", &Config::dimensions, kDimensionSchedulers, "how chunks go through the dimensions"),
        wordField("inside", &Config::inside, kInsideSchedulers, "at the own link of an NPU", usualInsideOf),
        wordField("order", &Config::order, kTaskOrders, "of ready tasks and collectives"),
        {"units", "tasks of an NPU at once", {}, {}, {},
         {wholeField("compute", &Config::computeUnits, 1, kMaxUnits, ""), wholeField("communication", &Config::communicationUnits, 1, kMaxUnits, "")}},
        wholeField("streams", &Config::streams, 1, kMaxUnits, "collectives of one group a rank may be in at once"),
    };
    return fields;
}

void readSchedulingSection(DesignReading& reading, const YamlNode& node)
{
    SchedulingConfig config;
    readFields(reading.fields, node, "scheduling", schedulingFields(), config);
    reading.design.scheduling = std::make_shared<const SchedulingConfig>(config);
}

YamlNode schedulingTree(const Design& design, DesignForm)
{
    return design.scheduling ? fieldsTree(schedulingFields(), *design.scheduling) : YamlNode::map();
}

Diagnostics validateScheduling(const Design& design, const std::stop_token&)
{
    Diagnostics problems;
    if (!design.scheduling)
        return problems;
    const SchedulingConfig& config = *design.scheduling;
    checkFields<SchedulingConfig>(schedulingFields(), config, [&](const std::string& key, std::string message, std::string expected) {
        problems.push_back(finding("scheduling", invalidInput(std::move(message), design.place("scheduling." + key), std::move(expected))));
    });
    const SchedulingConfig none;
    const ModelTraits& model = traitsOf(design.model.model);
    if (!model.schedules && config != none)
        problems.push_back(warning("scheduling-unused", "section scheduling is not used: the astra-* models schedule as ASTRA-sim does", design.place("scheduling")));
    else if (!model.messagesWait && config.inside != usualInside(config.dimensions))
        problems.push_back(warning("scheduling-unused", "scheduling.inside is not used: in the models ideal and flow no message waits for a link", design.place("scheduling.inside")));
    return problems;
}

} // namespace fabricscope
