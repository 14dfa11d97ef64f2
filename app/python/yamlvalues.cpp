#include "app/python/yamlvalues.h"

#include "app/python/raisederror.h"

#include <charconv>
#include <optional>
#include <string>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

template <typename Number>
std::optional<Number> wholeText(const std::string& text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

py::object scalarValue(const YamlNode& node)
{
    if (node.quoted)
        return py::str(node.text);
    if (node.text == "true" || node.text == "false")
        return py::bool_(node.text == "true");
    if (const auto number = wholeText<std::int64_t>(node.text))
        return py::int_(*number);
    // Words as "inf" and "nan" are names.
    const bool beginsNumber = node.text.find_first_of("0123456789") <= 2;
    if (const auto number = beginsNumber ? wholeText<double>(node.text) : std::nullopt)
        return py::float_(*number);
    return py::str(node.text);
}

YamlNode sequenceOf(const py::handle& value)
{
    std::vector<YamlNode> items;
    for (const py::handle item : value)
        items.push_back(yamlValue(item));
    return YamlNode::sequence(std::move(items));
}

YamlNode mapOf(const py::dict& value)
{
    YamlNode map = YamlNode::map();
    for (const auto& [key, item] : value) {
        if (!py::isinstance<py::str>(key))
            throw py::type_error("a key of a design is a str, not " + py::type::of(key).attr("__name__").cast<std::string>());
        map.set(key.cast<std::string>(), yamlValue(item));
    }
    return map;
}

YamlNode textNode(const std::string& text)
{
    if (text.empty() || (text.front() != '[' && text.front() != '{'))
        return YamlNode::scalar(text);
    return valueOf(YamlDocument::parse(text)).root();
}

} // namespace

py::object pythonValue(const YamlNode& node)
{
    switch (node.kind) {
    case YamlNode::Kind::Null: return py::none();
    case YamlNode::Kind::Scalar: return scalarValue(node);
    case YamlNode::Kind::Sequence: {
        py::list list;
        for (const YamlNode& item : node.items)
            list.append(pythonValue(item));
        return list;
    }
    case YamlNode::Kind::Map: break;
    }
    py::dict dict;
    for (const YamlEntry& entry : node.entries)
        dict[py::str(entry.key)] = pythonValue(entry.value);
    return dict;
}

YamlNode yamlValue(const py::handle& value)
{
    if (value.is_none())
        return YamlNode();
    if (py::isinstance<py::bool_>(value))
        return YamlNode::scalar(value.cast<bool>() ? "true" : "false");
    if (py::isinstance<py::str>(value))
        return textNode(value.cast<std::string>());
    if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value))
        return YamlNode::scalar(py::str(py::repr(value)));
    if (py::isinstance<py::dict>(value))
        return mapOf(py::reinterpret_borrow<py::dict>(value));
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
        return sequenceOf(value);
    throw py::type_error("a design holds None, bool, int, float, str, list and dict, not " + py::type::of(value).attr("__name__").cast<std::string>());
}

} // namespace fabricscope::python
