#pragma once

#include "core/program/nativerule.h"
#include "core/program/operationbytes.h"
#include "core/program/phaserules.h"
#include "core/program/windowturns.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/explicitplan.h"
#include "core/sim/common/folding.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope::events {

/// One phase of a template, with what the engine needs at every message precomputed.
struct PhasePlan {
    PhaseRules rules;
    PhaseKind kind;
    Sequence sequence;
    std::int32_t extent;
    std::int32_t stride;         ///< Distance of neighbours on the axis, in positions.
    std::int32_t forward;        ///< Ring: +1 or -1.
    std::int32_t window;         ///< Sequence::AtOnce: messages under way at once; 0: all.
    std::int32_t windowPlace;    ///< 2 * axis + direction: where Program::window counts.
    std::int32_t reduceBuffers;  ///< k; 0: nothing is reduced.
    std::int32_t routesPerPosition;
    std::vector<std::int32_t> routes; ///< [position * routesPerPosition + peer key]; -1: not asked yet. Empty: too many to keep.

    std::vector<std::int32_t> lines;  ///< In network, by the first position of a line: its number in Switches; kNone: not asked yet.

    PhasePlan(const std::vector<std::int32_t>& axes, const PhaseTemplate& phase);

    // As in PhaseRules; where these are searches (trees) the answers are kept per position on the axis.
    std::int32_t sendCount(std::int32_t r) const { return trees() ? tree(r).sendCount : rules.sendCount(r); }
    PhaseRules::Message send(std::int32_t r, std::int32_t index, std::int64_t held) const
    {
        return trees() ? treeMessage(tree(r).begin + index, held) : rules.send(r, index, held);
    }
    PhaseRules::Needs needs(std::int32_t r, std::int32_t index) const
    {
        return trees() ? m_needs[static_cast<std::size_t>(tree(r).begin + index)] : rules.needs(r, index);
    }
    std::int32_t receiveCount(std::int32_t r) const { return trees() ? tree(r).receiveCount : rules.receiveCount(r); }
    PhaseRules::Message receive(std::int32_t r, std::int32_t index, std::int64_t held) const
    {
        return trees() ? treeMessage(tree(r).begin + tree(r).sendCount + index, held) : rules.receive(r, index, held);
    }
    std::int32_t receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const;

    /// Does the position send or receive in this phase of a broadcast?
    bool takesPart(std::int32_t position) const { return position % stride == 0; }
    std::int32_t coordinate(std::int32_t position) const { return position / stride % extent; }
    /// Position of the peer at `other` on the axis.
    std::int32_t at(std::int32_t position, std::int32_t other) const { return position + (other - coordinate(position)) * stride; }

private:
    /// Messages of one position in m_messages: what it sends, then what it receives.
    struct Tree {
        std::int32_t begin = -1; ///< -1: not asked yet.
        std::int32_t sendCount = 0;
        std::int32_t receiveCount = 0;
    };
    bool trees() const { return rules.rule().searched; }
    const Tree& tree(std::int32_t r) const;
    PhaseRules::Message treeMessage(std::int32_t number, std::int64_t held) const;

    mutable std::vector<Tree> m_trees; ///< By position on the axis.
    mutable std::vector<PhaseRules::Message> m_messages;
    mutable std::vector<PhaseRules::Needs> m_needs; ///< As m_messages; of receives empty.
};

/// A program placed on the ranks of one group.
struct Plan {
    const Program* program = nullptr;
    std::vector<std::int32_t> ranks; ///< By position.
    std::vector<NodeId> nodes;       ///< By position.
    std::vector<std::pair<std::int32_t, std::int32_t>> byRank; ///< (rank, position), ascending.
    std::vector<PhasePlan> phases;   ///< Template: what chunks do, each different phase once.
    std::int32_t phaseCount = 0;     ///< Template: phases of a chunk.
    std::vector<std::int32_t> phaseOf; ///< [chunk * phaseCount + phase]: index into `phases`; empty: the phase itself.
    std::vector<std::vector<WindowTurn>> turns; ///< By window place; empty: chunks enter as they come.
    std::shared_ptr<const ExplicitPlan> operations; ///< Explicit; shared by all groups that run the program.
    std::vector<std::int32_t> routeOfWay; ///< Explicit, by ExplicitPlan::way; -1: not asked yet.
    std::vector<std::int32_t> lineOfTeam; ///< Explicit, by team: its number in Switches; -1: not asked yet.
    std::int64_t cells = 1;          ///< Product of the axes.
    std::vector<std::int32_t> standIn; ///< By position: that of the rank that stands for its rank (folding.h); empty: everybody does what he does.
    std::int32_t active = 0;         ///< Positions whose ranks are simulated.
    std::int32_t kept = 0;           ///< Positions from 0 on among which these are: what is kept of the others would never be looked at.
    const GroupLayout* folded = nullptr; ///< Position 0 stands for all; where the others are. Null: every position has its own place.

    /// What a chunk does in its phase of that number.
    PhasePlan& at(std::int32_t chunk, std::int32_t phase)
    {
        return phases[static_cast<std::size_t>(phaseOf.empty() ? phase : phaseOf[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(phaseCount) + static_cast<std::size_t>(phase)])];
    }
    /// Place of a position in `ranks`, `nodes` and whatever is kept per member.
    std::int32_t placeOf(std::int32_t position) const
    {
        if (!standIn.empty())
            return standIn[static_cast<std::size_t>(position)];
        return folded ? 0 : position;
    }
    NodeId nodeOf(std::int32_t position) const { return folded ? folded->rankAt(position) : nodes[static_cast<std::size_t>(position)]; }
    std::int32_t size() const { return static_cast<std::int32_t>(ranks.size()); }
    std::int32_t positionOf(std::int32_t rank) const; ///< -1: not a member. O(log members).
};

/// Plans of explicit programs of one rank that stands for all (foldprogram.h).
using FoldedOperations = std::map<const Program*, std::shared_ptr<const ExplicitPlan>>;

/// Plans made so far; one per (program, layout).
class Plans {
public:
    explicit Plans(const Structure& structure)
        : m_structure(structure)
    {
    }

    /// From now on position 0 of every plan stands for all its positions (symmetricrun.h). \pre layouts of base 0 only; explicit programs are those of
    /// one rank, whose plans `operations` holds
    void fold(const FoldedOperations& operations)
    {
        m_folded = true;
        m_operations = operations;
    }
    /// From now on some ranks stand for all (folding.h). \pre templates; who stands for a member is a member
    void fold(const Folding& folding) { m_folding = &folding; }
    /// \pre the instance has a program. The reference stays valid.
    Plan& of(const CollectiveInstance& instance);
    /// Sizes of the operations of an explicit program. The answer stays valid. Told to stop: not to be used.
    std::shared_ptr<const OperationBytes> sizesOf(const CollectiveInstance& instance, const std::stop_token& stop);

private:
    const Structure& m_structure;
    static void standIn(Plan& plan, const Folding& folding);

    bool m_folded = false;
    const Folding* m_folding = nullptr;
    std::map<std::pair<const Program*, std::int32_t>, std::unique_ptr<Plan>> m_plans;
    FoldedOperations m_operations; ///< Of all explicit programs.
    std::map<std::pair<const Program*, std::int64_t>, std::shared_ptr<const OperationBytes>> m_sizes;
};

} // namespace fabricscope::events
