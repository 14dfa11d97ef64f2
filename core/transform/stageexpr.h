#pragma once

#include "core/base/keytable.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::transform {

enum class ElementType : std::uint8_t { Fp64, Fp32, Fp16, Bf16 };
inline constexpr KeyTable<ElementType, 4> kElementTypes{{{"fp32", ElementType::Fp32}, {"fp16", ElementType::Fp16}, {"bf16", ElementType::Bf16}, {"fp64", ElementType::Fp64}}};
std::int64_t bytesOf(ElementType type);

/// One node of an expression.
struct ExprNode {
    enum class Kind : std::uint8_t { Number, Leaf, Negate, Add, Subtract, Multiply, Divide, Max, Min, Sqrt, Abs, Exp, Tanh, Cast };
    Kind kind = Kind::Number;
    double number = 0;         ///< Number; of a named scalar its value.
    std::string word{};        ///< Number: as written, or the name of the scalar.
    std::int32_t leaf = 0;     ///< Leaf: number of the operand.
    std::int32_t left = -1;    ///< Node; -1: none.
    std::int32_t right = -1;
    ElementType type = ElementType::Fp32; ///< Cast.
};

/// An expression over operands, children before parents, the root last. Empty: none.
struct ExprTree {
    std::vector<ExprNode> nodes;

    bool empty() const { return nodes.empty(); }
    /// As text with `leafText` for operands, parentheses only where needed.
    std::string text(const std::function<std::string(std::int32_t)>& leafText) const;
    /// Its value for values of the operands. O(nodes).
    double evaluate(const std::function<double(std::int32_t)>& leafValue) const;
};

/// What a name in an expression is.
struct ExprNames {
    std::function<std::optional<double>(std::string_view)> scalar;
    std::function<std::optional<std::int32_t>(std::string_view)> operand; ///< Number of the operand of that name, added where it is new.
};

inline constexpr std::size_t kMostExprNodes = 2000;

/// Reads "+ - * /", parentheses, numbers, names, sqrt, abs, exp, tanh, max, min and the casts fp32, fp16, bf16, fp64 ("fp32(g)").
/// At most kMostExprNodes nodes, 64 levels deep. Error: what is wrong; Place::offset is the byte in the text, 0-based.
Result<ExprTree> parseExpr(std::string_view text, const ExprNames& names);

} // namespace fabricscope::transform
