#pragma once

#include "core/sim/components/components.h"
#include "core/sim/components/memo.h"
#include "core/sim/components/runcomponent.h"

#include <array>
#include <optional>
#include <set>

namespace fabricscope::events {

/// What collectives of a kind have in common: family, program, size.
struct CollectiveKind {
    FamilyId family = 0;
    Digest program;
    std::int64_t bytes = 0;
    friend auto operator<=>(const CollectiveKind&, const CollectiveKind&) = default;
};

/// Answers the collectives of a run as wholes, and proves that they share nothing (components.h).
class ComponentBoxes final : public Boxes {
public:
    /// `apart`: kinds that are known to meet others and are left to the engine, message by message.
    ComponentBoxes(EngineState& state, const ComponentOptions& options, const std::set<CollectiveKind>& apart, std::stop_token stop);

    bool takes(const Run& run) override;
    Status answer(Run& run) override;
    Status begin(const Message& message) override;
    void end(const Message& message) override;

    /// The kinds that met when answer() or begin() was refused; empty: another reason.
    const std::vector<CollectiveKind>& met() const { return m_met; }
    /// Hands what the boxes did over to the state of the finished run: busy time of the dimensions.
    void finish();
    /// The same for a record of the run so far: busy time is shown up to its instant.
    void addBusyTo(RunRecord& record) const;
    /// Shares of all messages; `others` went outside the boxes.
    std::vector<EngineShare> shares(std::int64_t others) const;
    std::int64_t events() const { return m_events; }

private:
    /// Use of a link or NPU so far.
    struct Use {
        std::int64_t until = 0;       ///< End of the work of boxes.
        std::int32_t user = kNone;    ///< Run of that box.
        std::int32_t outside = 0;     ///< Messages outside boxes on their way over it.
        std::int32_t outsider = kNone; ///< Run of one of them.
    };
    struct Kind {
        const GroupPlaces* places;
        Digest seed;                  ///< Of places and size.
        std::optional<bool> sweeps;   ///< Does the sweep follow it? Not asked yet when absent.
    };

    Kind& kindOf(const Run& run);
    CollectiveKind nameOf(std::int32_t run);
    Error meet(std::int32_t first, std::int32_t second, const std::string& where);
    Result<CollectiveAnswerPtr> ask(const Run& run, Kind& kind);
    Status claim(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start);
    void apply(Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, AnsweredBy by);
    Use& linkUse(std::int32_t link);

    EngineState& m_state;
    const ComponentOptions& m_options;
    const std::set<CollectiveKind>& m_apart;
    std::stop_token m_stop;
    bool m_records;                   ///< Every message is asked for.
    GroupPlacesCache m_places;
    CollectiveRunner m_runner;
    Memo m_memo;
    std::map<std::pair<const Plan*, std::int64_t>, Kind> m_kinds;
    std::vector<Use> m_links;         ///< As Network::links().
    std::vector<Use> m_in;            ///< By node: reducer and ejection budget.
    std::vector<Use> m_out;           ///< By node: injection budget.
    std::vector<BusySum> m_busy;      ///< By dimension: of answers that are not in the memo any more.
    std::vector<std::int64_t> m_words;
    std::array<std::int64_t, kAnswerers> m_answered{}; ///< Messages, by AnsweredBy.
    std::int64_t m_events = 0;
    std::vector<CollectiveKind> m_met;
};

} // namespace fabricscope::events
