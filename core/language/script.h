#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Limits of a script; what exceeds them is an error with its line, never a hang.
struct ScriptLimits {
    std::int64_t instructions = 200'000'000;             ///< Of Lua; our own functions are charged in the same unit.
    std::int64_t memoryBytes = std::int64_t{512} << 20;  ///< Of Lua and of the values that are followed.
    std::int64_t operations = 8'000'000;                 ///< Of the program: a transfer is two (send, receive), in each instance.
};

struct ScriptRequest {
    std::string_view text;
    std::string name = "script.lua";               ///< For messages.
    std::map<std::string, double> parameters;      ///< Values for the script's `param(name, default)`.
    ScriptLimits limits{};
    std::stop_token stop{};
};

/// A `param` of a script.
struct ScriptParameter {
    std::string name;
    double value = 0;  ///< What the script got ...
    double usual = 0;  ///< ... and what it gets when nothing is said; the value where the script has no default.
    int line = 0;
};

/// A collective written in a small language in the spirit of MSCCLang (Cowan et al., "MSCCLang: Microsoft Collective Communication Language",
/// ASPLOS 2023): Lua 5.4 without files, modules or clocks (luastate.h says what is kept), and these words. Ranks, chunks, steps count from 0.
///
///     collective("all_reduce", {ranks = param("ranks", 8), chunks = 8})
///     for c = 0, chunks() - 1 do
///       local sum = chunk(c, "input", c)
///       for s = 1, ranks() - 1 do
///         sum = chunk((c + s) % ranks(), "input", c):reduce(sum)
///       end
///       for s = 0, ranks() - 2 do
///         sum = sum:copy((c + s) % ranks(), "input", c)
///       end
///     end
///
/// `collective(op, {ranks=, chunks=, root=, inplace=, protocol=, name=, min_bytes=, max_bytes=})`: first, once. `op` is "all_reduce", "reduce",
///   "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter" or "custom". `chunks` (usually as many as ranks) are those of
///   the larger of input and output. `inplace`: true (usual) input and output are one memory, false they are not, "both" the program is right
///   either way. `protocol`: "simple", "ll", "ll128". Sizes are numbers or texts such as "64 MiB".
/// `param(name, default)`: a number from outside, else the default. `ranks()`, `chunks()`, `root()`: what collective() was told.
/// `chunk(rank, buffer, index [, count])`: the chunk, or `count` consecutive ones, of buffer "input", "output" or "scratch" (also the names input,
///   output, scratch); an error where nothing has been put. Scratch grows with use.
/// `c:copy(rank [, buffer [, index]] [, {options}])`: copies to another place, by a message where the rank is another one; gives the chunk there.
///   Buffer and index are the chunk's own where left out.
/// `c:reduce(other [, {options}])`: adds `other` to c's place, by a message where other's rank is another one. Gives c, which then stands for the sum.
/// `c:group(other)`: both as one, where other follows c. `c:split(n)`: a list of n equal parts. `c:rank()`, `c:buffer()`, `c:index()`, `c:count()`.
/// `c:put(rank [, buffer [, index]] [, {options}])`: as copy to another rank, one-sided: that rank may use it when it has waited for a signal behind it.
/// `signal(from, to [, {options}])`: tells `to` of all that `from` has put there, or had switches copy there, on this channel; `wait(rank, from [, {options}])`
///   waits for the next such signal.
/// `c:switch_copy({ranks} [, buffer [, index]] [, {options}])`: copies the chunk to one place of all these ranks, its own among them, by the switch that
///   joins them (innetwork.h). `c:switch_reduce({ranks} [, buffer [, index]] [, {options}])`: the sum of c's place on all these ranks, formed in the
///   switch, to c's rank; with the option `copy = true` to all of them, without another way up. Both give the chunk at c's rank; the
///   other ranks see theirs behind a signal and a wait, or at the end.
/// Options: `ch` channel (connection), `sendtb` and `recvtb` lanes (thread blocks) of the sender and the receiver, `tb` or `lane` that of local
///   work, of one-sided operations and of those of switches, `step`, `phase`, `dimension`, `tree`; `fused = true` (copy, reduce): sent on in the same step
///   as the operation just before has brought it (receive-copy-send, receive-reduce-copy-send), on the same channel.
/// `channel(n [, function])`, `phase(name [, function])`, `tags{dimension=, tree=}`: the same for all that follows, or for what the function does.
/// `instances(p [, "interleaved" or "batched"])`: before the first operation: p copies of the program, each on its part of every chunk (with
///   "batched", on its part of the buffer). `instances(p, function)`: of what the function does (MSCCLang: parallelize).
/// `weights{...}`: shares of the chunks, one number each.
/// `before(rank, "input", index [, count])` and `expect(rank, buffer, index, {{rank, index}, ...})`: conditions of a custom collective. Without
///   before(), all inputs are defined.
/// `print(...)`: a note with its line.
///
/// The order of the script is the order of the data: each operation sees what those before it left. Dependencies follow from that (who wrote what
/// it reads, who used what it writes); operations without one run at the same time. A chunk whose place was overwritten by something else is stale
/// and cannot be used; adding a contribution twice is an error (in a custom collective, that is for expect() to say). At the end memory is compared
/// with the contract: a note with rule "postcondition" says what is not as it must be; the program is made all the same, to be looked at.
struct Script {
    ProgramPtr program;
    /// With lines: rule "postcondition" and "parameter" (not used by the script) are warnings, "print" is a note.
    Diagnostics notes;
    std::vector<ScriptParameter> parameters; ///< In the order the script asks for them.
    std::vector<std::string> phases;         ///< Names of OpTags::phase.
};

/// Runs the script and makes its program. ExplicitBody::sourceId is the line a transfer was written on. Deterministic.
/// Errors: Place::line is the line of the script; Cancelled.
Result<Script> compileScript(const ScriptRequest& request);

} // namespace fabricscope
