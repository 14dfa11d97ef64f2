// Programs written for one device: where they begin and end.
#include "core/sharding/stablehlo/hloreader.h"

#include "core/base/showntext.h"
#include "core/sharding/stablehlo/deviceregion.h"

#include <algorithm>
#include <numeric>

namespace fabricscope::mlir {

std::vector<std::int32_t> HloReader::axesNamed(const Span& text)
{
    std::vector<std::int32_t> axes;
    std::string_view rest = text.text;
    for (std::size_t open = rest.find('"'); open != std::string_view::npos; open = rest.find('"')) {
        rest.remove_prefix(open);
        const std::size_t close = rest.find('"', 1);
        const auto name = close == std::string_view::npos ? std::nullopt : stringOf(rest.substr(0, close + 1));
        const auto axis = std::ranges::find(m_problem.mesh.axes, name.value_or(""), &MeshAxis::name);
        if (axis == m_problem.mesh.axes.end())
            m_builder.fail(ErrorCode::InvalidInput, "manual_axes names no axis of the mesh: " + fabricscope::shownText(rest, 40), "axes of the mesh");
        else
            axes.push_back(static_cast<std::int32_t>(axis - m_problem.mesh.axes.begin()));
        rest.remove_prefix(std::min(close == std::string_view::npos ? rest.size() : close + 1, rest.size()));
    }
    std::ranges::sort(axes);
    return axes;
}

std::vector<HloValue> HloReader::manualComputation(const Operation& op, const HloOperands& in, const HloScope& scope)
{
    if (!m_manual.empty())
        m_builder.refuse("stands inside of another", "one program per device at a time");
    if (op.regions.size() != 1 || op.regions[0].arguments.size() != in.size())
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "as many as its region has arguments");
    std::vector<TensorShape> taken, given;
    for (const HloValue& value : in)
        taken.push_back(value.shape);
    for (const Type& type : op.resultTypes)
        given.push_back(type.shape);
    const auto named = op.attributes.find("manual_axes");
    const std::vector<std::int32_t> manual = named == op.attributes.end() ? std::vector<std::int32_t>{} : axesNamed(named->second);
    const std::vector<TensorAnnotation> enter = layoutsOf(op, "in_shardings", taken);
    const std::vector<TensorAnnotation> leave = layoutsOf(op, "out_shardings", given);
    HloOperands local;
    for (std::size_t i = 0; i < in.size() && !m_builder.failed(); ++i) {
        const Argument& argument = op.regions[0].arguments[i];
        local.push_back(enterRegion(m_builder, in[i], *enter[i].dims, manual, "." + argument.name, layer(enter[i])));
        if (!m_builder.failed() && local.back().shape != argument.type.shape)
            m_builder.fail(ErrorCode::InvalidInput, "argument " + argument.name + " comes out as " + shapeText(local.back().shape), fabricscope::shownText(argument.type.text.text, 80));
    }
    if (m_builder.failed())
        return {};
    const std::string name = m_builder.name();
    m_manual = manual;
    const std::vector<HloValue> results = body(op.regions[0].arguments, op.regions[0], "op " + name, op.place, local, {name + ":", scope.depth + 1, nullptr, {}, {}});
    m_manual.clear();
    m_builder.begin(op, scope.prefix);
    if (results.size() != given.size())
        m_builder.fail(ErrorCode::InvalidInput, "returns " + std::to_string(results.size()) + " values", std::to_string(given.size()));
    std::vector<HloValue> made;
    for (std::size_t i = 0; i < results.size() && !m_builder.failed(); ++i)
        made.push_back(left(results[i], leave[i], manual, given[i], results.size() > 1 ? "#" + std::to_string(i) : ""));
    return made;
}

HloValue HloReader::left(const HloValue& value, const TensorAnnotation& note, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix)
{
    TensorShape local = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        for (const AxisPart& part : (*note.dims)[d])
            local[d] /= std::ranges::binary_search(manual, part.axis) ? part.size : 1;
    }
    if (value.shape != local) {
        m_builder.fail(ErrorCode::InvalidInput, "a device returns " + shapeText(value.shape) + " of " + shapeText(shape), shapeText(local));
        return {};
    }
    return leaveRegion(m_builder, value, *note.dims, manual, shape, suffix, layer(note), m_problem.notes);
}

HloValue HloReader::regionCall(const Operation& op, const HloValue& value, bool in)
{
    std::vector<std::int32_t> manual(m_problem.mesh.axes.size());
    std::iota(manual.begin(), manual.end(), 0);
    const std::size_t dims = in ? value.shape.size() : op.resultTypes[0].shape.size();
    TensorAnnotation note;
    if (const TensorAnnotation* const known = in ? m_problem.annotationOf(value.tensor) : nullptr)
        note = *known;
    if (const Span* const given = shardingOf(op.attributes); !in && given) {
        Result<TensorAnnotation> read = m_tilings.read(*given, m_problem.mesh, dims, m_file);
        if (!read)
            m_builder.setError(read.error());
        else
            note = std::move(read).value();
    }
    if (m_builder.failed())
        return {};
    if (!note.dims)
        note.dims.emplace(dims);
    note.closed.assign(dims, 1);
    note.priority.assign(dims, 0);
    if (!in)
        return left(value, note, manual, op.resultTypes[0].shape, {});
    m_manual = manual;
    const HloValue made = enterRegion(m_builder, value, *note.dims, manual, {}, layer(note));
    if (!m_builder.failed() && made.shape != op.resultTypes[0].shape)
        m_builder.fail(ErrorCode::InvalidInput, "comes out as " + shapeText(made.shape), fabricscope::shownText(op.resultTypes[0].text.text, 80));
    return made;
}

} // namespace fabricscope::mlir
