#pragma once

#include "core/design/design.h"
#include "core/yaml/tree.h"

#include <pybind11/pybind11.h>

#include <stop_token>
#include <string>

namespace fabricscope::python {

/// A design as the text it is written in, read and changed by paths. A plain value; cheap to copy until it is changed.
class EditedDesign {
public:
    /// Throws RaisedError: what YamlDocument::parse() refuses.
    EditedDesign(std::string text, const std::string& file);
    /// Throws RaisedError: a file that cannot be read.
    static EditedDesign read(const std::string& path);

    const YamlDocument& document() const { return m_document; }

    /// Throws KeyError.
    const YamlNode& at(const std::string& path) const;
    /// As `--set PATH=VALUE`: a platform that is named is written out before something in it is changed. Comments stay. Throws RaisedError.
    void set(const std::string& path, const YamlNode& value);
    void insert(const std::string& path, const YamlNode& value);
    void remove(const std::string& path);

    /// The design, once it is sound. Throws RaisedError with all that is wrong; told to stop: StopRequested.
    LoadedDesign checked(const std::stop_token& stop = {}) const;
    /// The design as far as it can be read, with all that was noticed, errors too.
    LoadedDesign inspected(const std::stop_token& stop = {}) const;

private:
    YamlDocument m_document;
};

/// The class Document, for module.cpp.
void bindDesign(pybind11::module_& module);

} // namespace fabricscope::python
