#include "core/design/file/sectiontree.h"

#include "core/base/stop.h"

#include <array>

namespace fabricscope {

namespace {

YamlNode groupTree(const GroupSpec& group, const std::stop_token& stop)
{
    MapBuilder map;
    map.add("name", group.name);
    YamlNode list = YamlNode::sequence();
    for (const std::int32_t dimension : group.dimensions)
        list.items.push_back(YamlNode::scalar(std::to_string(dimension)));
    map.addFilled("dimensions", std::move(list));
    list = YamlNode::sequence();
    for (const GroupFamily::Axis& axis : group.axes)
        list.items.push_back(MapBuilder().add("size", axis.size).add("stride", axis.stride).take());
    map.addFilled("axes", std::move(list));
    list = YamlNode::sequence();
    for (const auto& members : group.lists) {
        checkStop(stop);
        YamlNode ranks = YamlNode::sequence();
        for (const std::int64_t rank : members)
            ranks.items.push_back(YamlNode::scalar(std::to_string(rank)));
        list.items.push_back(std::move(ranks));
    }
    return map.addFilled("lists", std::move(list)).take();
}

YamlNode stepsTree(const std::vector<Step>& steps, const std::stop_token& stop);

YamlNode stepTree(const Step& step, const std::stop_token& stop)
{
    const Quantity none{0, "B", Measure::Size};
    MapBuilder map;
    switch (step.kind) {
    case Step::Kind::Compute:
        map.add("compute", step.duration ? *step.duration : step.operations.value_or(Quantity{0, "FLOP", Measure::Operations}));
        if (step.duration)
            map.add("operations", step.operations);
        map.add("bytes", step.bytes);
        break;
    case Step::Kind::Collective:
        map.add("collective", std::string(collectiveKey(step.op))).add("size", step.bytes);
        if (!step.group.empty())
            map.add("group", step.group);
        break;
    case Step::Kind::Send:
    case Step::Kind::Receive:
        map.add(step.kind == Step::Kind::Send ? "send" : "receive", step.bytes.value_or(none)).add(step.kind == Step::Kind::Send ? "to" : "from", step.peer);
        if (step.tag != 0)
            map.add("tag", std::int64_t{step.tag});
        break;
    case Step::Kind::Load:
    case Step::Kind::Store:
        map.add(step.kind == Step::Kind::Load ? "load" : "store", step.bytes.value_or(none));
        if (!step.group.empty())
            map.add("gather", step.group);
        break;
    case Step::Kind::Repeat:
        return map.add("repeat", std::int64_t{step.times}).add("steps", stepsTree(step.steps, stop)).take();
    }
    if (!step.name.empty())
        map.add("name", step.name);
    const auto addLabels = [&](const char* key, const std::vector<std::string>& labels) {
        YamlNode list = YamlNode::sequence();
        for (const std::string& label : labels)
            list.items.push_back(YamlNode::scalar(label));
        map.add(key, list.items.size() == 1 ? list.items[0] : list);
    };
    if (step.afterGiven)
        addLabels("after", step.after);
    if (!step.uses.empty())
        addLabels("uses", step.uses);
    map.add("output", step.output).add("scratch", step.scratch);
    if (!step.ranks.empty())
        map.add("ranks", step.ranks.text());
    if (step.priority != 0)
        map.add("priority", std::int64_t{step.priority});
    return map.take();
}

YamlNode stepsTree(const std::vector<Step>& steps, const std::stop_token& stop)
{
    YamlNode list = YamlNode::sequence();
    for (const Step& step : steps) {
        checkStop(stop);
        list.items.push_back(stepTree(step, stop));
    }
    return list;
}

YamlNode traceTree(const TraceWorkload& trace, DesignForm form)
{
    constexpr std::array<const char*, 3> kCtrlDeps{"auto", "use", "ignore"};
    const bool file = form == DesignForm::File;
    MapBuilder map;
    map.add("trace", file ? trace.prefix : std::string("files"));
    if (!trace.commGroups.empty())
        map.add("comm_groups", file ? trace.commGroups : std::string("file"));
    if (!file || trace.ctrlDeps != CtrlDeps::Auto)
        map.add("ctrl_deps", kCtrlDeps[static_cast<std::size_t>(trace.ctrlDeps)]);
    if (!file || trace.bytesPerElement != 1)
        map.add("bytes_per_element", std::int64_t{trace.bytesPerElement});
    return map.take();
}

template <typename Spec>
YamlNode specTree(const Spec& spec, DesignForm form, const std::stop_token& stop)
{
    if (const auto* trace = std::get_if<TraceWorkload>(&spec))
        return traceTree(*trace, form);
    if (const auto* single = std::get_if<SingleCollective>(&spec))
        return MapBuilder().add("collective", std::string(collectiveKey(single->op))).add("size", single->size).take();
    const auto* steps = std::get_if<StepsWorkload>(&spec);
    if (!steps)
        return YamlNode::map();
    MapBuilder map;
    YamlNode groups = YamlNode::sequence();
    for (const GroupSpec& group : steps->groups)
        groups.items.push_back(groupTree(group, stop));
    return map.addFilled("groups", std::move(groups)).add("steps", stepsTree(steps->steps, stop)).take();
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
        YamlNode job = j < design.jobs.size() ? placedJobTree(design.jobs[j]) : YamlNode::map();
        for (YamlEntry& entry : specTree(several->jobs[j].runs, form, stop).entries)
            job.entries.push_back(std::move(entry));
        list.items.push_back(std::move(job));
    }
    return MapBuilder().add("jobs", std::move(list)).take();
}

} // namespace fabricscope
