#pragma once

#include "core/base/result.h"
#include "core/yaml/tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// One thing that was done in the window.
struct ActionStep {
    enum class Kind : std::uint8_t {
        Open,    ///< The file `what` became the design.
        Design,  ///< The text `text`, called `what`, did, or replaced that of the design on show where `what` is empty.
        Set,     ///< The field `what` of the design became `value`.
        Remove,  ///< The field `what` was taken out.
        Command, ///< The command `what` was done; where it can be on or off, it was `on` then.
    };
    Kind kind = Kind::Command;
    std::string what;
    std::string text;
    YamlNode value;
    std::optional<bool> on;
    Place place; ///< In the file it was read from.
};

/// A macro: what was done, in order.
struct ActionLog {
    std::vector<ActionStep> steps;
};

/// As a YAML text (manual: tour, "Macros"). Files in or below `folder` are named from there.
std::string actionLogText(const ActionLog& log, const std::string& folder);

/// Paths become absolute, from the folder of `file` on. Errors name the line and the field; keys that are not known are one.
Result<ActionLog> readActionLog(const std::string& text, const std::string& file);

/// What makes the tree of `before` that of `after`, at most `most` steps of Set and Remove. Nothing: it takes more, or something else, as another order of keys.
std::optional<std::vector<ActionStep>> fieldSteps(const YamlDocument& before, const YamlDocument& after, std::size_t most);

/// Makes one step of Set or Remove in a text.
Status applyStep(YamlDocument& document, const ActionStep& step);

} // namespace fabricscope
