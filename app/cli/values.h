#pragma once

#include "core/base/result.h"
#include "core/program/collectiveop.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// A number written with digits alone (and a minus, where Number has one) that Number can hold: "010" is 10, "0x10" none.
template <typename Number>
std::optional<Number> wholeNumber(std::string_view text)
{
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

/// With so many digits behind the point.
std::string withDecimals(double value, int digits);

/// "1 finding", "2 findings", "2 switches".
std::string counted(std::int64_t count, std::string_view what);

/// The parts between commas, blanks around them cut off.
std::vector<std::string> commaSeparated(const std::string& text);

/// All of kCollectiveKeys.
std::span<const CollectiveOp> everyCollective();

/// "all_reduce, all_gather or broadcast".
std::string collectiveList(std::span<const CollectiveOp> ops);

/// The collective an option names, the same way in all commands: "all_reduce", also "allreduce", "all-reduce" and "AllReduce".
/// `taken`: those the command works on. Errors name the option.
Result<CollectiveOp> collectiveNamed(const std::string& name, const std::string& option, std::span<const CollectiveOp> taken = everyCollective());

} // namespace fabricscope::cli
