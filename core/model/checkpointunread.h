#pragma once

#include "core/base/jsontext.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// What a field of a config.json that no architecture read may be.
enum class UnreadField : std::uint8_t {
    Harmless, ///< Known not to change sizes: activation functions, tokens, ways to generate.
    Unknown,  ///< Nothing is known of it; its name and value do not look like a size.
    Sizes     ///< Its name has a word of sizes, biases, norms or experts and its value is not off: it may change counts.
};

/// Sorts a field by name and value. O(length of the name).
UnreadField unreadField(const std::string& key, const nlohmann::json& value);

} // namespace fabricscope
