#pragma once

#include "core/base/result.h"
#include "core/language/script.h"
#include "core/yaml/tree.h"

namespace fabricscope {

/// A program of computations and collectives (manual: transform 2.1), written in the Lua of scripts (luastate.h says what is kept of it), with these words:
///
///     ranks(128)
///     local N = size("N", 268435456)
///     local lr = scalar("lr", 0.01)
///     local g = tensor("g", {N}, {dtype = "fp32", layout = "local"})
///     local w = tensor("w", {N})
///     local s = all_reduce("s", g)
///     local w1 = update("w1", w, w - lr*s)
///     outputs(w1)
///     split(s)
///     platform {dimensions = {{shape = "switch", size = 128, bandwidth = "80 GB/s", latency = "1 us"}}}
///
/// `ranks(n [, groups])`; `size(name, n)`, `scalar(name, x)`: values with names, which `--set` finds; `tensor(name, shape [, {dtype=, layout=, group=}])`.
/// A stage is OPERATION(name, operands... [, {settings}]), `expr(name, e)` or `update(name, tensor, e)`; each gives its value. Values and numbers are computed with by
///   + - * /, unary -, sqrt, abs, exp, tanh, max, min and the casts fp64, fp32, fp16, bf16.
/// `outputs(...)`, `may_slice(...)`; the schedule by split(s), reorder(g, {a, b}), as_slice(t), fuse {a, b}, overlap(a, b), dead(g), with values or names such as "s.ag".
/// `platform {...}`, `collectives {...}`, `options {...}`: as in the YAML form.
///
/// Gives the section `transform` of that form as a tree whose nodes have the lines of the script. Errors name file and line; what the words mean is checked by whoever reads
/// the tree. MemoryLimit, Cancelled.
Result<YamlNode> tensorScriptTree(const ScriptRequest& request);

/// Is it such a script and no collective? By its words.
bool isTensorScript(std::string_view text);

} // namespace fabricscope
