#pragma once

#include "tests/unit/support/oracles/oraclenetwork.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace fabricscope::test {

/// One chunk in one phase on one rank.
struct OracleCell {
    std::int32_t phase = 0;
    std::int32_t chunk = 0;
    bool empty = false;  ///< The chunk has no bytes: it needs no place in a window.
    int turn = -1;       ///< In the window of its axis and direction, ascending; -1: as they come.
    bool wanted = false; ///< Previous phase complete.
    std::int64_t wantedSince = 0;
    bool own = false;    ///< Entered the phase: the rank's own part is there.
    bool complete = false;
    std::vector<int> receives; ///< Messages.
};

/// A message of a template program and what must have happened before it is sent.
struct OracleSend {
    int message = 0;
    std::size_t cell = 0;
    bool needsOwn = false;
    std::vector<int> needsDone;
    std::vector<int> needsLeft;
    bool released = false;
};

/// An operation of an explicit program.
struct OracleOp {
    OpKind kind = OpKind::Compute;
    std::int64_t duration = 0;
    int message = -1; ///< -1: none, or of zero bytes.
    std::vector<std::size_t> depends; ///< Indices into OracleMember::ops.
    int slotMember = -1;              ///< Send: a slot is free `slotReturn` after operation slotOp of that member is finished.
    std::size_t slotOp = 0;
    std::int64_t slotReturn = 0;
    std::int64_t finishedAt = -1;
    bool started = false;
    bool finished = false;
};

/// One rank in one collective instance.
struct OracleMember {
    int instance = 0;
    std::int32_t rank = 0;
    std::int32_t task = -1; ///< -1: not issued.
    bool entered = false;
    bool done = false;
    std::vector<OracleCell> cells; ///< chunk * phases + phase.
    std::vector<OracleSend> sends;
    std::vector<OracleOp> ops;
};

/// All members of all instances, by (instance, rank), with their messages written out.
struct OracleMembers {
    std::vector<OracleMember> all;
    std::map<std::pair<int, std::int32_t>, int> index;
    std::map<int, std::pair<int, int>> ends; ///< Message: sender, receiver, as indices into `all`.

    /// The member, made when it is not there (instances without a program).
    int of(int instance, std::int32_t rank);
};

/// Writes out every instance that has a program and is not replayed; the messages are added to the network.
OracleMembers expandInstances(const Structure& structure, OracleNetwork& network);

} // namespace fabricscope::test
