#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A formula over numbers that have names: "(wide - narrow) / wide", with min() and max(). Immutable; cheap to copy.
class CaseFormula {
public:
    /// Number of a name; nothing: there is none.
    using Names = std::function<std::optional<std::size_t>(std::string_view name)>;

    /// Errors: InvalidInput, with the character where it is wrong.
    static Result<CaseFormula> parse(const std::string& text, const Names& names);

    const std::string& text() const { return m_text; }
    /// Numbers that stand in it, in the order of the text.
    std::vector<std::size_t> uses() const;
    /// Nothing where it is no finite number: a division by 0. \pre `values` has those of uses()
    std::optional<double> value(std::span<const double> values) const;

private:
    enum class Op : std::uint8_t { Number, Name, Add, Subtract, Multiply, Divide, Negate, Least, Most };
    /// In the order of a calculator without brackets: operands, then what is done to them.
    struct Step {
        Op op = Op::Number;
        double number = 0;
        std::size_t name = 0;
    };
    class Parser;

    std::string m_text;
    std::vector<Step> m_steps;
};

} // namespace fabricscope
