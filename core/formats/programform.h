#pragma once

#include "core/base/files/textfile.h"
#include "core/base/index.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// Forms of a program of a collective.
enum class ProgramForm : std::uint8_t {
    Xml,    ///< MSCCL XML.
    Json,   ///< Ours, without loss, or an execution plan of MSCCL++.
    Graphs, ///< A Chakra graph per rank: PREFIX.0.et, ...
    Script, ///< Lua.
};

/// One row per form: `key` in options, `ending` of its files, `text` in messages.
struct ProgramFormRow {
    ProgramForm form;
    std::string_view key;
    std::string_view ending;
    std::string_view text;
    bool written = true; ///< Programs are written in it too.
};

constexpr std::array<ProgramFormRow, 4> kProgramForms{{
    {ProgramForm::Xml, "xml", ".xml", "a program in MSCCL XML"},
    {ProgramForm::Json, "json", ".json", "a program in JSON (ours or an MSCCL++ plan)"},
    {ProgramForm::Graphs, "et", ".et", "Chakra graphs of a program"},
    {ProgramForm::Script, "lua", ".lua", "a script in Lua", false},
}};

constexpr const ProgramFormRow& programFormRow(ProgramForm form)
{
    return kProgramForms[at(form)];
}

/// The form of a text that is meant to be a program: XML begins with '<', JSON with '{', behind spaces and a byte order mark; all else is a script.
ProgramForm programFormOfText(std::string_view text);

/// The form of a file, or of the graphs with this prefix, that certainly is a program: scripts by their ending, MSCCL XML by its root, JSON by its keys.
/// Nothing where it is something else, JSON of more than `limit` bytes, not readable or not there.
std::optional<ProgramForm> programFormOfFile(const std::string& path, std::size_t limit = kMaxDocumentBytes);

/// The same of the beginning of a file; JSON may have its keys further behind.
std::optional<ProgramForm> programFormOf(std::string_view name, std::string_view head);

/// Are there graphs of this prefix: PREFIX.0.et, .et.gz or .json?
bool areGraphs(const std::string& prefix);

} // namespace fabricscope
