#pragma once

#include "core/base/result.h"
#include "core/language/scripttrace.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Gives the operations of a script their lanes; see buildProgram().
class ScriptLanes {
public:
    explicit ScriptLanes(std::int32_t ranks) : m_ranks(static_cast<std::size_t>(ranks)) {}

    /// Keeps and checks the lanes a script chose. Error: its place is the line.
    Status choose(const std::vector<ScriptOperation>& operations);
    /// Lane of the sending side (or of a local operation) and of the receiving side. \pre choose() succeeded.
    std::int32_t sending(const ScriptOperation& operation);
    std::int32_t receiving(const ScriptOperation& operation);
    /// Lane of the one rank that does an operation of another form. \pre as above.
    std::int32_t alone(const ScriptOperation& operation);
    /// Makes `lane`, which brings what the fused operation sends on, the one that sends it. Error: another lane sends on the connection, or
    /// the lane sends to another rank; its place is the line.
    Status pass(const ScriptOperation& operation, std::int32_t lane);

private:
    /// What a lane is bound to, and the line that bound it.
    struct Bound {
        std::int32_t sendsTo = -1;
        std::int32_t receivesFrom = -1;
        std::int32_t channel = -1;
        std::int32_t sendLine = 0;
        std::int32_t receiveLine = 0;
        std::int32_t channelLine = 0;
    };
    struct Rank {
        std::unordered_map<std::int32_t, Bound> chosen;
        std::unordered_map<std::uint64_t, std::int32_t> own;      ///< Lane by what it is for.
        std::unordered_map<std::int32_t, std::int32_t> passesTo;  ///< By lane: the rank it sends on to.
        std::int32_t next = 0;                                    ///< First lane the script did not choose.
    };

    Status bind(std::int32_t rank, std::int32_t lane, std::int32_t peer, bool sends, const ScriptOperation& operation);
    std::int32_t laneOf(std::int32_t rank, std::int32_t chosen, std::int32_t peer, int side, std::int32_t channel);

    std::vector<Rank> m_ranks;
    /// By (source, target, channel): the lane that sends and the one that receives, -1: automatic; and the first line.
    struct Ends {
        std::int32_t sending = -1;
        std::int32_t receiving = -1;
        std::int32_t line = 0;
    };
    std::unordered_map<std::uint64_t, Ends> m_connections;
};

} // namespace fabricscope
