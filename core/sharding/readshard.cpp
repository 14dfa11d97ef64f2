#include "core/base/stop.h"
#include "core/base/integers.h"
#include "core/model/graph/readgraph.h"
#include "core/sharding/shardproblem.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostAxes = 32;
constexpr int kMostPriority = 1000;

class ShardReader {
public:
    ShardReader(FieldContext& context, ShardProblem& problem) : m_context(context), m_problem(problem) {}

    void read(const MapReader& map)
    {
        mesh(map);
        if (m_context.hasErrors())
            return;
        graph(map);
        if (m_context.hasErrors())
            return;
        for (const auto& [item, field] : map.list("annotations"))
            annotation(*item, field);
        wanted(map);
        options(map);
    }

private:
    void mesh(const MapReader& map)
    {
        const YamlNode* node = map.required("mesh");
        if (!node)
            return;
        if (!node->isMap() || node->entries.empty())
            return m_context.error(*node, map.field("mesh"), "a mapping of axes to sizes is needed here", "such as {x: 4, y: 2}");
        std::int64_t devices = 1;
        const YamlNode* order = map.node("device_order");
        for (const YamlEntry& entry : node->entries) {
            const std::string field = map.field("mesh") + "." + entry.key;
            if (entry.key == "device_order") {
                order = &entry.value;
                continue;
            }
            const auto size = readInteger(m_context, entry.value, field, 1, Mesh::kMaxDevices);
            if (!size)
                continue;
            if (entry.key.empty() || entry.key.find(':') != std::string::npos)
                m_context.error(entry.value, field, "an axis cannot have this name", "a name without \":\"");
            devices *= *size;
            if (devices > Mesh::kMaxDevices || m_problem.mesh.axes.size() >= kMostAxes)
                return m_context.error(entry.value, field, "the mesh is too large", "at most 2^24 devices and 32 axes");
            m_problem.mesh.axes.push_back({entry.key, *size});
        }
        if (order && !m_context.hasErrors())
            deviceOrder(*order, devices, map.field("device_order"));
    }

    void deviceOrder(const YamlNode& node, std::int64_t devices, const std::string& field)
    {
        if (!node.isSequence() || static_cast<std::int64_t>(node.items.size()) != devices)
            return m_context.error(node, field, "is no order of " + std::to_string(devices) + " devices", "every device once");
        std::vector<char> seen(static_cast<std::size_t>(devices), 0);
        for (const YamlNode& item : node.items) {
            const auto id = readInteger(m_context, item, field, 0, devices - 1);
            if (!id)
                return;
            if (seen[static_cast<std::size_t>(*id)]++)
                return m_context.error(item, field, "device " + std::to_string(*id) + " stands twice", "every device once");
            m_problem.mesh.deviceOrder.push_back(static_cast<std::int32_t>(*id));
        }
    }

    void graph(const MapReader& map)
    {
        GraphReadOptions options;
        std::vector<std::pair<std::string_view, ElementType>> types(kElementTypes.begin(), kElementTypes.end());
        options.type = map.choice<ElementType>("dtype", types).value_or(ElementType::Fp32);
        if (const YamlNode* tensors = map.required("tensors"); tensors && !m_context.hasErrors())
            readGraphTensors(m_context, *tensors, map.field("tensors"), options, m_problem.graph);
        if (const YamlNode* ops = map.node("ops"); ops && !m_context.hasErrors())
            readGraphOps(m_context, *ops, map.field("ops"), options, m_problem.graph);
    }

    std::optional<AxisPart> axis(const YamlNode& node, const std::string& field)
    {
        const auto text = readText(m_context, node, field);
        if (!text)
            return std::nullopt;
        const std::size_t colon = text->find(':');
        const std::string name = text->substr(0, colon);
        std::vector<std::string_view> names;
        std::int32_t index = -1;
        for (std::size_t i = 0; i < m_problem.mesh.axes.size(); ++i) {
            names.push_back(m_problem.mesh.axes[i].name);
            if (names.back() == name)
                index = static_cast<std::int32_t>(i);
        }
        if (index < 0) {
            m_context.error(node, field, "no axis is named " + name, "one of " + nearestOf(name, names));
            return std::nullopt;
        }
        AxisPart part = wholeAxis(m_problem.mesh, index);
        if (colon == std::string::npos)
            return part;
        const std::int64_t whole = part.size;
        const std::size_t close = text->find(')', colon);
        if (text->compare(colon, 2, ":(") != 0 || close == std::string::npos || !number(text->substr(colon + 2, close - colon - 2), part.pre) || !number(text->substr(close + 1), part.size)
            || part.pre > whole || part.size > whole || whole % (part.pre * part.size) != 0) {
            m_context.error(node, field, "\"" + *text + "\" is no part of axis " + name + " of size " + std::to_string(whole), "such as " + name + ":(1)" + std::to_string(whole));
            return std::nullopt;
        }
        return part;
    }

    static bool number(const std::string& text, std::int64_t& value)
    {
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        return problem == std::errc{} && end == text.data() + text.size() && value > 0 && value <= Mesh::kMaxDevices;
    }

    /// A list of axes, none of which overlaps what is in `used`.
    AxisList axes(const YamlNode& node, const std::string& field, AxisList& used)
    {
        AxisList list;
        const std::vector<YamlNode> alone = node.isScalar() ? std::vector{node} : std::vector<YamlNode>{};
        if (!node.isSequence() && !node.isScalar()) {
            m_context.error(node, field, "a list of axes is needed here", "such as [x]");
            return list;
        }
        for (const YamlNode& item : node.isScalar() ? alone : node.items) {
            const auto part = axis(item, field);
            if (!part)
                continue;
            if (overlap(used, *part)) {
                m_context.error(item, field, "axis " + axisText(m_problem.mesh, *part) + " is used twice in one tensor", "each axis once");
                continue;
            }
            used.push_back(*part);
            list.push_back(*part);
        }
        return joined(list);
    }

    std::optional<std::vector<AxisList>> dims(const YamlNode& node, const std::string& field, TensorId tensor, AxisList& used)
    {
        const TensorShape& shape = m_problem.graph.tensor(tensor).shape;
        if (!node.isSequence() || node.items.size() != shape.size()) {
            m_context.error(node, field, "a list of axes is needed for each dim of " + m_problem.graph.tensor(tensor).name + " " + shapeText(shape), std::to_string(shape.size()) + " lists");
            return std::nullopt;
        }
        std::vector<AxisList> lists;
        for (std::size_t d = 0; d < shape.size(); ++d)
            lists.push_back(axes(node.items[d], field + "[" + std::to_string(d) + "]", used));
        return lists;
    }

    std::optional<TensorId> tensor(const YamlNode& node, const std::string& name, const std::string& field)
    {
        const auto id = m_problem.graph.find(name);
        if (!id) {
            std::vector<std::string_view> names;
            for (const GraphTensor& known : m_problem.graph.tensors) {
                if (names.size() < 40)
                    names.push_back(known.name);
            }
            m_context.error(node, field, "no tensor is named " + name, "one of " + nearestOf(name, names));
        }
        return id;
    }

    void annotation(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"tensor", "dims", "closed", "priority", "replicated", "unreduced"});
        const YamlNode* named = map.required("tensor");
        const auto name = map.text("tensor");
        const auto id = name ? tensor(*named, *name, map.field("tensor")) : std::nullopt;
        if (!id)
            return;
        if (!m_annotated.insert(*id).second)
            return map.error("tensor", "tensor " + *name + " has two annotations", "one");
        TensorAnnotation note;
        note.tensor = *id;
        note.place = m_context.document.place(node, field);
        const std::size_t count = m_problem.graph.tensor(*id).shape.size();
        AxisList used;
        if (const YamlNode* lists = map.node("dims"))
            note.dims = dims(*lists, map.field("dims"), *id, used);
        if (const YamlNode* list = map.node("unreduced"))
            note.unreduced = axes(*list, map.field("unreduced"), used);
        if (const YamlNode* list = map.node("replicated"))
            note.replicated = axes(*list, map.field("replicated"), used);
        note.closed.assign(count, 0);
        for (const auto& [item, at] : map.list("closed")) {
            if (const auto dim = readInteger(m_context, *item, at, 0, static_cast<std::int64_t>(count) - 1))
                note.closed[static_cast<std::size_t>(*dim)] = 1;
        }
        priorities(map, count, note);
        m_problem.annotations.push_back(std::move(note));
    }

    void priorities(const MapReader& map, std::size_t count, TensorAnnotation& note)
    {
        note.priority.assign(count, 0);
        const YamlNode* node = map.node("priority");
        if (node && node->isSequence()) {
            if (node->items.size() != count)
                return map.error("priority", "has " + std::to_string(node->items.size()) + " entries", "one number, or one per dim");
            for (std::size_t d = 0; d < count; ++d)
                note.priority[d] = static_cast<int>(readInteger(m_context, node->items[d], map.field("priority"), 0, kMostPriority).value_or(0));
        } else if (const auto priority = map.integer("priority", 0, kMostPriority)) {
            note.priority.assign(count, static_cast<int>(*priority));
        }
    }

    void wanted(const MapReader& map)
    {
        const YamlNode* node = map.node("wanted");
        if (!node)
            return;
        if (!node->isMap())
            return map.error("wanted", "a mapping of tensors to layouts is needed here", "such as {c: [[x], []]}");
        for (const YamlEntry& entry : node->entries) {
            const std::string field = map.field("wanted") + "." + entry.key;
            const auto id = tensor(entry.value, entry.key, field);
            AxisList used;
            auto lists = id ? dims(entry.value, field, *id, used) : std::nullopt;
            if (lists)
                m_problem.wanted.push_back({*id, std::move(*lists), m_context.document.place(entry.value, field)});
        }
    }

    void options(const MapReader& map)
    {
        const YamlNode* node = map.node("options");
        if (!node)
            return;
        const MapReader given(m_context, *node, map.field("options"), {"windowed_einsum", "nested", "backward", "regather", "strategy", "turns"});
        ShardOptions& options = m_problem.options;
        options.windowedEinsum = given.boolean("windowed_einsum").value_or(options.windowedEinsum);
        options.nested = given.boolean("nested").value_or(options.nested);
        options.backward = given.boolean("backward").value_or(options.backward);
        options.regather = given.choice<Regather>("regather", {{"none", Regather::None}, {"parameters", Regather::Parameters}, {"all", Regather::All}}).value_or(options.regather);
        options.turns = given.integer("turns", 1, 10'000).value_or(options.turns);
        options.aggressive = given.choice<bool>("strategy", {{"basic", false}, {"aggressive", true}}).value_or(options.aggressive);
    }

    FieldContext& m_context;
    ShardProblem& m_problem;
    std::set<TensorId> m_annotated;
};

Result<ShardProblem> readIt(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, const std::stop_token& stop)
{
    Result<YamlDocument> document = YamlDocument::parse(text, file, stop);
    if (!document)
        return document.error();
    for (const auto& [path, value] : overrides) {
        const bool outer = path.starts_with("shard.") || path == "fabricscope" || path == "shard";
        if (Status status = document.value().overlay(outer ? path : "shard." + path, value, "--set " + path); !status) {
            Error error = std::move(status).error();
            error.place.file = "--set " + path;
            return error;
        }
    }
    FieldContext context(document.value(), stop);
    ShardProblem problem;
    const MapReader root(context, document.value().root(), "", {"fabricscope", "name", "notes", "shard"});
    root.required("fabricscope");
    root.integer("fabricscope", 1, 1);
    if (const YamlNode* section = root.required("shard"); section && !context.hasErrors()) {
        if (auto read = readShardSection(context, *section, "shard"))
            problem = std::move(*read);
    }
    if (context.hasErrors())
        return *context.firstError();
    return problem;
}

} // namespace

std::optional<ShardProblem> readShardSection(FieldContext& context, const YamlNode& section, const std::string& field)
{
    const bool fine = !context.hasErrors();
    ShardProblem problem;
    const MapReader map(context, section, field, {"mesh", "device_order", "dtype", "tensors", "ops", "annotations", "wanted", "options"});
    if (section.isMap() && fine == !context.hasErrors())
        ShardReader(context, problem).read(map);
    return context.hasErrors() ? std::nullopt : std::optional(std::move(problem));
}

bool isShardText(const std::string& text)
{
    const auto document = YamlDocument::parse(text, {});
    return document && document.value().root().isMap() && document.value().root().find("shard") != nullptr;
}

const TensorAnnotation* ShardProblem::annotationOf(TensorId tensor) const
{
    const auto found = std::ranges::find(annotations, tensor, &TensorAnnotation::tensor);
    return found == annotations.end() ? nullptr : &*found;
}

const WantedLayout* ShardProblem::wantedOf(TensorId tensor) const
{
    const auto found = std::ranges::find(wanted, tensor, &WantedLayout::tensor);
    return found == wanted.end() ? nullptr : &*found;
}

Result<ShardProblem> readShardText(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, const std::stop_token& stop)
{
    return untilStopped([&] { return readIt(text, file, overrides, stop); });
}

} // namespace fabricscope
