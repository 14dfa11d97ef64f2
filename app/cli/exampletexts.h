#pragma once

#include <span>
#include <string_view>

namespace fabricscope::cli {

/// A design of resources/examples, embedded at build time.
struct ExampleText {
    std::string_view name; ///< File name without ending.
    std::string_view text;
};

/// All of them, by name.
std::span<const ExampleText> exampleTexts();

} // namespace fabricscope::cli
