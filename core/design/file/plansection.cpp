// workload.plan: how a model is spread over ranks.
#include "core/design/file/plansection.h"

#include "core/base/decimal.h"
#include "core/base/files/textfile.h"
#include "core/design/file/modelspectree.h"
#include "core/model/readmodel.h"
#include "core/platform/platform.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"
#include "core/sharding/shardproblem.h"

namespace fabricscope {

namespace {

constexpr std::int64_t kMostMicroBatches = std::int64_t{1} << 20;
constexpr std::int64_t kMostLayersOfAStage = std::int64_t{1} << 16;
constexpr KeyTable<PlanMesh::Order, 2> kMeshOrders{{{"row_major", PlanMesh::Order::RowMajor}, {"column_major", PlanMesh::Order::ColumnMajor}}};
constexpr KeyTable<ExpertPlan::Dispatch, 2> kDispatches{{{"capacity", ExpertPlan::Dispatch::Capacity}, {"dropless", ExpertPlan::Dispatch::Dropless}}};
constexpr KeyTable<ContextPlan::Kind, 2> kContextKinds{{{"ring", ContextPlan::Kind::Ring}, {"ulysses", ContextPlan::Kind::Ulysses}}};

std::vector<std::string> textsOf(const MapReader& map, std::string_view key)
{
    std::vector<std::string> texts;
    for (const auto& [item, field] : map.list(key))
        texts.push_back(readText(map.context(), *item, field).value_or(""));
    return texts;
}

YamlNode textsTree(const std::vector<std::string>& texts)
{
    YamlNode list = YamlNode::sequence();
    for (const std::string& text : texts)
        list.items.push_back(YamlNode::scalar(text));
    return list;
}

/// Names of axes; written where one is in it.
SectionField<PlanMesh> axesField(const char* text)
{
    return {"axes", text, [](const MapReader& map, PlanMesh& mesh) { mesh.axes = textsOf(map, "axes"); },
            [](MapBuilder& map, const PlanMesh& mesh, const Writing&) { map.addFilled("axes", textsTree(mesh.axes)); }, [](const PlanMesh&, const auto&) {}, {}};
}

/// A word, or the axes one by one.
SectionField<PlanMesh> orderField(const char* text)
{
    return {"order", text,
            [](const MapReader& map, PlanMesh& mesh) {
                const YamlNode* node = map.node("order");
                if (node && node->isSequence()) {
                    mesh.order = PlanMesh::Order::Listed;
                    mesh.slowestFirst = textsOf(map, "order");
                } else if (node) {
                    mesh.order = map.choice<PlanMesh::Order>("order", {kMeshOrders.begin(), kMeshOrders.end()}).value_or(mesh.order);
                }
            },
            [](MapBuilder& map, const PlanMesh& mesh, const Writing&) {
                if (mesh.order == PlanMesh::Order::Listed)
                    map.add("order", textsTree(mesh.slowestFirst));
                else if (mesh.order != PlanMesh::Order::RowMajor)
                    map.add("order", std::string(keyOf(kMeshOrders, mesh.order)));
            },
            [](const PlanMesh&, const auto&) {}, {}};
}

/// True or false; written where it is false.
template <class Config>
SectionField<Config> usuallyTrue(const char* key, bool Config::* member, const char* text)
{
    return {key, text, [key, member](const MapReader& map, Config& config) { config.*member = map.boolean(key).value_or(true); },
            [key, member](MapBuilder& map, const Config& config, const Writing&) {
                if (!(config.*member))
                    map.add(key, "false");
            },
            [](const Config&, const auto&) {}, {}};
}

/// The name of an axis; written where it is not the usual one.
template <class Config>
SectionField<Config> axisNameField(const char* key, std::string Config::* member, const char* text)
{
    return written(saidText(key, member, text), [key, member, usual = Config{}.*member](MapBuilder& map, const Config& config, const Writing&) {
        if (config.*member != usual)
            map.add(key, config.*member);
    });
}

/// A number of at least `least`; written where it is not the usual one.
template <class Config>
SectionField<Config> decimalField(const char* key, double Config::* member, double least, double most, const char* expected, const char* text)
{
    return {key, text, [key, member](const MapReader& map, Config& config) { config.*member = map.number(key, 0).value_or(config.*member); },
            [key, member, usual = Config{}.*member](MapBuilder& map, const Config& config, const Writing&) {
                if (config.*member != usual)
                    map.add(key, decimal(config.*member));
            },
            [key, member, least, most, expected](const Config& config, const auto& tell) {
                if (!(config.*member >= least) || !(config.*member <= most))
                    tell(key, decimal(config.*member) + " is not possible here", expected);
            },
            {}};
}

} // namespace

const SectionFields<PlanMesh>& planMeshFields()
{
    using Config = PlanMesh;
    static const SectionFields<Config> fields{
        required(axesField("names of the axes of the grid of ranks")),
        required(wholesField("shape", &Config::shape, 1, kMaxNpus, "ranks along each")),
        orderField("row_major: the last axis has the neighbouring ranks; column_major: the first one; or the axes, that one last"),
        wholesField("device_order", &Config::deviceOrder, 0, kMaxNpus - 1, "the rank at every place of the grid, where that is not its number"),
    };
    return fields;
}

const SectionFields<DataPlan>& dataPlanFields()
{
    using Config = DataPlan;
    static const SectionFields<Config> fields{
        axisNameField("axis", &Config::axis, ""),
        wholeField("zero", &Config::zero, 0, 3, "split over the axis: 1 optimizer, 2 gradients too, 3 parameters too (FSDP)"),
        decimalField("bucket_mb", &Config::bucketMb, 1e-6, 1e9, "more than 0, in 10^6 bytes", "gradients of one collective, in 10^6 bytes"),
        usuallyTrue("overlap", &Config::overlap, "collectives of gradients run beside the backward pass"),
        wholeField("unit", &Config::unit, 1, kMostLayersOfAStage, "zero 3: layers gathered together"),
        wholeField("prefetch", &Config::prefetch, 0, kMostLayersOfAStage, "zero 3: units gathered ahead"),
        usuallyTrue("reshard", &Config::reshard, "zero 3: gathered again for the backward pass"),
        wholeField("shard", &Config::shard, 1, kMaxNpus, "ranks that share one set of states, with copies across (hybrid); usually all of the axis"),
    };
    return fields;
}

const SectionFields<TensorPlan>& tensorPlanFields()
{
    using Config = TensorPlan;
    static const SectionFields<Config> fields{
        axisNameField("axis", &Config::axis, ""),
        flagField("sequence_parallel", &Config::sequenceParallel, "norms and residuals are split over the sequence"),
        usuallyTrue("vocabulary_parallel", &Config::vocabularyParallel, "false: embedding and logits are whole on every rank"),
    };
    return fields;
}

const SectionFields<StageTimes>& stageTimesFields()
{
    using Config = StageTimes;
    static const SectionFields<Config> fields{
        required(quantityField("forward", &Config::forward, Measure::Time, "")),
        required(quantityField("backward", &Config::backward, Measure::Time, "")),
        givenQuantity("weight", &Config::weight, Measure::Time, "splits off the weight gradient"),
        givenQuantity("together", &Config::together, Measure::Time, "dualpipe: a forward and a backward as one operation"),
    };
    return fields;
}

const SectionFields<PipelinePlan>& pipelinePlanFields()
{
    using Config = PipelinePlan;
    static const SectionFields<Config> fields{
        axisNameField("axis", &Config::axis, ""),
        wordField("schedule", &Config::schedule, kPipelineSchedules, "gpipe, 1f1b, interleaved, zb_h1, zb_h2, zb_v, dualpipe, dualpipe_v",
                  +[](const Config&) { return PipelineSchedule::OneForwardOneBackward; }),
        wholeField("virtual", &Config::virtualStages, 1, 1 << 16, "chunks of layers on every rank (interleaved)"),
        givenField("micro_batches", &Config::microBatches, "of a step and replica; usually global_batch / (data * micro_batch)",
                   [](const MapReader& map, const char* of) { return map.integer(of, 1, kMostMicroBatches); }, [](std::int64_t value) { return std::to_string(value); }),
        givenQuantity("send", &Config::send, Measure::Size, "without a model: per boundary and micro-batch"),
        listField("times", &Config::times, stageTimesFields, "without a model: one per stage, the whole stage"),
        wholesField("layers", &Config::layers, 0, kMostLayersOfAStage, "of every stage; usually as even as can be"),
    };
    return fields;
}

const SectionFields<ExpertPlan>& expertPlanFields()
{
    using Config = ExpertPlan;
    static const SectionFields<Config> fields{
        axisNameField("axis", &Config::axis, "of the mesh, or ranks next to each other along another"),
        axisNameField("inside", &Config::inside, "the axis of data it belongs to"),
        wholeField("degree", &Config::degree, 1, kMaxNpus, "ranks along `inside` that share the experts, where the mesh has no such axis; usually all"),
        wordField("dispatch", &Config::dispatch, kDispatches, "capacity, dropless"),
        decimalField("imbalance", &Config::imbalance, 1, 1e6, "at least 1", "dropless: load of the fullest rank over the mean"),
    };
    return fields;
}

const SectionFields<ContextPlan>& contextPlanFields()
{
    using Config = ContextPlan;
    static const SectionFields<Config> fields{
        axisNameField("axis", &Config::axis, ""),
        wordField("kind", &Config::kind, kContextKinds, "ring, ulysses"),
    };
    return fields;
}

const SectionFields<InferencePlan>& inferencePlanFields()
{
    using Config = InferencePlan;
    constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
    constexpr std::int64_t kMostSequences = std::int64_t{1} << 20;
    static const SectionFields<Config> fields{
        wholeField("batch", &Config::batch, 1, kMostSequences, "sequences of a replica at once"),
        wholeField("prompt", &Config::prompt, 1, kMostTokens, "tokens of each; usually seq of the model"),
        wholeField("output", &Config::output, 1, 1 << 20, "new tokens of each, the first of them out of the prompt"),
        wholeField("chunk", &Config::chunk, 1, kMostTokens, "tokens of a prompt that go through at once; usually all"),
        wholeField("decode_steps", &Config::decodeSteps, 1, 1 << 20, "simulated at evenly spread lengths; usually all, output - 1"),
        wholeField("prefill_replicas", &Config::prefillReplicas, 1, kMaxNpus, "the first replicas along data only prefill and send keys and values to the others; usually all do both"),
    };
    return fields;
}

namespace {

/// Missing where nothing says that there is none.
SectionField<PlanSpec> meshField(const char* text)
{
    SectionField<PlanSpec> mesh = partField("mesh", &PlanSpec::mesh, planMeshFields, text);
    mesh.read = [read = std::move(mesh.read)](const MapReader& map, PlanSpec& plan) {
        if (!map.has("placement"))
            static_cast<void>(map.required("mesh"));
        read(map, plan);
    };
    return mesh;
}

} // namespace

const SectionFields<PlanSpec>& planFields()
{
    using Config = PlanSpec;
    static const SectionFields<Config> fields{
        wordField("placement", &Config::placement, kPlanPlacements, "mesh: as the sections below say; hap: searched for ranks of different speed (manual placement), without any of them"),
        meshField("the grid of ranks; absent sections: as usual, along an axis dp, tp, pp, ep or cp if there is one"),
        givenPart("data", &Config::data, dataPlanFields, "copies that share the batch"),
        givenPart("tensor", &Config::tensor, tensorPlanFields, "matrices split over ranks"),
        givenPart("pipeline", &Config::pipeline, pipelinePlanFields, "layers split over ranks"),
        givenPart("expert", &Config::expert, expertPlanFields, "experts split over ranks"),
        givenPart("context", &Config::context, contextPlanFields, "sequences split over ranks"),
        givenPart("inference", &Config::inference, inferencePlanFields, "text is generated instead of a step of training"),
        wordField("recompute", &Config::recompute, kRecomputes, "none, selective (the core of attention), full (whole layers)"),
        written(quantityField("framework", &Config::framework, Measure::Size, "memory that libraries take of every NPU"),
                [](MapBuilder& map, const Config& config, const Writing& how) {
                    if (how.form == DesignForm::Canonical || !(config.framework == Config{}.framework))
                        map.add("framework", config.framework);
                }),
    };
    return fields;
}

namespace {

/// What stands for a model and a plan; it is a mapping or the name of a file, read and written as a whole.
const SectionFields<PlanGraph>& shardedFields()
{
    static const SectionFields<PlanGraph> fields{besideField<PlanGraph>("shard", "an op graph over a mesh of the ranks, as a mapping or the name of a file with a section shard")};
    return fields;
}

/// A section `shard`, here or in a file of its own.
void readShardedWorkload(DesignReading& reading, const YamlNode& node)
{
    const MapReader map(reading.fields, node, "workload", keysOf(shardedFields()));
    const YamlNode* section = map.required(shardedFields().front().key);
    if (!section)
        return;
    PlanGraph graph;
    std::optional<ShardProblem> problem;
    if (section->isMap()) {
        graph.section = *section;
        problem = readShardSection(reading.fields, *section, map.field("shard"));
    } else if (const auto path = reading.openable(map, shardedFields().front().key)) {
        graph.file = section->text;
        const auto text = readTextFile(*path);
        auto read = text ? readShardText(text.value(), *path, {}, reading.stop) : Result<ShardProblem>(text.error());
        if (!read)
            return reading.report(*section, map.field("shard"), read.error());
        problem = std::move(read).value();
        if (const auto document = YamlDocument::parse(text.value(), *path, reading.stop); document)
            graph.section = document.value().root().find("shard")->value;
    }
    if (!problem)
        return;
    graph.problem = std::move(*problem);
    PlanSpec spec;
    spec.graph = std::make_shared<const PlanGraph>(std::move(graph));
    reading.design.workload = std::make_shared<const WorkloadSpec>(PlannedWorkload{nullptr, std::make_shared<const PlanSpec>(std::move(spec))});
}

/// What `placement` leaves to say: a mesh, or nothing.
void checkPlanSections(FieldContext& context, const YamlNode& plan, const std::string& field, const PlanSpec& spec)
{
    if (!plan.isMap())
        return;
    const bool hap = spec.placement == PlanPlacement::Hap;
    if (!hap && plan.find("placement") && !plan.find("mesh"))
        return context.error(plan, field, "\"mesh\" is missing");
    for (const char* section : {"mesh", "data", "tensor", "pipeline", "expert", "context", "recompute", "inference"}) {
        if (const YamlEntry* given = hap ? plan.find(section) : nullptr)
            context.error(given->value, field + '.' + section, std::string(section) + " is decided by placement: hap", "no " + std::string(section) + ", or placement: mesh");
    }
}

} // namespace

void readPlannedWorkload(DesignReading& reading, const YamlNode& node)
{
    if (node.find("shard") && !node.find("model") && !node.find("plan"))
        return readShardedWorkload(reading, node);
    const std::vector<std::string_view> keys{"model", "plan"};
    const MapReader map(reading.fields, node, "workload", keys);
    PlannedWorkload planned;
    if (const YamlNode* plan = map.required("plan")) {
        PlanSpec spec;
        readFields(reading.fields, *plan, map.field("plan"), planFields(), spec);
        checkPlanSections(reading.fields, *plan, map.field("plan"), spec);
        planned.plan = std::make_shared<const PlanSpec>(std::move(spec));
    }
    if (const YamlNode* model = map.node("model")) {
        std::optional<ModelSpec> spec = readModel(reading.fields, *model, map.field("model"));
        if (!spec)
            return;
        planned.model = std::make_shared<const ModelSpec>(std::move(*spec));
    }
    if (planned.plan)
        reading.design.workload = std::make_shared<const WorkloadSpec>(std::move(planned));
}

YamlNode plannedTree(const PlannedWorkload& planned, const Writing& how)
{
    MapBuilder map;
    if (const PlanGraph* graph = planned.plan->graph.get()) {
        if (graph->file.empty())
            map.add("shard", graph->section);
        else
            map.add("shard", graph->file);
        return map.take();
    }
    if (planned.model)
        map.add("model", modelSpecTree(*planned.model, how.form));
    map.add("plan", fieldsTree(planFields(), *planned.plan, how));
    return map.take();
}

} // namespace fabricscope
