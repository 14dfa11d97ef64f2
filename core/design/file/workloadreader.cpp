#include "core/design/file/reader.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxInt = INT32_MAX;
constexpr std::size_t kMaxLabel = 200;
constexpr std::int32_t kMaxPriority = 1 << 30;

/// "+8", "-8", "3".
bool isPeer(const std::string& text)
{
    const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    return text.size() > sign && text.size() <= sign + 7 && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

GroupSpec readGroup(FieldContext& context, const YamlNode& node, const std::string& field)
{
    GroupSpec group;
    MapReader map(context, node, field, {"name", "dimensions", "axes", "lists"});
    group.place = context.document.place(node, field);
    if (!node.isMap())
        return group;
    map.required("name");
    group.name = map.text("name").value_or("");
    if (map.has("dimensions") + map.has("axes") + map.has("lists") != 1)
        context.error(node, field, "nothing, or more than one thing, says who is in the groups", "one of dimensions, axes, lists");
    for (const auto& [item, itemField] : map.list("dimensions"))
        group.dimensions.push_back(static_cast<std::int32_t>(readInteger(context, *item, itemField, 0, 63).value_or(0)));
    for (const auto& [item, itemField] : map.list("axes")) {
        MapReader axis(context, *item, itemField, {"size", "stride"});
        axis.required("size");
        group.axes.push_back({axis.integer("size", 1, kMaxNpus).value_or(1), axis.integer("stride", 1, kMaxNpus).value_or(1)});
    }
    for (const auto& [item, itemField] : map.list("lists")) {
        std::vector<std::int64_t> members;
        if (!item->isSequence())
            context.error(*item, itemField, "a list of ranks is needed here", "[0, 4, 8]");
        for (std::size_t i = 0; i < item->items.size(); ++i)
            members.push_back(readInteger(context, item->items[i], itemField + "[" + std::to_string(i) + "]", 0, kMaxNpus - 1).value_or(0));
        group.lists.push_back(std::move(members));
    }
    return group;
}

std::vector<Step> readSteps(FieldContext& context, const MapReader& map, std::string_view key);

struct StepKind {
    std::string_view key;
    Step::Kind kind;
    std::vector<std::string_view> others; ///< Keys besides the common ones.
};

const std::vector<StepKind>& stepKinds()
{
    using Kind = Step::Kind;
    static const std::vector<StepKind> kinds{{"compute", Kind::Compute, {"operations", "bytes"}},
                                             {"collective", Kind::Collective, {"size", "group"}},
                                             {"send", Kind::Send, {"to", "tag"}},
                                             {"receive", Kind::Receive, {"from", "tag"}},
                                             {"load", Kind::Load, {"gather"}},
                                             {"store", Kind::Store, {}},
                                             {"repeat", Kind::Repeat, {"steps"}}};
    return kinds;
}

void readCompute(FieldContext& context, const MapReader& map, Step& step)
{
    if (const auto given = map.text("compute")) {
        auto time = parseQuantity(*given, Measure::Time);
        auto work = parseQuantity(*given, Measure::Operations);
        if (time)
            step.duration = std::move(time).value();
        else if (work)
            step.operations = std::move(work).value();
        else
            map.error("compute", time.error().message, "a time such as 120 us, or operations such as 2.5 TFLOP");
    }
    if (auto work = map.quantity("operations", Measure::Operations)) {
        if (step.operations)
            context.error(map.map(), map.field("operations"), "operations are given twice");
        step.operations = std::move(work);
    }
    step.bytes = map.quantity("bytes", Measure::Size);
}

void readMessage(const MapReader& map, std::string_view kind, std::string_view side, Step& step)
{
    step.bytes = map.quantity(kind, Measure::Size);
    map.required(side);
    step.peer = map.text(side).value_or("0");
    if (!isPeer(step.peer)) {
        map.error(side, "\"" + step.peer + "\" is not possible here", "a rank such as 3, or a difference such as +8 or -8");
        step.peer = "0";
    }
    step.tag = static_cast<std::uint32_t>(map.integer("tag", 0, UINT32_MAX).value_or(0));
}

Step readStep(FieldContext& context, const YamlNode& node, const std::string& field)
{
    Step step;
    step.place = context.document.place(node, field);
    const std::vector<std::string_view> common{"name", "after", "ranks", "output", "scratch", "uses", "priority"};
    std::vector<std::string_view> known = common;
    const StepKind* found = nullptr;
    int kinds = 0;
    for (const StepKind& kind : stepKinds()) {
        known.push_back(kind.key);
        if (node.isMap() && node.find(kind.key)) {
            found = &kind;
            ++kinds;
        }
    }
    if (kinds == 1) {
        known = found->kind == Step::Kind::Repeat ? std::vector<std::string_view>{} : common;
        known.push_back(found->key);
        known.insert(known.end(), found->others.begin(), found->others.end());
    }
    MapReader map(context, node, field, known);
    if (!node.isMap())
        return step;
    if (kinds != 1) {
        context.error(node, field, kinds == 0 ? "nothing says what this step does" : "this step does more than one thing",
                      "one of compute, collective, send, receive, load, store, repeat");
        return step;
    }
    step.kind = found->kind;
    step.name = map.text("name").value_or("");
    if (step.name.size() > kMaxLabel)
        map.error("name", "this name is too long", "at most " + std::to_string(kMaxLabel) + " bytes");
    const auto readLabels = [&](std::string_view key, std::vector<std::string>& labels) {
        const YamlNode* list = map.node(key);
        if (list && list->isScalar())
            labels.push_back(list->text);
        else if (list)
            for (const auto& [item, itemField] : map.list(key))
                labels.push_back(readText(context, *item, itemField).value_or(""));
        return list != nullptr;
    };
    if (step.kind != Step::Kind::Repeat) {
        step.afterGiven = readLabels("after", step.after);
        readLabels("uses", step.uses);
        step.output = map.quantity("output", Measure::Size);
        step.scratch = map.quantity("scratch", Measure::Size);
        step.priority = map.integer32("priority", -kMaxPriority, kMaxPriority).value_or(0);
    }
    if (const auto ranks = map.text("ranks")) {
        auto set = RankSet::parse(*ranks);
        if (set)
            step.ranks = std::move(set).value();
        else
            map.error("ranks", set.error().message, set.error().expected);
    }
    switch (step.kind) {
    case Step::Kind::Compute:
        readCompute(context, map, step);
        break;
    case Step::Kind::Collective:
        step.op = map.choice<CollectiveOp>("collective", collectiveChoices()).value_or(CollectiveOp::AllReduce);
        map.required("size");
        step.bytes = map.quantity("size", Measure::Size);
        step.group = map.text("group").value_or("");
        break;
    case Step::Kind::Send:
        readMessage(map, "send", "to", step);
        break;
    case Step::Kind::Receive:
        readMessage(map, "receive", "from", step);
        break;
    case Step::Kind::Load:
    case Step::Kind::Store:
        step.bytes = map.quantity(found->key, Measure::Size);
        step.group = map.text("gather").value_or("");
        break;
    case Step::Kind::Repeat:
        step.times = map.integer32("repeat", 1, kMaxInt).value_or(1);
        map.required("steps");
        step.steps = readSteps(context, map, "steps");
        break;
    }
    return step;
}

std::vector<Step> readSteps(FieldContext& context, const MapReader& map, std::string_view key)
{
    std::vector<Step> steps;
    for (const auto& [item, field] : map.list(key))
        steps.push_back(readStep(context, *item, field));
    return steps;
}

TraceWorkload readTrace(const MapReader& map)
{
    TraceWorkload trace;
    trace.prefix = map.text("trace").value_or("");
    if (trace.prefix.empty())
        map.error("trace", "the prefix of the trace files is empty", "PREFIX of files PREFIX.RANK.et");
    trace.commGroups = map.text("comm_groups").value_or("");
    trace.ctrlDeps = map.choice<CtrlDeps>("ctrl_deps", {{"auto", CtrlDeps::Auto}, {"use", CtrlDeps::Use}, {"ignore", CtrlDeps::Ignore}}).value_or(CtrlDeps::Auto);
    trace.bytesPerElement = map.integer32("bytes_per_element", 1, 1024).value_or(1);
    return trace;
}

using OneWorkload = std::variant<std::monostate, TraceWorkload, StepsWorkload, SingleCollective>;

/// Trace, steps or collective. `others`: keys of the same mapping that somebody else reads.
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
    const auto more = [&](std::initializer_list<std::string_view> keys) { known.insert(known.end(), keys); };
    if (kinds != 1 || given == "trace")
        more({"comm_groups", "ctrl_deps", "bytes_per_element"});
    if (kinds != 1 || given == "steps")
        more({"groups"});
    if (kinds != 1 || given == "collective")
        more({"size"});
    for (const std::string_view later : {"model", "plan"}) {
        if (!node.isMap() || !node.find(later))
            continue;
        more({later});
        context.error(node.find(later)->value, field + "." + std::string(later), "\"" + std::string(later) + "\" is not possible yet", "one of trace, steps, collective", ErrorCode::Unsupported);
    }
    MapReader map(context, node, field, known);
    if (!node.isMap())
        return {};
    if (kinds != 1) {
        context.error(node, field, kinds == 0 ? "nothing says what runs" : given + " are given together", "one of trace, steps, collective");
        return {};
    }
    if (given == "trace")
        return readTrace(map);
    if (given == "steps") {
        StepsWorkload steps;
        for (const auto& [item, itemField] : map.list("groups"))
            steps.groups.push_back(readGroup(context, *item, itemField));
        steps.steps = readSteps(context, map, "steps");
        return steps;
    }
    SingleCollective single;
    single.op = map.choice<CollectiveOp>("collective", collectiveChoices()).value_or(CollectiveOp::AllReduce);
    map.required("size");
    single.size = map.quantity("size", Measure::Size).value_or(Quantity{0, "B", Measure::Size});
    return single;
}

/// Jobs with their placement, which goes to Design::jobs.
JobsWorkload readJobs(DesignReading& reading, const YamlNode& node)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "workload", {"jobs"});
    JobsWorkload jobs;
    if (!reading.design.jobs.empty())
        map.error("jobs", "platform.placement and workload.jobs both say where the ranks run", "one of them");
    reading.design.jobs.clear();
    for (const auto& [item, field] : map.list("jobs")) {
        const std::vector<std::string_view> placementKeys{"name", "ranks", "first_node", "stride", "nodes"};
        jobs.jobs.push_back({readOneWorkload(context, *item, field, placementKeys)});
        Placement::Job job;
        if (item->isMap()) {
            std::vector<std::string_view> all;
            for (const YamlEntry& entry : item->entries)
                all.push_back(entry.key); // what is unknown has been reported
            job = readPlacedJob(context, MapReader(context, *item, field, all));
        }
        for (const Placement::Job& other : reading.design.jobs) {
            if (!job.name.empty() && other.name == job.name)
                context.error(*item, field + ".name", "a second job is called \"" + job.name + "\"", "a name of its own");
        }
        reading.design.jobs.push_back(std::move(job));
    }
    if (jobs.jobs.empty())
        map.error("jobs", "there are no jobs", "a list of jobs");
    return jobs;
}

} // namespace

std::vector<std::pair<std::string_view, CollectiveOp>> collectiveChoices()
{
    std::vector<std::pair<std::string_view, CollectiveOp>> choices;
    for (const CollectiveOp op : kDesignCollectives)
        choices.emplace_back(collectiveKey(op), op);
    return choices;
}

void readWorkloadSection(DesignReading& reading, const YamlNode& node)
{
    WorkloadSpec spec;
    if (node.isMap() && node.find("jobs"))
        spec = readJobs(reading, node);
    else
        spec = std::visit([](auto&& one) { return WorkloadSpec(std::move(one)); }, readOneWorkload(reading.fields, node, "workload", {}));
    if (std::holds_alternative<std::monostate>(spec))
        return;
    reading.design.workload = std::make_shared<const WorkloadSpec>(std::move(spec));
}

} // namespace fabricscope
