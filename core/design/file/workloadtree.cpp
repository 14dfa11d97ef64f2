#include "core/design/file/sectionfields.h"

namespace fabricscope {

namespace {

template <typename Spec>
YamlNode specTree(const Spec& spec, DesignForm form, const std::stop_token& stop)
{
    const Writing how{form, stop};
    if (const auto* trace = std::get_if<TraceWorkload>(&spec))
        return fieldsTree(traceFields(), *trace, how);
    if (const auto* single = std::get_if<SingleCollective>(&spec))
        return fieldsTree(collectiveFields(), *single, how);
    const auto* steps = std::get_if<StepsWorkload>(&spec);
    return steps ? fieldsTree(stepsFields(), *steps, how) : YamlNode::map();
}

} // namespace

YamlNode workloadTree(const Design& design, DesignForm form, const std::stop_token& stop)
{
    if (!design.workload)
        return YamlNode::map();
    const auto* several = std::get_if<JobsWorkload>(design.workload.get());
    if (!several)
        return specTree(*design.workload, form, stop);
    YamlNode list = YamlNode::sequence();
    for (std::size_t j = 0; j < several->jobs.size(); ++j) {
        YamlNode job = j < design.jobs.size() ? fieldsTree(placedJobFields(), design.jobs[j]) : YamlNode::map();
        for (YamlEntry& entry : specTree(several->jobs[j].runs, form, stop).entries)
            job.entries.push_back(std::move(entry));
        list.items.push_back(std::move(job));
    }
    return MapBuilder().add("jobs", std::move(list)).take();
}

} // namespace fabricscope
