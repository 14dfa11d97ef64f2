#include "core/planner/placefile.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/model/graph/readgraph.h"
#include "core/planner/modelgraphs.h"
#include "core/planner/placecluster.h"
#include "core/planner/placedops.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostBatch = std::int64_t{1} << 40;

ElementType typeOfBytes(const MapReader& place)
{
    const auto bytes = place.integer("dtype_bytes", 1, 8).value_or(4);
    switch (bytes) {
    case 8:
        return ElementType::Fp64;
    case 4:
        return ElementType::Fp32;
    case 2:
        return ElementType::Bf16;
    case 1:
        return ElementType::Fp8;
    default:
        place.error("dtype_bytes", std::to_string(bytes) + " bytes are no element", "1, 2, 4 or 8");
        return ElementType::Fp32;
    }
}

/// Shapes of a mapping say "batch" where samples are counted.
void noteBatchDims(const YamlNode& tensors, const OpGraph& graph, PlacedGraphNotes& notes)
{
    for (const YamlEntry& entry : tensors.entries) {
        const YamlEntry* shape = entry.value.isMap() ? entry.value.find("shape") : nullptr;
        const YamlNode& dims = shape ? shape->value : entry.value;
        const auto id = graph.find(entry.key);
        for (std::size_t dim = 0; id && dim < dims.items.size(); ++dim) {
            if (dims.items[dim].isScalar() && dims.items[dim].text == "batch")
                notes.batchDims.emplace(*id, static_cast<int>(dim));
        }
    }
}

/// Reads inputs, parameters and ops into the graph.
class GraphSection {
public:
    GraphSection(const MapReader& place, PlacementProblem& problem) : m_place(place), m_problem(problem) {}

    void read()
    {
        m_options.type = typeOfBytes(m_place);
        m_options.flops = true;
        if (const auto batch = m_place.integer("batch", 1, kMostBatch))
            m_options.symbols.emplace("batch", *batch);
        if (m_place.has("model")) {
            if (readModel())
                finish();
            return;
        }
        const YamlNode* inputs = m_place.required("inputs");
        const YamlNode* ops = m_place.required("ops");
        if (!inputs || !ops || !readGraphTensors(m_place.context(), *inputs, m_place.field("inputs"), m_options, m_graph))
            return;
        noteBatchDims(*inputs, m_graph, m_notes);
        if (const YamlNode* parameters = m_place.node("parameters")) {
            const std::size_t before = m_graph.tensors.size();
            if (!readGraphTensors(m_place.context(), *parameters, m_place.field("parameters"), m_options, m_graph))
                return;
            for (std::size_t id = before; id < m_graph.tensors.size(); ++id)
                m_notes.parameters.insert(static_cast<TensorId>(id));
        }
        if (!readGraphOps(m_place.context(), *ops, m_place.field("ops"), m_options, m_graph))
            return;
        if (m_graph.ops.empty())
            return m_place.error("ops", "no ops", "at least one");
        finish();
    }

private:
    bool readModel()
    {
        for (const std::string_view key : {"inputs", "parameters", "ops"}) {
            if (m_place.has(key))
                m_place.error(key, "model and " + std::string(key) + " both say what is computed", "one of them");
        }
        const YamlNode* node = m_place.required("model");
        const auto batch = m_options.symbols.find("batch");
        if (batch == m_options.symbols.end()) {
            static_cast<void>(m_place.required("batch"));
            return false;
        }
        auto model = node ? readModelGraph(m_place.context(), *node, m_place.field("model"), batch->second, m_options.type, m_problem.cluster.devices()) : std::nullopt;
        if (!model)
            return false;
        m_graph = std::move(model->graph);
        m_notes = std::move(model->notes);
        return true;
    }

    void finish()
    {
        Result<PlacedGraph> placed = placedGraphOf(m_graph, m_notes);
        if (!placed)
            return m_place.error("ops", placed.error().message, placed.error().expected, placed.error().code);
        m_problem.graph = std::move(placed).value();
        readFixed();
        readSegments();
    }

    std::optional<Property> propertyOf(const YamlNode& node, const std::string& field, const GraphTensor& tensor)
    {
        FieldContext& context = m_place.context();
        if (node.isScalar() && node.text == "identity")
            return Property::identity();
        if (node.isScalar() && node.text == "reduce" && tensor.producer >= 0)
            return Property::reduce();
        if (!node.isMap()) {
            context.error(node, field, "this is no property of " + tensor.name, tensor.producer >= 0 ? "{gather: DIM}, identity or reduce" : "{gather: DIM} or identity");
            return std::nullopt;
        }
        const MapReader map(context, node, field, {"gather"});
        if (!map.required("gather"))
            return std::nullopt;
        const auto dim = map.integer("gather", 0, static_cast<std::int64_t>(tensor.shape.size()) - 1);
        if (!dim)
            return std::nullopt;
        if (tensor.shape[at(*dim)] == 1) {
            map.error("gather", "dimension " + std::to_string(*dim) + " of " + tensor.name + " has one element, which no devices share");
            return std::nullopt;
        }
        return Property::gather(static_cast<int>(*dim));
    }

    void readFixed()
    {
        const YamlNode* node = m_place.node("fixed");
        if (!node)
            return;
        if (!node->isMap())
            return m_place.error("fixed", "a mapping of tensors to properties is needed here", "such as {x: {gather: 0}}");
        for (const YamlEntry& entry : node->entries) {
            const std::string field = m_place.field("fixed") + "." + entry.key;
            const auto id = m_graph.find(entry.key);
            if (!id) {
                m_place.context().error(entry.value, field, "no tensor is named " + entry.key);
                continue;
            }
            if (const auto property = propertyOf(entry.value, field, m_graph.tensor(*id)))
                m_problem.theory.fixed.emplace(*id, *property);
            // What was fixed where it is made may be needed elsewhere in another form.
            if (const OpId producer = m_graph.tensor(*id).producer; producer >= 0)
                m_problem.graph.ops[at(producer)].movable = true;
        }
    }

    void readSegments()
    {
        constexpr int kMostSegments = 64;
        std::vector<bool> begins(m_graph.ops.size(), false);
        for (const auto& [item, field] : m_place.list("segments")) {
            const auto name = readText(m_place.context(), *item, field);
            const auto id = name ? m_graph.find(*name) : std::nullopt;
            if (id && m_graph.tensor(*id).producer > 0)
                begins[at(m_graph.tensor(*id).producer)] = true;
            else if (name)
                m_place.context().error(*item, field, "no segment can begin with " + *name, "the name of an op that is not the first");
        }
        int segment = 0;
        for (std::size_t op = 0; op < begins.size(); ++op) {
            segment += begins[op] ? 1 : 0;
            m_problem.segmentOf.push_back(segment);
        }
        m_problem.segments = segment + 1;
        if (m_problem.segments > 1 && m_problem.segments <= kMostSegments)
            m_problem.copyBetweenSegments();
        if (m_problem.segments > kMostSegments)
            m_place.error("segments", std::to_string(m_problem.segments) + " segments", "at most " + std::to_string(kMostSegments));
    }

    const MapReader& m_place;
    PlacementProblem& m_problem;
    GraphReadOptions m_options;
    OpGraph m_graph;
    PlacedGraphNotes m_notes;
};

void readRules(const MapReader& place, TheoryOptions& theory)
{
    theory.backward = place.boolean("count_backward").value_or(true);
    // Two moments, one, or none in FP32, and a copy of parameters that are not; as many bytes as a parameter has: its gradient.
    const std::int64_t bytes = place.integer("dtype_bytes", 1, 8).value_or(4);
    const auto numbers = place.choice<int>("optimizer", {{"none", 0}, {"sgd", 0}, {"momentum", 1}, {"adam", 2}});
    const bool copies = place.has("optimizer") && place.text("optimizer") != "none" && bytes < 4;
    theory.optimizerBytes = 4.0 * (numbers.value_or(0) + (copies ? 1 : 0)) / static_cast<double>(bytes);
    if (numbers.value_or(0) > 0 && !theory.backward)
        place.error("optimizer", "without a backward pass there are no states of an optimiser", "count_backward: true, or optimizer: none");
    const YamlNode* node = place.node("rules");
    if (!node)
        return;
    const MapReader map(place.context(), *node, place.field("rules"), {"row_parallel", "sufficient_factor"});
    theory.rowParallel = map.boolean("row_parallel").value_or(true);
    theory.sufficientFactor = map.boolean("sufficient_factor").value_or(true);
}

void readPlaceSection(FieldContext& context, const YamlNode& node, PlaceFile& file)
{
    const bool phases = node.isMap() && node.find("phases");
    const MapReader place(context, node, "place",
        phases ? std::vector<std::string_view>{"phases", "bytes_held", "cluster", "ratios"}
               : std::vector<std::string_view>{"batch", "dtype_bytes", "inputs", "parameters", "ops", "model", "cluster", "rules", "fixed", "ratios", "count_backward", "optimizer", "segments", "phases"});
    if (!node.isMap())
        return;
    PlacementProblem& problem = file.problem;
    file.platform = readPlaceCluster(place, problem.cluster);
    if (context.hasErrors())
        return;
    readPlaceRatios(place, problem);
    if (phases)
        return readPlacePhases(place, problem, !file.platform);
    readRules(place, problem.theory);
    GraphSection(place, problem).read();
}

} // namespace

Result<PlaceFile> readPlaceFile(const YamlDocument& document, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<PlaceFile> {
        FieldContext context(document, stop);
        PlaceFile file;
        const MapReader top(context, document.root(), "", {"fabricscope", "name", "notes", "place"});
        if (top.required("fabricscope"))
            static_cast<void>(top.integer("fabricscope", 1, 1));
        file.name = top.text("name").value_or("");
        if (const YamlNode* place = top.required("place"))
            readPlaceSection(context, *place, file);
        if (context.hasErrors())
            return *context.firstError();
        return file;
    });
}

} // namespace fabricscope
