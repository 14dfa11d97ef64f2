#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace fabricscope {

/// What is selected in the window and in which workspace: a value, for going back and forth.
struct Selected {
    enum class Kind : std::uint8_t { Nothing, Npu, Link, Interval };
    Kind kind = Kind::Nothing;
    std::int64_t id = -1;   ///< Node, link, or track of the timeline.
    std::int32_t index = 0; ///< Of an interval on its track.
    QString workspace;
    std::string name = {};  ///< Of the task of an interval: after an edit another one may have its number.
    friend bool operator==(const Selected&, const Selected&) = default;
};

} // namespace fabricscope
