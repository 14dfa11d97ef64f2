#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope::test {

/// (rank, buffer, index).
using MemoryCell = std::tuple<std::int32_t, BufferKind, std::int32_t>;
/// What a cell holds; a cell that is not there is undefined.
using ProgramMemory = std::map<MemoryCell, std::vector<Contribution>>;

struct ProgramRun {
    bool finished = false;
    std::string fault;    ///< An undefined read, a message of another count; empty: none.
    ProgramMemory memory;
};

/// Executes an explicit program with multisets of contributions, one operation at a time, taking a random one of those that can start.
/// Input i of rank r starts as {(r, i)} wherever the collective defines it (custom: everywhere). `aliased`: input and output are one memory.
/// `slots` messages fit into a connection, 0: any number. Written for tests, after the table of OpKind, without any code of the product.
ProgramRun runProgram(const Program& program, std::uint32_t seed, bool aliased, int slots = 0);

/// Does the memory hold what the collective requires of every output?
bool meetsContract(const Program& program, const ProgramMemory& memory, bool aliased);

/// A random sound program of `ranks` ranks with transfers, local operations, lanes and fused groups where `lanes` is set.
Program randomProgram(std::uint32_t seed, int ranks, int chunks, int operations, bool lanes);

} // namespace fabricscope::test
