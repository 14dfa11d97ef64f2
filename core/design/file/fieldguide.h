#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

// What may stand at a place of a design file, for an editor. It is what reading the file would accept there, so that no list has to be kept beside the readers.

struct FieldChoice {
    std::string word;
    std::string text;   ///< What a key means; empty: not known, or no key.
    bool isKey = false; ///< Is followed by ": ".
    friend bool operator==(const FieldChoice&, const FieldChoice&) = default;
};

struct FieldChoices {
    std::size_t begin = 0; ///< Bytes of the text that a choice replaces: the word that is written there so far.
    std::size_t end = 0;
    std::vector<FieldChoice> choices; ///< In the order of the format; keys that the mapping has already are left out. Not only those that begin as the word does.
};

/// Keys, words or units that may stand where the cursor is, at a byte of the text; none inside comments and where nothing is known. The rest of the text need not be right, but it has to be YAML; brackets of
/// the line that are not closed yet count as closed. O(text).
FieldChoices choicesAt(const std::string& text, std::size_t offset);

/// What a field means.
struct FieldMeaning {
    std::string path;     ///< "platform.dimensions[0].shape"
    std::string text;     ///< Empty: not known.
    std::string expected; ///< "one of ring, switch", "a bandwidth such as 50 GB/s"; empty: not known.
};

/// Of the field whose key or value is at a byte of the text; nothing between fields, or where the text is no YAML. O(text).
std::optional<FieldMeaning> meaningAt(const std::string& text, std::size_t offset);

/// Units of a measure that are offered, in ascending order: "ns", "us", ...
std::vector<std::string_view> unitWords(Measure measure);

} // namespace fabricscope
