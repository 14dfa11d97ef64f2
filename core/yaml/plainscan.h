#pragma once

#include <cstddef>
#include <string_view>

namespace fabricscope {

class YamlBuilder;

/// Longest line that scanPlainYaml() takes, so that few tokens would wait in yaml-cpp (YamlCost).
constexpr std::size_t kPlainLine = 4096;

/// Reads a text of the plain part of YAML that generated files are made of and hands `builder` the events yaml-cpp would: maps and lists in
/// block form, or in [] or {} on one line, and values on one line, plain or in quotes without escapes; ASCII without tabs. False where
/// anything else is met, be it right or wrong: the builder is of no use then, and yaml-cpp must read the text. Throws what the builder throws.
bool scanPlainYaml(std::string_view text, YamlBuilder& builder);

} // namespace fabricscope
