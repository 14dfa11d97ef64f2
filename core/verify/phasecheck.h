#pragma once

#include "core/program/phaserules.h"
#include "core/verify/progressshare.h"
#include "core/verify/verifyfindings.h"

#include <stop_token>

namespace fabricscope {

/// The messages of one phase along one axis, as PhaseRules gives them; tests put wrong ones in their place.
class PhaseTable {
public:
    using Message = PhaseRules::Message;
    using Needs = PhaseRules::Needs;

    /// \pre as PhaseRules.
    PhaseTable(const PhaseTemplate& phase, std::int32_t extent) : m_rules(phase, extent) {}
    virtual ~PhaseTable() = default;
    PhaseTable(const PhaseTable&) = delete;
    PhaseTable& operator=(const PhaseTable&) = delete;

    std::int32_t extent() const { return m_rules.extent(); }
    const PhaseTemplate& phase() const { return m_rules.phase(); }
    virtual std::int32_t sendCount(std::int32_t r) const { return m_rules.sendCount(r); }
    virtual Message send(std::int32_t r, std::int32_t index, std::int64_t held) const { return m_rules.send(r, index, held); }
    virtual std::int32_t receiveCount(std::int32_t r) const { return m_rules.receiveCount(r); }
    virtual Message receive(std::int32_t r, std::int32_t index, std::int64_t held) const { return m_rules.receive(r, index, held); }
    virtual std::int32_t receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const { return m_rules.receiveIndex(r, step, slot); }
    virtual Needs needs(std::int32_t r, std::int32_t index) const { return m_rules.needs(r, index); }

private:
    PhaseRules m_rules;
};

/// Is there a phase of this kind by this algorithm (the precondition of PhaseRules)?
bool existsPhase(const PhaseTemplate& phase);

/// Proves that the messages of a phase do what its kind promises, from what they carry, whom they go to and what they wait for:
/// every block gets the contribution of each position exactly once (RS, AR), comes to every position (AG, broadcast), or to its own (A2A).
/// Findings: V7 (send and receive differ), V12 (waits for a later step), V14 (sent before its content is there), V16 (wrong content).
///
/// Ring, direct and in-network rules are the same at every position up to a shift of all positions and blocks, which is checked for the first,
/// a middle and the last message of every position; so all messages are looked at for position 0 alone. Halving-doubling and trees are
/// walked for every position. O(extent * log extent). Throws StopRequested.
void checkPhase(const PhaseTable& table, VerifyFindings& findings, const std::stop_token& stop, const ProgressShare& progress = {});

} // namespace fabricscope
