#include "app/python/editeddesign.h"

#include "app/python/raisederror.h"
#include "app/python/yamlvalues.h"
#include "core/base/files/textfile.h"
#include "core/base/stop.h"
#include "core/design/edits/edits.h"
#include "core/design/file/readdesign.h"
#include "core/design/referencedfiles.h"

#include <algorithm>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

/// Does the path lead into what a preset or a file stands for, which the text has not?
bool isInNamedFabric(const YamlDocument& document, const std::string& path)
{
    const Result<YamlPath> steps = parseYamlPath(path);
    if (!steps || steps.value().size() < 2 || steps.value()[0] != "platform")
        return false;
    const std::string& part = steps.value()[1];
    return (part == "dimensions" || part == "nodes" || part == "links") && !document.find(YamlPath{"platform", part});
}

const char* kindOf(const YamlNode& node)
{
    switch (node.kind) {
    case YamlNode::Kind::Map: return "map";
    case YamlNode::Kind::Sequence: return "sequence";
    case YamlNode::Kind::Null:
    case YamlNode::Kind::Scalar: break;
    }
    return "value";
}

py::list keysOf(const YamlNode& node)
{
    py::list keys;
    for (const YamlEntry& entry : node.entries)
        keys.append(entry.key);
    return keys;
}

bool isError(const Diagnostic& diagnostic)
{
    return diagnostic.severity == Severity::Error;
}

/// Files that running the design reads beside its own.
py::list filesOf(const EditedDesign& design)
{
    py::list files;
    for (const NamedFile& file : referencedFiles(inspectDesign(design.document()).design)) {
        if (file.path != design.document().file())
            files.append(file.path);
    }
    return files;
}

} // namespace

EditedDesign::EditedDesign(std::string text, const std::string& file) : m_document(valueOf(YamlDocument::parse(std::move(text), file))) {}

EditedDesign EditedDesign::read(const std::string& path)
{
    return {valueOf(readTextFile(path, YamlDocument::kMaxBytes)), path};
}

const YamlNode& EditedDesign::at(const std::string& path) const
{
    const YamlNode* const node = path.empty() ? &m_document.root() : m_document.find(path);
    if (!node)
        throw py::key_error(path);
    return *node;
}

void EditedDesign::set(const std::string& path, const YamlNode& value)
{
    if (!isInNamedFabric(m_document, path))
        return demand(m_document.set(path, value));
    YamlDocument changed = m_document; // Two edits: both or none.
    demand(edits::writeOutPlatform(changed));
    demand(changed.set(path, value));
    m_document = std::move(changed);
}

void EditedDesign::insert(const std::string& path, const YamlNode& value)
{
    demand(m_document.insert(path, value));
}

void EditedDesign::remove(const std::string& path)
{
    demand(m_document.remove(path));
}

LoadedDesign EditedDesign::inspected(const std::stop_token& stop) const
{
    LoadedDesign loaded = inspectDesign(m_document, stop);
    checkStop(stop);
    if (std::none_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), isError)) {
        const Diagnostics found = validate(loaded.design, stop);
        std::copy_if(found.begin(), found.end(), std::back_inserter(loaded.diagnostics), isError);
    }
    return loaded;
}

LoadedDesign EditedDesign::checked(const std::stop_token& stop) const
{
    LoadedDesign loaded = inspected(stop);
    Diagnostics wrong;
    std::copy_if(loaded.diagnostics.begin(), loaded.diagnostics.end(), std::back_inserter(wrong), isError);
    if (!wrong.empty())
        throw RaisedError{toError(wrong.front()), wrong};
    return loaded;
}

void bindDesign(py::module_& module)
{
    py::class_<EditedDesign>(module, "Document", "The text of a design, read and changed by paths.")
        .def(py::init<std::string, const std::string&>(), py::arg("text"), py::arg("file") = "")
        .def_static("read", &EditedDesign::read, py::arg("path"))
        .def("copy", [](const EditedDesign& design) { return design; })
        .def_property_readonly("text", [](const EditedDesign& design) { return design.document().text(); })
        .def_property_readonly("file", [](const EditedDesign& design) { return design.document().file(); })
        .def("has", [](const EditedDesign& design, const std::string& path) { return path.empty() || design.document().find(path); }, py::arg("path"))
        .def("kind", [](const EditedDesign& design, const std::string& path) { return kindOf(design.at(path)); }, py::arg("path"))
        .def("value", [](const EditedDesign& design, const std::string& path) { return pythonValue(design.at(path)); }, py::arg("path"))
        .def("keys", [](const EditedDesign& design, const std::string& path) { return keysOf(design.at(path)); }, py::arg("path"))
        .def("length", [](const EditedDesign& design, const std::string& path) {
            const YamlNode& node = design.at(path);
            return node.isMap() ? node.entries.size() : node.items.size();
        }, py::arg("path"))
        .def("set", [](EditedDesign& design, const std::string& path, const py::object& value) { design.set(path, yamlValue(value)); }, py::arg("path"), py::arg("value"))
        .def("insert", [](EditedDesign& design, const std::string& path, const py::object& value) { design.insert(path, yamlValue(value)); }, py::arg("path"), py::arg("value"))
        .def("remove", &EditedDesign::remove, py::arg("path"))
        .def("check", [](const EditedDesign& design) { design.checked(); })
        .def("findings", [](const EditedDesign& design) {
            py::list list;
            for (const Diagnostic& diagnostic : design.inspected().diagnostics)
                list.append(findingOf(diagnostic));
            return list;
        })
        .def("files", &filesOf);
}

} // namespace fabricscope::python
