#pragma once

#include <span>
#include <string_view>

namespace fabricscope::cli {

/// A file of resources, embedded at build time.
struct EmbeddedText {
    std::string_view name; ///< File name without number and ending; of a folder below examples and cases with it, "shard/megatron".
    std::string_view text;
};

/// The designs of resources/examples by name, and the files of other commands in its folders.
std::span<const EmbeddedText> exampleTexts();

/// The files of the case studies of resources/cases, "rail-clos/case" and beside it its designs.
std::span<const EmbeddedText> caseTexts();

/// The topics of resources/manual, in order of reading.
std::span<const EmbeddedText> manualTexts();

/// The measured sets of resources/measured.
std::span<const EmbeddedText> measuredTexts();

/// The JSON Schema of resources/schema.
std::span<const EmbeddedText> schemaTexts();

} // namespace fabricscope::cli
