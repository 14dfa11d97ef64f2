#pragma once

#include "core/sim/components/components.h"
#include "core/sim/components/memo.h"
#include "core/sim/components/runcomponent.h"

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace fabricscope::events {

/// What collectives of a kind have in common: family, program, size.
struct CollectiveKind {
    FamilyId family = 0;
    Digest program;
    std::int64_t bytes = 0;
    friend auto operator<=>(const CollectiveKind&, const CollectiveKind&) = default;
};

/// Collectives that are left to the engine, message by message, because they meet others.
struct Apart {
    std::set<CollectiveKind> kinds;
    std::set<std::int32_t> instances;
    /// They are found one by one: a collective that would meet what is on its way when its members enter goes message by message at once, and a run in which others
    /// meet goes on, counting for nothing, to find them all.
    bool single = false;
};

/// Answers the collectives of a run as wholes, and proves that they share nothing (components.h).
class ComponentBoxes final : public Boxes {
public:
    /// `apart`: what is known of them; those that are found are added.
    ComponentBoxes(EngineState& state, const ComponentOptions& options, Apart& apart, std::stop_token stop);

    bool takes(const Run& run) override;
    bool leaves(const Run& run) override;
    Status answer(Run& run) override;
    Status begin(const Message& message) override;
    void end(const Message& message) override;

    /// Has something met a collective that had been answered? Then the run counts for nothing.
    bool hasMet() const { return m_met; }
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
    static std::int64_t startOf(const Run& run);
    void note(std::int32_t run);
    Status meet(std::int32_t first, std::int32_t second, const std::function<std::string()>& where);
    Status judge();
    std::function<std::string()> linkNamed(std::int32_t link) const;
    Result<CollectiveAnswerPtr> ask(const Run& run, Kind& kind);
    Result<Memo::Kept*> keptOf(const Run& run, Kind& kind, std::int64_t start);
    template <class Visit>
    bool everyUse(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, const Visit& visit);
    bool isFree(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start);
    Status claim(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start);
    void apply(Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, AnsweredBy by);
    Use& linkUse(std::int32_t link);

    EngineState& m_state;
    const ComponentOptions& m_options;
    Apart& m_apart;
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
    std::int64_t m_saved = 0;         ///< Events that answers have stood for.
    bool m_met = false;
};

} // namespace fabricscope::events
