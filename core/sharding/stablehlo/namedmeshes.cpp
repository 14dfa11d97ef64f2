#include "core/sharding/stablehlo/namedmeshes.h"

#include "core/base/showntext.h"
#include "core/sharding/stablehlo/mlirscan.h"
#include "core/yaml/fieldreader.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fabricscope::mlir {

namespace {

Place placeOfSpan(const Span& span, const std::string& file)
{
    Place place;
    place.file = file;
    place.line = span.line;
    place.column = span.column;
    return place;
}

std::string shownText(std::string_view text)
{
    return quotedText(text, 80);
}

bool sameAxes(const Mesh& a, const Mesh& b)
{
    return std::ranges::equal(a.axes, b.axes, [](const MeshAxis& x, const MeshAxis& y) { return x.name == y.name && x.size == y.size; }) && a.deviceOrder == b.deviceOrder;
}

bool wholeNumber(std::string_view text, std::int64_t& value)
{
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc{} && end == text.data() + text.size();
}

Result<Mesh> meshOfText(const Span& text, const std::string& file)
{
    const Error broken = invalidInput("mesh " + shownText(text.text) + " cannot be read", placeOfSpan(text, file), "such as <[\"x\"=4, \"y\"=2]>");
    const std::size_t open = text.text.find('<');
    if (open == std::string_view::npos)
        return broken;
    const std::vector<Span> parts = itemsOf({text.text.substr(open), text.line, text.column});
    if (parts.empty() || !parts[0].text.starts_with("["))
        return broken;
    Mesh mesh;
    std::int64_t devices = 1;
    for (const Span& axis : itemsOf(parts[0])) {
        const std::size_t equals = axis.text.rfind('=');
        const auto name = equals == std::string_view::npos ? std::nullopt : stringOf(axis.text.substr(0, equals));
        std::int64_t size = 0;
        if (!name || name->empty() || !wholeNumber(trimmed(axis.text.substr(equals + 1)), size))
            return broken;
        if (std::ranges::count(mesh.axes, *name, &MeshAxis::name))
            return invalidInput("axis " + *name + " stands twice in the mesh", placeOfSpan(text, file), "each axis once");
        if (size < 1 || size > Mesh::kMaxDevices / devices || mesh.axes.size() >= 32)
            return invalidInput("axis " + *name + " of size " + std::to_string(size) + " makes the mesh too large", placeOfSpan(text, file), "at most 2^24 devices and 32 axes");
        devices *= size;
        mesh.axes.push_back({*name, size});
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].text.find('=');
        const auto ids = equals == std::string_view::npos || !parts[i].text.starts_with("device_ids") ? std::nullopt : integersOf(parts[i].text.substr(equals + 1));
        if (!ids)
            return broken;
        std::vector<std::int64_t> sorted = *ids;
        std::ranges::sort(sorted);
        bool each = mesh.axes.empty() || static_cast<std::int64_t>(sorted.size()) == devices;
        for (std::size_t d = 0; d < sorted.size() && !mesh.axes.empty(); ++d)
            each = each && sorted[d] == static_cast<std::int64_t>(d);
        if (!each)
            return invalidInput("device_ids of the mesh are no order of " + std::to_string(devices) + " devices", placeOfSpan(parts[i], file), "every device once");
        if (!mesh.axes.empty())
            mesh.deviceOrder.assign(ids->begin(), ids->end());
    }
    return mesh;
}

/// Axes of one dim, or behind "replicated=".
class AxisReader {
public:
    AxisReader(const Mesh& mesh, const std::string& file) : m_mesh(mesh), m_file(file) {}

    /// Items of "{"x", "y":(1)2, ?}"; `open` is set by "?".
    Result<AxisList> read(const Span& braces, bool& open)
    {
        AxisList list;
        for (const Span& item : itemsOf(braces)) {
            if (item.text == "?") {
                open = true;
                continue;
            }
            Result<AxisPart> part = axis(item);
            if (!part)
                return part.error();
            if (overlap(m_used, part.value()))
                return invalidInput("axis " + axisText(m_mesh, part.value()) + " is used twice in one sharding", placeOfSpan(item, m_file), "each axis once");
            m_used.push_back(part.value());
            list.push_back(part.value());
        }
        return joined(list);
    }

private:
    Result<AxisPart> axis(const Span& item) const
    {
        const std::size_t colon = item.text.rfind("\":");
        const auto name = stringOf(colon == std::string_view::npos ? item.text : item.text.substr(0, colon + 1));
        std::vector<std::string_view> names;
        for (const MeshAxis& known : m_mesh.axes)
            names.push_back(known.name);
        const auto found = std::ranges::find(names, name.value_or(""));
        if (!name || found == names.end())
            return invalidInput("no axis of the mesh is " + shownText(item.text), placeOfSpan(item, m_file), "one of " + nearestOf(name.value_or(""), names));
        AxisPart part = wholeAxis(m_mesh, static_cast<std::int32_t>(found - names.begin()));
        if (colon == std::string_view::npos)
            return part;
        const std::string_view sub = trimmed(item.text.substr(colon + 2));
        const std::size_t close = sub.find(')');
        const std::int64_t whole = part.size;
        if (!sub.starts_with("(") || close == std::string_view::npos || !wholeNumber(sub.substr(1, close - 1), part.pre) || !wholeNumber(sub.substr(close + 1), part.size) || part.pre < 1
            || part.size < 1 || part.pre > whole || part.size > whole || whole % (part.pre * part.size) != 0)
            return invalidInput(shownText(item.text) + " is no part of axis " + *name + " of size " + std::to_string(whole), placeOfSpan(item, m_file), "such as \"" + *name + "\":(1)" + std::to_string(whole));
        return part;
    }

    const Mesh& m_mesh;
    const std::string& m_file;
    AxisList m_used;
};

/// "{...}p1" of one dim.
Status readDim(const Span& text, AxisReader& axes, const std::string& file, TensorAnnotation& note)
{
    Scanner scanner(text.text, text.line, text.column);
    const Span braces = scanner.peek() == '{' ? scanner.balanced() : Span{};
    std::int64_t priority = 0;
    if (!braces.text.empty() && !scanner.atEnd()) {
        const std::string_view word = scanner.word();
        if (!word.starts_with("p") || !wholeNumber(word.substr(1), priority) || priority < 0 || priority > 1000 || !scanner.atEnd())
            return invalidInput(shownText(text.text) + " has no priority behind it", placeOfSpan(text, file), "such as p1, up to p1000");
    }
    if (braces.text.empty())
        return invalidInput(shownText(text.text) + " is no sharding of a dim", placeOfSpan(text, file), "such as {\"x\", ?}");
    bool open = false;
    Result<AxisList> list = axes.read(braces, open);
    if (!list)
        return list.error();
    note.dims->push_back(std::move(list).value());
    note.closed.push_back(open ? 0 : 1);
    note.priority.push_back(static_cast<int>(priority));
    return {};
}

} // namespace

Result<NamedMeshes> NamedMeshes::of(const Module& module, const std::string& file)
{
    NamedMeshes meshes;
    for (const auto& [name, text] : module.meshes) {
        Result<Mesh> mesh = meshOfText(text, file);
        if (!mesh)
            return mesh.error();
        if (meshes.m_mesh.axes.empty())
            meshes.m_mesh = mesh.value();
        meshes.m_known.insert_or_assign(name, std::move(mesh).value());
    }
    return meshes;
}

Status NamedMeshes::check(const Span& named, const std::string& file, bool& none) const
{
    Mesh inlined;
    const Mesh* mesh = nullptr;
    if (named.text.starts_with("@")) {
        const std::string_view name = named.text.substr(1);
        const auto found = m_known.find(stringOf(name).value_or(std::string(name)));
        if (found == m_known.end())
            return invalidInput("no mesh is named " + fabricscope::shownText(named.text, 80), placeOfSpan(named, file), "a mesh of sdy.mesh");
        mesh = &found->second;
    } else {
        Result<Mesh> read = meshOfText(named, file);
        if (!read)
            return read.error();
        inlined = std::move(read).value();
        mesh = &inlined;
    }
    none = mesh->axes.empty();
    if (!none && !sameAxes(*mesh, m_mesh))
        return Error{ErrorCode::Unsupported, "mesh " + fabricscope::shownText(named.text, 80) + " has other axes than the first", placeOfSpan(named, file), "one mesh in a file"};
    return {};
}

std::vector<Span> shardingsOf(const Span& text)
{
    if (!text.text.starts_with("#sdy.sharding_per_value<"))
        return {text};
    const std::vector<Span> inner = itemsOf({text.text.substr(text.text.find('<')), text.line, text.column});
    return inner.empty() ? std::vector<Span>{text} : itemsOf(inner[0]);
}

Result<TensorAnnotation> readSharding(const Span& text, const NamedMeshes& meshes, const Mesh& mesh, std::size_t dims, const std::string& file)
{
    const std::size_t open = text.text.find('<');
    const std::vector<Span> parts = open == std::string_view::npos ? std::vector<Span>{} : itemsOf({text.text.substr(open), text.line, text.column});
    if (parts.size() < 2 || !parts[1].text.starts_with("["))
        return invalidInput("sharding " + shownText(text.text) + " cannot be read", placeOfSpan(text, file), "such as #sdy.sharding<@mesh, [{\"x\"}, {}]>");
    TensorAnnotation note;
    note.place = placeOfSpan(text, file);
    note.dims.emplace();
    bool none = false;
    if (Status status = meshes.check(parts[0], file, none); !status)
        return status.error();
    AxisReader axes(mesh, file);
    for (const Span& dim : itemsOf(parts[1])) {
        if (Status status = readDim(dim, axes, file, note); !status)
            return status.error();
    }
    if (none && dims != note.dims->size() && note.dims->empty()) { // On one device: a mesh without axes has no dims to name.
        note.dims->resize(dims);
        note.closed.assign(dims, 1);
        note.priority.assign(dims, 0);
    }
    if (note.dims->size() != dims)
        return invalidInput("the sharding has " + std::to_string(note.dims->size()) + " dims", note.place, std::to_string(dims) + ", as the tensor has");
    for (std::size_t i = 2; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].text.find('=');
        const std::string_view key = trimmed(parts[i].text.substr(0, equals));
        const bool replicated = key == "replicated";
        if (equals == std::string_view::npos || (!replicated && key != "unreduced"))
            return invalidInput(shownText(parts[i].text) + " is not known in a sharding", placeOfSpan(parts[i], file), "replicated={...} or unreduced={...}");
        bool unused = false;
        Result<AxisList> list = axes.read({trimmed(parts[i].text.substr(equals + 1)), parts[i].line, parts[i].column}, unused);
        if (!list)
            return list.error();
        (replicated ? note.replicated : note.unreduced) = std::move(list).value();
    }
    return note;
}

} // namespace fabricscope::mlir
