#include "core/transform/stagereader.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricscope::transform {

namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;
constexpr std::size_t kMostNames = 1000;
constexpr std::size_t kMostOperands = 20'000;

/// What a stage of this operation may say beside name and op.
std::vector<std::string_view> keysOfStage(Op op)
{
    switch (op) {
    case Op::Expr: return {"expr"};
    case Op::Update: return {"target", "expr"};
    case Op::AllReduce: return {"in", "kind"};
    case Op::ReduceScatter: return {"in", "kind", "dim"};
    case Op::Reduce: return {"in", "kind", "root"};
    case Op::ReduceTensor: return {"in", "kind"};
    case Op::Broadcast: return {"in", "root"};
    case Op::Slice:
    case Op::LayerNorm: return {"in", "dim"};
    case Op::Dropout: return {"in", "rate", "seed"};
    case Op::Conv: return {"in", "stride", "pad"};
    case Op::AllGather:
    case Op::Send:
    case Op::MatMul:
    case Op::Norm: return {"in"};
    }
    return {};
}

} // namespace

bool StageReader::checkName(const YamlNode& node, const std::string& name, const std::string& field)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; };
    if (name.empty() || name.size() > 100 || !letter(name.front()) || !std::all_of(name.begin(), name.end(), more)) {
        m_context.error(node, field, "\"" + name.substr(0, 100) + "\" is no name", "letters, digits, _ and . behind a letter, at most 100");
        return false;
    }
    if (m_sizes.contains(name) || m_scalars.contains(name) || m_program.tensor(name) || m_program.stage(name)) {
        m_context.error(node, field, "\"" + name + "\" is used twice", "another name");
        return false;
    }
    return true;
}

bool StageReader::checkName(const YamlEntry& entry, const std::string& field)
{
    YamlNode at = YamlNode::scalar(entry.key);
    at.line = entry.line;
    at.column = entry.column;
    at.origin = entry.value.origin;
    return checkName(at, entry.key, field + '.' + entry.key);
}

void StageReader::readSizes(const MapReader& map)
{
    const YamlNode* const node = map.node("sizes");
    if (!node)
        return;
    if (!node->isMap() || node->entries.size() > kMostNames)
        return map.error("sizes", "a mapping of at most " + std::to_string(kMostNames) + " sizes is needed here", "{N: 1024}");
    for (const YamlEntry& entry : node->entries) {
        const auto value = readExtent(entry.value, map.field("sizes") + '.' + entry.key);
        if (value && checkName(entry, map.field("sizes")))
            m_sizes.emplace(entry.key, *value);
    }
}

void StageReader::readScalars(const MapReader& map)
{
    const YamlNode* const node = map.node("scalars");
    if (!node)
        return;
    if (!node->isMap() || node->entries.size() > kMostNames)
        return map.error("scalars", "a mapping of at most " + std::to_string(kMostNames) + " numbers is needed here", "{lr: 0.1}");
    for (const YamlEntry& entry : node->entries) {
        const std::string field = map.field("scalars") + '.' + entry.key;
        const auto text = readText(m_context, entry.value, field);
        double value = 0;
        const char* const last = text ? text->data() + text->size() : nullptr;
        if (!text || !checkName(entry, map.field("scalars")))
            continue;
        if (const auto [end, problem] = std::from_chars(text->data(), last, value); problem != std::errc{} || end != last || !std::isfinite(value))
            m_context.error(entry.value, field, "\"" + *text + "\" is no number", "such as 0.1 or 1e-8");
        else
            m_scalars.emplace(entry.key, value);
    }
}

/// "4*H/16": factors from left to right, every division exact.
std::optional<std::int64_t> StageReader::readExtent(const YamlNode& node, const std::string& field)
{
    const auto text = readText(m_context, node, field);
    if (!text)
        return std::nullopt;
    const auto wrong = [&](const std::string& message) {
        m_context.error(node, field, message, "a whole number from 1 to 2^40, a size, or their product such as 4*H/16");
        return std::nullopt;
    };
    std::int64_t product = 1;
    char operation = '*';
    std::string_view rest = *text;
    for (;;) {
        const std::size_t end = std::min(rest.find_first_of("*/"), rest.size());
        std::string_view word = rest.substr(0, end);
        word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
        word = word.substr(0, word.find_last_not_of(' ') + 1);
        std::int64_t value = 0;
        if (const auto known = m_sizes.find(word); known != m_sizes.end())
            value = known->second;
        else if (const auto [last, problem] = std::from_chars(word.data(), word.data() + word.size(), value); word.empty() || problem != std::errc{} || last != word.data() + word.size())
            return wrong("\"" + *text + "\" is not possible here" + (word.empty() ? "" : ": \"" + std::string(word) + "\" is no size"));
        if (value < 1 || value > kMostExtent)
            return wrong("\"" + *text + "\" is out of range");
        if (operation == '/' && product % value != 0)
            return wrong("\"" + *text + "\" is not a whole number");
        if (operation == '*' && product > kMostExtent / value)
            return wrong("\"" + *text + "\" is out of range");
        product = operation == '*' ? product * value : product / value;
        if (end == rest.size())
            return product;
        operation = rest[end];
        rest.remove_prefix(end + 1);
    }
}

std::optional<Extents> StageReader::readShape(const MapReader& map)
{
    const YamlNode* const node = map.required("shape");
    if (!node)
        return std::nullopt;
    if (!node->isSequence() || node->items.size() > kMostDims) {
        map.error("shape", "a list of at most " + std::to_string(kMostDims) + " extents is needed here", "[N] or [M, K]");
        return std::nullopt;
    }
    Extents shape;
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < node->items.size(); ++i) {
        const auto extent = readExtent(node->items[i], map.field("shape") + '[' + std::to_string(i) + ']');
        if (!extent)
            return std::nullopt;
        if (elements > kMostElements / *extent) {
            map.error("shape", "the tensor is too large", "at most 2^44 elements");
            return std::nullopt;
        }
        elements *= *extent;
        shape.push_back(*extent);
    }
    return shape;
}

std::optional<Layout> StageReader::readLayout(const MapReader& map, std::size_t dims)
{
    const YamlNode* const node = map.node("layout");
    if (!node)
        return map.has("layout") ? std::nullopt : std::optional(Layout::replicated());
    std::int64_t dim = 0;
    if (node->isMap()) {
        const MapReader inner(m_context, *node, map.field("layout"), {"sliced"});
        const auto given = inner.integer("sliced", 0, static_cast<std::int64_t>(kMostDims));
        if (!given) {
            if (!inner.has("sliced"))
                inner.error("sliced", "a dimension is missing", "{sliced: 1}");
            return std::nullopt;
        }
        dim = *given;
    } else if (node->isScalar() && node->text == "replicated") {
        return Layout::replicated();
    } else if (node->isScalar() && node->text == "local") {
        return Layout::local();
    } else if (!node->isScalar() || node->text != "sliced") {
        map.error("layout", "unknown layout" + (node->isScalar() ? " \"" + node->text + '"' : std::string()), "local, replicated, sliced (dimension 0) or {sliced: DIMENSION}");
        return std::nullopt;
    }
    if (dim >= static_cast<std::int64_t>(dims)) {
        map.error("layout", "dimension " + std::to_string(dim) + " is not there", "a dimension of the shape, from 0");
        return std::nullopt;
    }
    return Layout::sliced(static_cast<std::int32_t>(dim));
}

void StageReader::readTensors(const MapReader& map)
{
    const YamlNode* const node = map.required("tensors");
    if (!node)
        return;
    if (!node->isMap() || node->entries.size() > kMostTensors)
        return map.error("tensors", "a mapping of at most " + std::to_string(kMostTensors) + " tensors is needed here", "{g: {shape: [N], dtype: fp32, layout: local}}");
    for (const YamlEntry& entry : node->entries) {
        const MapReader inner(m_context, entry.value, map.field("tensors") + '.' + entry.key, {"shape", "dtype", "layout", "group"});
        if (!entry.value.isMap() || !checkName(entry, map.field("tensors")))
            continue;
        Tensor tensor{entry.key, {}, m_context.document.place(entry.value, inner.path())};
        const auto shape = readShape(inner);
        const auto type = inner.choice<ElementType>("dtype", {kElementTypes.begin(), kElementTypes.end()});
        if (!shape || (inner.has("dtype") && !type))
            continue;
        const auto layout = readLayout(inner, shape->size());
        if (!layout)
            continue;
        tensor.value = {*shape, type.value_or(ElementType::Fp32), *layout, inner.integer32("group", 0, m_program.groups - 1).value_or(-1)};
        m_latest.emplace(tensor.name, tensor.name);
        m_program.tensors.push_back(std::move(tensor));
    }
}

std::optional<std::string> StageReader::resolved(std::string_view name) const
{
    const auto found = m_latest.find(name);
    return found == m_latest.end() ? std::nullopt : std::optional(found->second);
}

void StageReader::readStages(const MapReader& map)
{
    if (!map.has("stages"))
        return map.error("stages", "\"stages\" is missing");
    const auto rows = map.list("stages");
    if (rows.empty() || rows.size() > kMostStages)
        return map.error("stages", rows.empty() ? "there are no stages" : "there are too many stages", "1 to " + std::to_string(kMostStages) + " stages");
    for (const auto& [node, field] : rows)
        readStage(*node, field);
}

void StageReader::readStage(const YamlNode& node, const std::string& field)
{
    const MapReader map(m_context, node, field, {"name", "op", "in", "expr", "target", "kind", "dim", "root", "rate", "seed", "stride", "pad"});
    if (!node.isMap())
        return;
    Stage stage;
    const YamlNode* const name = map.required("name");
    map.required("op");
    auto op = map.choice<Op>("op", {kOps.begin(), kOps.end()});
    if (!name || !op || !name->isScalar() || !checkName(*name, name->text, map.field("name")))
        return;
    if (*op == Op::ReduceTensor && map.has("root"))
        op = Op::Reduce;
    stage.name = name->text;
    stage.op = *op;
    stage.place = m_context.document.place(node, field);
    const std::vector<std::string_view> keys = keysOfStage(stage.op);
    for (const YamlEntry& entry : node.entries) {
        if (entry.key != "name" && entry.key != "op" && std::find(keys.begin(), keys.end(), entry.key) == keys.end())
            map.error(entry.key, "\"" + entry.key + "\" is not used with op " + opText(stage.op));
    }
    if (stage.op == Op::Expr || stage.op == Op::Update)
        readExpr(map, stage);
    else
        readInputs(map, stage, stage.op == Op::MatMul || stage.op == Op::Conv ? 2 : 1);
    readSettings(map, stage);
    if (m_context.hasErrors())
        return;
    m_operands += stage.in.size();
    if (m_operands > kMostOperands)
        return map.error("in", "the stages read too much", "at most " + std::to_string(kMostOperands) + " operands of all stages");
    m_latest[stage.name] = stage.name;
    if (stage.op == Op::Update) {
        for (auto& [known, latest] : m_latest) {
            if (known == stage.target)
                latest = stage.name;
        }
    }
    m_program.stages.push_back(std::move(stage));
}

void StageReader::readInputs(const MapReader& map, Stage& stage, std::size_t count)
{
    map.required("in");
    const auto items = map.list("in");
    if (map.node("in") && items.size() != count)
        return map.error("in", opText(stage.op) + " reads " + std::to_string(count) + (count == 1 ? " tensor" : " tensors"), count == 1 ? "[tensor]" : "[tensor, tensor]");
    for (const auto& [item, field] : items) {
        const auto name = readText(m_context, *item, field);
        if (!name)
            continue;
        if (const auto maker = resolved(*name)) {
            stage.in.push_back({*maker, {}});
            continue;
        }
        std::vector<std::string_view> known;
        for (const auto& [each, latest] : m_latest)
            known.push_back(each);
        m_context.error(*item, field, "\"" + *name + "\" is no tensor and no stage above" + didYouMean(*name, known), "a name that is known here");
    }
}

void StageReader::readExpr(const MapReader& map, Stage& stage)
{
    const YamlNode* const node = map.required("expr");
    if (stage.op == Op::Update) {
        map.required("target");
        stage.target = map.text("target").value_or("");
        if (!stage.target.empty() && !m_program.tensor(stage.target))
            return map.error("target", "\"" + stage.target + "\" is no tensor", "a declared tensor");
    }
    const auto text = node ? readText(m_context, *node, map.field("expr")) : std::nullopt;
    if (!text)
        return;
    ExprNames names;
    names.scalar = [&](std::string_view word) -> std::optional<double> {
        const auto found = m_scalars.find(word);
        return found == m_scalars.end() ? std::nullopt : std::optional(found->second);
    };
    names.operand = [&](std::string_view word) -> std::optional<std::int32_t> {
        const auto maker = resolved(word);
        if (!maker)
            return std::nullopt;
        const auto known = std::find_if(stage.in.begin(), stage.in.end(), [&](const Operand& operand) { return operand.name == *maker; });
        const auto number = static_cast<std::int32_t>(known - stage.in.begin());
        if (known == stage.in.end())
            stage.in.push_back({*maker, {}});
        return number;
    };
    auto expr = parseExpr(*text, names);
    if (expr) {
        stage.expr = std::move(expr).value();
        return;
    }
    YamlNode where = *node;
    if (where.column > 0)
        where.column += static_cast<int>(expr.error().place.offset) + (node->quoted ? 1 : 0);
    m_context.error(where, map.field("expr"), expr.error().message, expr.error().expected);
}

void StageReader::readSettings(const MapReader& map, Stage& stage)
{
    stage.join = map.choice<Join>("kind", {kJoins.begin(), kJoins.end()}).value_or(Join::Sum);
    stage.dim = map.integer32("dim", 0, static_cast<std::int32_t>(kMostDims)).value_or(0);
    stage.root = map.integer32("root", 0, m_program.ranks - 1).value_or(0);
    stage.stride = map.integer32("stride", 1, 1 << 20).value_or(1);
    stage.pad = map.integer32("pad", 0, 1 << 20).value_or(0);
    stage.seed = static_cast<std::uint64_t>(map.integer("seed", 0, INT64_MAX).value_or(0));
    if (stage.op == Op::LayerNorm)
        map.required("dim");
    if (stage.op != Op::Dropout)
        return;
    map.required("rate");
    const auto rate = map.number("rate", -1);
    if (rate && (*rate < 0 || *rate >= 1))
        map.error("rate", "the rate is out of range", "a share from 0 to below 1");
    stage.rate = rate.value_or(0);
}

void StageReader::readOutputs(const MapReader& map)
{
    if (!map.has("outputs"))
        return map.error("outputs", "\"outputs\" is missing", "[stage, ...]");
    const auto rows = map.list("outputs");
    if (rows.empty() || rows.size() > kMostStages)
        return map.error("outputs", "at least one output is needed", "[stage, ...]");
    for (const auto& [node, field] : rows) {
        const auto name = readText(m_context, *node, field);
        const auto maker = name ? resolved(*name) : std::nullopt;
        if (name && !maker)
            m_context.error(*node, field, "\"" + *name + "\" is no tensor and no stage", "the name of a stage");
        else if (maker && !m_program.isOutput(*maker))
            m_program.outputs.push_back(*maker);
    }
}

} // namespace fabricscope::transform
