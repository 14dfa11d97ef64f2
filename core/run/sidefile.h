#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// What the window keeps of a document beside it while it has changes that are not saved: one line of JSON, then the document's bytes.
struct SideFile {
    std::int64_t process = 0; ///< The program that wrote it.
    std::string started;      ///< When that began, as /proc says: with the id it names a process for good. May be empty.
    std::string saved;        ///< ISO 8601, UTC.
    std::string path;         ///< Of the document; empty: never saved.
    std::string name;         ///< Shown, and suggested when saving.
    std::string folder;       ///< Where its relative paths start.
    std::string text;         ///< Every byte of the document.
};

/// The content of the file; bytes in names that are not UTF-8 become replacement characters, those of the document stay.
std::string sideFileText(const SideFile& side);

/// `file`: for messages. Errors: a first line that is no JSON object of this version, or with values of another kind.
Result<SideFile> readSideFile(const std::string& text, const std::string& file);

} // namespace fabricscope
