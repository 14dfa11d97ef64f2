#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

/// A JSON document with the places of its outermost keys.
struct JsonDocument {
    nlohmann::json root;
    std::string file;
    std::map<std::string, std::int64_t> keyOffsets; ///< Byte behind the key; outermost object only.
    std::string text;

    /// File, line and column of an outermost key, and the key as field; file and field alone when it is not there.
    Place placeOf(const std::string& key) const;
};

/// Line and column (1-based, in bytes) of a byte offset.
Place placeAt(std::string_view text, std::int64_t offset, const std::string& file);

/// More levels of brackets than this are refused in every JSON text this program reads. Whoever walks over a value may recurse.
constexpr std::size_t kMaxJsonLevels = 64;

/// Refuses text with more than kMaxJsonLevels levels of brackets, before any parser sees it; broken JSON is left to the parser. `place` gets
/// line and column. O(bytes), no memory.
Status checkJsonLevels(std::string_view text, Place place);

/// Appends a value in one line; bytes that are not UTF-8 are replaced. Looks at `stop` for every value and throws StopRequested (stop.h).
void appendJson(std::string& text, const nlohmann::json& value, const std::stop_token& stop);

/// Parses strict JSON. Refused, with file, line and column: syntax errors (a comma before a closing bracket is named), a key that stands
/// twice in one object, more than kMaxJsonLevels levels, more than kMaxDocumentBytes (textfile.h). `file` is only for messages. Told to stop: Cancelled.
Result<JsonDocument> parseJson(std::string text, const std::string& file, const std::stop_token& stop = {});

} // namespace fabricscope
