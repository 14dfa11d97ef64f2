#pragma once

#include "core/base/result.h"
#include "core/model/graph/elementtype.h"
#include "core/model/graph/opgraph.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope::mlir {

/// A piece of the text as it stands there, and where it begins.
struct Span {
    std::string_view text;
    int line = 0;
    int column = 0;
};

/// Attributes by key. Values are kept as text: each is read by what knows its form.
using Attributes = std::map<std::string, Span, std::less<>>;

/// "tensor<64x32xf32>"; of tokens, tuples and the like only the text.
struct Type {
    Span text;
    bool tensor = false;
    TensorShape shape;
    ElementType element = ElementType::Fp32;
};

struct Operation;

/// "%arg0: tensor<8xf32> {sdy.sharding = ...}".
struct Argument {
    std::string name; ///< With its "%".
    Type type;
    Attributes attributes;
    Place place;
};

/// A list of ops in braces with what stands for its operands; of one block.
struct Region {
    std::vector<Argument> arguments;
    std::vector<Operation> ops;
};

/// One op in its pretty or its generic form; the two differ in what is a word and what an attribute.
struct Operation {
    std::string name;                                  ///< "stablehlo.add"; without quotes; "call" and "return" as "func.call" and "func.return".
    std::vector<std::pair<std::string, int>> results;  ///< "%0" and how many values it stands for.
    std::vector<std::string> operands;                 ///< "%0", "%0#1".
    std::vector<Span> words;                           ///< What stands alone: "LT", "@callee", "[0:4, 0:8]", "dense<0.0>".
    Attributes attributes;
    std::vector<Region> regions;
    std::vector<Type> resultTypes;
    Place place;
};

struct Function {
    std::string name; ///< Without "@".
    std::vector<Argument> arguments;
    std::vector<Argument> results; ///< Without names.
    Region body;
    Place place;
};

/// A module of functions in MLIR text. Refers to the text it was read from.
struct Module {
    Attributes attributes;
    std::vector<std::pair<std::string, Span>> meshes; ///< "sdy.mesh @mesh = <[...]>": name, what stands behind "=".
    std::vector<Function> functions;                  ///< Those with a body, in order.
    std::vector<Span> tilings;                        ///< Every "mhlo.sharding" of the text, in order.

    const Function* function(std::string_view name) const; ///< Null: none. O(functions).
};

/// Reads the text of a module with functions of `func` and ops whose names `known` takes. Errors name file, line and column: an op that is not known, broken text, types of
/// dynamic tensors, nesting above 32. In mlirparse.cpp, as Module::function(). O(text log lines).
Result<Module> readModule(std::string_view text, const std::string& file, bool (*known)(std::string_view name));

// The rest is in mlirscan.cpp.

/// Integers of "[1, 2]", "array<i64: 1, 2>", "dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>" (row-major), "dense<1> : tensor<2xi64>", "3 : i64", "[false, true]"; none where it is something else
/// or has more than 2^20. O(text).
std::optional<std::vector<std::int64_t>> integersOf(std::string_view text);
/// "a = ..., b = ..." inside "#stablehlo.gather<...>" or "{...}", by key. Empty where it is something else.
Attributes fieldsOf(const Span& text);
/// Items of "[a, b]" or "{a, b}" or "<a, b>", split at the outermost commas. Places go by the line of the whole.
std::vector<Span> itemsOf(const Span& text);
/// "\"x\"" without quotes and escapes; none where it is no string.
std::optional<std::string> stringOf(std::string_view text);
/// Without white space around it.
std::string_view trimmed(std::string_view text);

} // namespace fabricscope::mlir
