// Layouts that a program asks for: attributes of ops, ops that only say how a tensor lies.
#include "core/sharding/stablehlo/hloreader.h"

#include "core/base/showntext.h"
#include "core/sharding/stablehlo/deviceregion.h"
#include "core/sharding/stablehlo/hloops.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

constexpr std::string_view kStorageCalls[] = {"LayoutConstraint", "annotate_device_placement", "MoveToHost", "MoveToDevice"};

} // namespace

const Span* HloReader::shardingOf(const Attributes& attributes)
{
    auto found = attributes.find("sdy.sharding");
    if (found == attributes.end())
        found = attributes.find("mhlo.sharding");
    return found == attributes.end() ? nullptr : &found->second;
}

std::vector<TensorAnnotation> HloReader::layoutsOf(const Operation& op, std::string_view key, const std::vector<TensorShape>& shapes)
{
    const auto found = op.attributes.find(key);
    const std::vector<Span> each = found == op.attributes.end() ? std::vector<Span>{} : found->second.text.starts_with("[") ? itemsOf(found->second) : shardingsOf(found->second);
    if (each.size() != shapes.size())
        m_builder.fail(ErrorCode::InvalidInput, std::string(key) + " has " + std::to_string(each.size()) + " shardings", std::to_string(shapes.size()));
    std::vector<TensorAnnotation> layouts;
    for (std::size_t i = 0; i < each.size() && !m_builder.failed(); ++i) {
        Result<TensorAnnotation> read = readSharding(each[i], m_named, m_problem.mesh, shapes[i].size(), m_file);
        if (!read)
            m_builder.setError(read.error());
        else if (!read.value().unreduced.empty())
            m_builder.refuse("an unreduced " + std::string(key) + " is not read", "sums made in the program");
        else
            layouts.push_back(std::move(read).value());
        if (!m_builder.failed() && !layouts.back().dims)
            layouts.back().dims.emplace(shapes[i].size());
    }
    return layouts;
}

std::function<void(TensorId)> HloReader::layer(TensorAnnotation note)
{
    return [this, note = std::move(note)](TensorId tensor) mutable {
        note.tensor = tensor;
        m_annotated.insert(tensor);
        m_problem.annotations.push_back(note);
    };
}

std::vector<HloValue> HloReader::sharded(const Operation& op, std::vector<HloValue> values)
{
    const Span* const given = shardingOf(op.attributes);
    if (!given || isManual(*given) || m_builder.failed())
        return values;
    const std::vector<Span> each = shardingsOf(*given);
    if (each.size() != values.size()) {
        m_builder.fail(ErrorCode::InvalidInput, "has shardings of " + std::to_string(each.size()) + " results", std::to_string(values.size()));
        return values;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].tensor >= 0)
            constrain(values[i], each[i], true, "#" + std::to_string(i));
    }
    return values;
}

HloValue HloReader::barrier(const Operation& op, const HloOperands& in)
{
    const auto given = op.attributes.find("allowed_direction");
    std::string_view word = given == op.attributes.end() ? std::string_view() : given->second.text;
    constexpr std::string_view kDialect = "#sdy<propagation_direction "; // As the generic form has it.
    if (word.starts_with(kDialect))
        word = word.substr(kDialect.size(), word.size() - kDialect.size() - 1);
    constexpr std::pair<std::string_view, AxisFlow> kFlows[] = {{"NONE", AxisFlow::None}, {"FORWARD", AxisFlow::Forward}, {"BACKWARD", AxisFlow::Backward}, {"BOTH", AxisFlow::Both}, {"0 : i32", AxisFlow::None},
        {"1 : i32", AxisFlow::Forward}, {"2 : i32", AxisFlow::Backward}, {"3 : i32", AxisFlow::Both}};
    const auto row = std::ranges::find(kFlows, word, [](const auto& flow) { return flow.first; });
    if (in.size() != 1 || row == std::end(kFlows) || op.resultTypes[0].shape != in[0].shape) {
        m_builder.fail(ErrorCode::InvalidInput, "needs one operand, a result of its shape and allowed_direction", "NONE, FORWARD or BACKWARD");
        return {};
    }
    if (in[0].splat)
        return in[0];
    return m_builder.finish(GraphOpKind::Copy, {in[0].tensor}, [&](GraphOp& made) { made.flow = row->second; });
}

HloValue HloReader::constraint(const Operation& op, const HloOperands& in, bool custom, bool alone)
{
    const Span* given = shardingOf(op.attributes);
    if (custom) {
        const std::string name = calledName(op);
        if (in.size() == 1 && (name == "SPMDFullToShardShape" || name == "SPMDShardToFullShape"))
            return regionCall(op, in[0], name == "SPMDFullToShardShape");
        // Where a tensor is stored and how its elements follow each other is nothing to do with devices.
        if (in.size() == 1 && std::ranges::count(kStorageCalls, name) > 0 && in[0].shape == op.resultTypes[0].shape)
            return in[0];
        if (name != "Sharding") {
            m_builder.refuse("a call of @" + fabricscope::shownText(name, 80) + " is not read", "@Sharding, @SPMDFullToShardShape, @SPMDShardToFullShape, @LayoutConstraint, @annotate_device_placement");
            return {};
        }
        if (in.size() == 1 && given && isManual(*given))
            return in[0];
    } else {
        const auto out = op.attributes.find("out_sharding");
        const auto word = std::ranges::find_if(op.words, [](const Span& span) { return span.text.starts_with("<"); });
        given = out != op.attributes.end() ? &out->second : word != op.words.end() ? &*word : nullptr;
        if (const auto generic = op.attributes.find("sharding"); !given && generic != op.attributes.end())
            given = &generic->second;
    }
    if (in.size() != 1 || !given || op.resultTypes[0].shape != in[0].shape) {
        m_builder.fail(ErrorCode::InvalidInput, "needs one operand, its sharding and a result of the same shape");
        return {};
    }
    HloValue value = in[0];
    constrain(value, *given, alone, {});
    const auto config = op.attributes.find("backend_config");
    if (custom && config != op.attributes.end() && !m_builder.failed())
        leaveOpen(config->second, value.tensor);
    return value;
}

void HloReader::leaveOpen(const Span& config, TensorId tensor)
{
    constexpr std::string_view kKey = "unspecified_dims=";
    const std::string text = stringOf(config.text).value_or("");
    const std::size_t key = text.find(kKey);
    const auto note = std::ranges::find(m_problem.annotations, tensor, &TensorAnnotation::tensor);
    if (key == std::string::npos || note == m_problem.annotations.end())
        return;
    const std::string_view list = std::string_view(text).substr(key + kKey.size());
    const auto dims = list.starts_with("[") ? integersOf(list.substr(0, list.find(']') + 1)) : std::nullopt;
    for (const std::int64_t dim : dims.value_or(std::vector<std::int64_t>{-1})) {
        if (dim < 0 || dim >= std::ssize(note->closed))
            return m_builder.fail(ErrorCode::InvalidInput, "its unspecified_dims cannot be read", "dims of its tensor, such as unspecified_dims=[1]");
        note->closed[static_cast<std::size_t>(dim)] = 0;
    }
}

void HloReader::constrain(HloValue& value, const Span& sharding, bool may, const std::string& suffix)
{
    value = {m_builder.whole(value, ".whole"), false, value.shape, {}};
    if (m_builder.failed())
        return;
    if (!may || m_problem.graph.tensor(value.tensor).producer < 0 || m_annotated.contains(value.tensor) || m_groups.contains(value.tensor))
        value.tensor = m_builder.add(GraphOpKind::Copy, {value.tensor}, suffix);
    if (!m_builder.failed())
        annotate(value.tensor, sharding);
}

bool HloReader::isManual(const Span& text) const
{
    const Tiling* const tiling = text.text.starts_with("\"") ? m_tilings.find(stringOf(text.text).value_or("")) : nullptr;
    return tiling && tiling->kind == Tiling::Kind::Manual;
}

void HloReader::annotate(TensorId tensor, const Span& text)
{
    const PerDevice* const of = m_builder.perDevice(tensor);
    const std::size_t lead = of ? of->axes.size() : 0;
    const std::size_t dims = m_problem.graph.tensor(tensor).shape.size() - lead;
    const bool tiled = text.text.starts_with("\"");
    Result<TensorAnnotation> note = tiled ? m_tilings.read(text, m_problem.mesh, dims, m_file) : readSharding(text, m_named, m_problem.mesh, dims, m_file);
    if (!note)
        return m_builder.setError(note.error());
    note.value().tensor = tensor;
    if (of) { // What it says is of the dims of one device and of axes that the program leaves to the partitioner.
        TensorAnnotation all = layoutOf(m_builder, tensor, *of, lead + dims);
        for (std::size_t d = 0; note.value().dims && d < dims; ++d) {
            (*all.dims)[lead + d] = (*note.value().dims)[d];
            all.closed[lead + d] = note.value().closed[d];
            all.priority[lead + d] = note.value().priority[d];
        }
        all.replicated = appended(all.replicated, note.value().replicated);
        all.unreduced = note.value().unreduced;
        all.place = note.value().place;
        note = std::move(all);
    }
    m_annotated.insert(tensor);
    const Tiling* const tiling = tiled ? m_tilings.find(stringOf(text.text).value_or("")) : nullptr;
    if (tiling && tiling->kind == Tiling::Kind::Maximal && !m_maximal) {
        m_maximal = true;
        m_problem.notes.push_back(fabricscope::note("maximal-sharding", "tensors on one device (maximal) are read as replicated", note.value().place));
    }
    if (!note.value().dims && note.value().replicated.empty() && note.value().unreduced.empty())
        return; // "unknown".
    m_problem.annotations.push_back(std::move(note).value());
}

void HloReader::result(HloValue value, const Span& sharding, std::size_t index)
{
    if (value.splat && value.shape.empty())
        return;
    constrain(value, sharding, true, "#" + std::to_string(index));
}

} // namespace fabricscope::mlir
