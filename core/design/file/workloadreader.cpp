#include "core/design/file/plansection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"

#include <algorithm>

namespace fabricscope {

namespace {

using OneWorkload = std::variant<std::monostate, TraceWorkload, StepsWorkload, SingleCollective>;

/// Trace, steps or collective: a key tells which, and whose rows there are. `others`: keys of the same mapping that somebody else reads.
OneWorkload readOneWorkload(FieldContext& context, const YamlNode& node, const std::string& field, const std::vector<std::string_view>& others)
{
    std::vector<std::string_view> known{"trace", "steps", "collective"};
    known.insert(known.end(), others.begin(), others.end());
    std::string given;
    int kinds = 0;
    for (const std::string_view kind : {"trace", "steps", "collective"}) {
        if (node.isMap() && node.find(kind)) {
            given += std::string(given.empty() ? "" : " and ") + std::string(kind);
            ++kinds;
        }
    }
    const auto more = [&](const std::vector<std::string_view>& keys) {
        std::copy_if(keys.begin(), keys.end(), std::back_inserter(known), [&](std::string_view key) { return std::find(known.begin(), known.end(), key) == known.end(); });
    };
    if (kinds != 1 || given == "trace")
        more(keysOf(traceFields()));
    if (kinds != 1 || given == "steps")
        more(keysOf(stepsFields()));
    if (kinds != 1 || given == "collective")
        more(keysOf(collectiveFields()));
    if (kinds == 0 && others.empty())
        more({"model", "plan", "shard", "jobs"}); // With one of them somebody else reads it.
    for (const std::string_view later : {"model", "plan", "shard"}) {
        if (!node.isMap() || !node.find(later))
            continue;
        more({later});
        context.error(node.find(later)->value, field + "." + std::string(later), kinds > 0 ? given + " and \"" + std::string(later) + "\" are given together" : "\"" + std::string(later) + "\" runs on a platform of its own, not as one of several jobs",
                      "one of trace, steps, collective", ErrorCode::Unsupported);
    }
    MapReader map(context, node, field, known);
    if (!node.isMap())
        return {};
    if (kinds != 1) {
        context.error(node, field, kinds == 0 ? "nothing says what runs" : given + " are given together", others.empty() ? "one of trace, steps, collective, plan, shard" : "one of trace, steps, collective");
        return {};
    }
    const auto read = [&map](auto spec, const auto& fields) {
        readFields(map, fields, spec);
        return OneWorkload(std::move(spec));
    };
    if (given == "trace")
        return read(TraceWorkload{}, traceFields());
    return given == "steps" ? read(StepsWorkload{}, stepsFields()) : read(SingleCollective{}, collectiveFields());
}

/// Jobs with their placement, which goes to Design::jobs.
void readJobs(const MapReader& map, DesignReading& reading)
{
    FieldContext& context = map.context();
    JobsWorkload jobs;
    if (!reading.design.jobs.empty())
        map.error("jobs", "platform.placement and workload.jobs both say where the ranks run", "one of them");
    reading.design.jobs.clear();
    for (const auto& [item, field] : map.list("jobs")) {
        jobs.jobs.push_back({readOneWorkload(context, *item, field, keysOf(placedJobFields()))});
        Placement::Job job;
        if (item->isMap()) {
            std::vector<std::string_view> all;
            for (const YamlEntry& entry : item->entries)
                all.push_back(entry.key); // what is unknown has been reported
            readFields(MapReader(context, *item, field, all), placedJobFields(), job);
        }
        for (const Placement::Job& other : reading.design.jobs) {
            if (!job.name.empty() && other.name == job.name)
                context.error(*item, field + ".name", "a second job is called \"" + job.name + "\"", "a name of its own");
        }
        reading.design.jobs.push_back(std::move(job));
    }
    if (jobs.jobs.empty())
        map.error("jobs", "there are no jobs", "a list of jobs");
    reading.design.workload = std::make_shared<const WorkloadSpec>(std::move(jobs));
}

template <typename Spec>
YamlNode specTree(const Spec& spec, const Writing& how)
{
    if (const auto* trace = std::get_if<TraceWorkload>(&spec))
        return fieldsTree(traceFields(), *trace, how);
    if (const auto* single = std::get_if<SingleCollective>(&spec))
        return fieldsTree(collectiveFields(), *single, how);
    const auto* steps = std::get_if<StepsWorkload>(&spec);
    return steps ? fieldsTree(stepsFields(), *steps, how) : YamlNode::map();
}

void writeJobs(MapBuilder& map, const Design& design, const Writing& how)
{
    const std::vector<JobWorkload>& jobs = std::get<JobsWorkload>(*design.workload).jobs;
    YamlNode list = YamlNode::sequence();
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        YamlNode job = j < design.jobs.size() ? fieldsTree(placedJobFields(), design.jobs[j]) : YamlNode::map();
        for (YamlEntry& entry : specTree(jobs[j].runs, how).entries)
            job.entries.push_back(std::move(entry));
        list.items.push_back(std::move(job));
    }
    map.add("jobs", std::move(list));
}

/// Of a workload of several jobs.
const SectionFields<DesignReading, Design>& jobsFields()
{
    static const SectionFields<DesignReading, Design> fields{{"jobs", "", readJobs, writeJobs, [](const Design&, const auto&) {}, {}}};
    return fields;
}

} // namespace

void readWorkloadSection(DesignReading& reading, const YamlNode& node)
{
    if (node.isMap() && node.find("jobs"))
        return readFields(reading.fields, node, "workload", jobsFields(), reading);
    const auto has = [&node](const char* key) { return node.isMap() && node.find(key) != nullptr; };
    if ((has("model") || has("plan") || has("shard")) && !has("trace") && !has("steps") && !has("collective"))
        return readPlannedWorkload(reading, node);
    WorkloadSpec spec = std::visit([](auto&& one) { return WorkloadSpec(std::move(one)); }, readOneWorkload(reading.fields, node, "workload", {}));
    if (!std::holds_alternative<std::monostate>(spec))
        reading.design.workload = std::make_shared<const WorkloadSpec>(std::move(spec));
}

YamlNode workloadTree(const Design& design, DesignForm form, const std::stop_token& stop)
{
    const Writing how{form, stop};
    if (!design.workload)
        return YamlNode::map();
    if (const auto* planned = std::get_if<PlannedWorkload>(design.workload.get()))
        return plannedTree(*planned, how);
    return std::holds_alternative<JobsWorkload>(*design.workload) ? fieldsTree(jobsFields(), design, how) : specTree(*design.workload, how);
}

} // namespace fabricscope
