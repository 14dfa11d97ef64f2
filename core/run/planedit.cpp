#include "core/run/planedit.h"

#include "core/design/file/readdesign.h"
#include "core/design/file/searchsection.h"
#include "core/design/file/sectiontree.h"
#include "core/run/plansimulation.h"

#include <algorithm>

namespace fabricscope {

namespace {

YamlNode planTree(const Design& design)
{
    const YamlNode workload = workloadTree(design, DesignForm::File, {});
    const YamlEntry* plan = workload.find("plan");
    return plan ? plan->value : YamlNode::map();
}

/// Changes what `after` says otherwise than `before`; what both say stays as it is written.
Status changeMap(YamlDocument& yaml, const std::string& path, const YamlNode& before, const YamlNode& after)
{
    for (const YamlEntry& entry : after.entries) {
        const std::string at = path + '.' + entry.key;
        const YamlEntry* was = before.find(entry.key);
        if (was && sameContent(was->value, entry.value))
            continue;
        const YamlNode* written = yaml.find(at);
        const bool within = was && was->value.isMap() && entry.value.isMap() && written && written->isMap();
        if (Status status = within ? changeMap(yaml, at, was->value, entry.value) : yaml.set(at, entry.value); !status)
            return status;
    }
    for (const YamlEntry& entry : before.entries) {
        const std::string at = path + '.' + entry.key;
        if (after.find(entry.key) || !yaml.find(at))
            continue;
        if (Status status = yaml.remove(at); !status)
            return status;
    }
    return {};
}

/// Lists of words stand in one line, as a person writes them.
YamlNode searchTree(const PlanSearchSpec& spec)
{
    YamlNode tree = fieldsTree(planSearchFields(), spec);
    for (YamlEntry& entry : tree.entries)
        entry.value.flow = !entry.value.isScalar();
    return tree;
}

Status setMicroBatch(YamlDocument& yaml, std::int64_t microBatch)
{
    const YamlNode* model = yaml.find("workload.model");
    if (!model || !model->isScalar())
        return yaml.set("workload.model.train.micro_batch", std::to_string(microBatch));
    MapBuilder named; // `model: NAME` has no room for more.
    named.add("preset", model->text).add("train", MapBuilder().add("micro_batch", microBatch).take());
    return yaml.set("workload.model", named.take());
}

/// The first so many NPUs, of which the design says nothing yet.
Status setPart(YamlDocument& yaml, std::int64_t ranks)
{
    YamlNode jobs = YamlNode::sequence();
    jobs.items.push_back(MapBuilder().add("name", "training").add("ranks", ranks).take());
    MapBuilder placement;
    placement.add("jobs", std::move(jobs));
    YamlNode node = placement.take();
    node.flow = true;
    return yaml.set("platform.placement", std::move(node));
}

bool saysPlan(const YamlDocument& yaml, const YamlNode& plan)
{
    return sameContent(planTree(inspectDesign(yaml).design), plan);
}

} // namespace

Status usePlan(YamlDocument& yaml, const Design& design, const SearchedPlan& plan)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (!planned || !planned->model)
        return invalidInput("the workload of this design is no model with a plan", design.place("workload"), "workload: {model: ..., plan: ...}");
    const YamlNode after = planTree(designWith(design, *planned->model, plan));
    const YamlNode* written = yaml.find("workload.plan");
    YamlDocument tried = yaml;
    Status status = written && written->isMap() ? changeMap(tried, "workload.plan", planTree(design), after) : tried.set("workload.plan", after);
    if (!status || !saysPlan(tried, after)) {
        // Written in another form than a design is: it is replaced as a whole.
        tried = yaml;
        status = tried.set("workload.plan", after);
    }
    if (status && plan.choice.block.microBatch != std::max<std::int64_t>(1, planned->model->train.micro))
        status = setMicroBatch(tried, plan.choice.block.microBatch);
    if (status && plan.isPart)
        status = setPart(tried, plan.choice.block.ranks());
    if (status)
        yaml = std::move(tried);
    return status;
}

Status keepSearch(YamlDocument& yaml, const PlanSearchSpec& spec)
{
    YamlNode after = searchTree(spec);
    after.flow = true;
    const YamlNode* written = yaml.find("search");
    const Result<PlanSearchSpec> before = readPlanSearch(yaml);
    YamlDocument tried = yaml;
    Status status = before && written && written->isMap() ? changeMap(tried, "search", searchTree(before.value()), after) : tried.set("search", after);
    if (const Result<PlanSearchSpec> says = readPlanSearch(tried); !status || !says || says.value() != spec) {
        tried = yaml;
        status = tried.set("search", after);
    }
    if (status)
        yaml = std::move(tried);
    return status;
}

} // namespace fabricscope
