#pragma once

#include "core/sim/events/boxes.h"
#include "core/sim/symmetry/foldedanswer.h"

#include <map>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope::events {

/// Answers the collectives of a folded run (graphrun.h) as wholes: of a plan they are the same few, over and over. As in components.h a collective is answered so as long as its
/// links, reducers and budgets serve nobody else from its first work on each of them to the last, which is proved link by link; what a rank that is simulated does in it alone
/// is found once by the same folded engine (foldedanswer.h). Where something else is on the way when its members enter it goes message by message. What comes while it is
/// under way shows that the run was wrong: the next try lets that one collective go message by message from the start. The first few of a kind always do: long ones that are few meet most.
class FoldedBoxes final : public Boxes {
public:
    /// `apart`: instances that go message by message; the run adds those that met something.
    FoldedBoxes(EngineState& state, std::set<std::int32_t>& apart, std::stop_token stop) : m_state(state), m_apart(apart), m_stop(std::move(stop)) {}

    bool takes(const Run& run) override;
    bool leaves(const Run& run) override;
    Status answer(Run& run) override;
    Status begin(const Message& message) override;
    void end(const Message& message) override;

    /// Has something met a collective that had been answered? Then the run counts for nothing.
    bool hasMet() const { return m_met; }
    /// Has something met one where answers save so little that another try is not worth it? The run has stopped then.
    bool hasGivenUp() const { return m_givenUp; }
    /// Hands what the boxes did over to the state of the finished run: busy time of the dimensions.
    void finish();
    /// The same for a record of the run so far, of all copies.
    void addBusyTo(RunRecord& record) const;
    std::int64_t messages() const { return m_messages; } ///< Of the ranks that are simulated.

private:
    /// Use of a link or NPU so far.
    struct Use {
        std::int64_t until = 0;     ///< End of the work of boxes.
        std::int32_t instance = -1; ///< Of that box.
        std::int32_t outside = 0;   ///< Messages outside boxes on their way over it.
    };
    struct Known {
        FoldedAnswer answer;
        std::vector<std::int64_t> starts; ///< When it was used.
    };
    /// Collectives of one plan and size, by the entries of their members.
    using Kind = std::map<std::vector<std::int64_t>, Known>;

    Result<Known*> knownOf(const Run& run, std::int64_t start);
    std::int64_t startOf(const Run& run) const;
    bool isFree(const FoldedAnswer& answer, std::int64_t start);
    void claim(const FoldedAnswer& answer, std::int64_t start, std::int32_t instance);
    void note(std::int32_t instance);
    Status judge();
    Use& linkUse(std::int32_t link);
    Use& nodeUse(std::vector<Use>& uses, NodeId node);
    void addUses(std::vector<BusySum>& sums, std::int64_t copies) const;

    EngineState& m_state;
    std::set<std::int32_t>& m_apart;
    std::stop_token m_stop;
    std::map<std::pair<const Plan*, std::int64_t>, Kind> m_kinds;
    std::map<std::pair<const Plan*, std::int64_t>, int> m_seen; ///< How many were issued, up to those that are always followed.
    std::vector<Endpoint> m_endpoints; ///< Of all nodes, idle between two answers.
    std::vector<Use> m_links;          ///< As Network::links().
    std::vector<Use> m_in;             ///< By node: reducer and ejection budget.
    std::vector<Use> m_out;            ///< By node: injection budget.
    std::vector<std::int64_t> m_entries;
    std::int64_t m_messages = 0;
    std::int64_t m_saved = 0;          ///< Events that answers have stood for.
    bool m_met = false;
    bool m_givenUp = false;
};

} // namespace fabricscope::events
