#pragma once

#include "core/plan/steptime.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fabricscope {

/// The groups of ranks of a layout, in an order that is the same for every layout of the same sizes.
using PlanGroups = std::array<PlanGroup, 10>;
PlanGroups groupsOf(const PlanLayout& layout);

/// What the communications of the plans of one block take in every order of their axes. Sizes are the same in all of them, only who is next to whom differs: every communication is timed once per order.
class MessageTimes {
public:
    /// The groups of every order of the axes, without and with shared states (ZeRO); nothing where there is no such layout.
    using OfOrder = std::array<std::optional<PlanGroups>, 2>;
    /// `groups`: of an order; asked at most once for each.
    MessageTimes(const PlanNpu& npu, std::size_t orders, std::function<OfOrder(std::size_t)> groups) : m_npu(npu), m_groups(std::move(groups)), m_orders(orders), m_seconds(orders) {}

    std::size_t orders() const { return m_orders.size(); }
    /// The number of a communication of a layout with the first order. Without a layout of that order, or a group that is none of its: kUnknown, which takes no time.
    std::size_t indexOf(const PlanLayout& layout, const PlanCommunication& row);
    double seconds(std::size_t order, std::size_t message);
    static constexpr std::size_t kUnknown = SIZE_MAX;

private:
    struct Message {
        PlanCommunication row;  ///< Its group is that of the order asked for.
        std::size_t group = 0;  ///< Index in PlanGroups.
        bool shared = false;    ///< Which of the two.
        std::int64_t pair = 0;  ///< Where it is two ranks of the group: how many apart; else 0.
    };
    const OfOrder& groupsOfOrder(std::size_t order);

    const PlanNpu& m_npu;
    std::function<OfOrder(std::size_t)> m_groups;
    std::vector<std::optional<OfOrder>> m_orders;
    std::vector<Message> m_messages;
    std::vector<std::vector<double>> m_seconds; ///< By order and message; below 0: not known yet.
};

/// What the steps of plans with the same stages and the same sharing of states are bounded by.
class StepBounds {
public:
    /// `spread`, `messages` outlive it; the layout of `spread` is that of the first order.
    StepBounds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts, const PlanNpu& npu, MessageTimes& messages);

    /// Seconds that no step with this order of axes is shorter than: every place computes and sends what it has to; before its first pass others have theirs, and after its last backward pass; then what
    /// nothing hides, and the optimizer. O(places + rows).
    double least(std::size_t order);
    /// The same of the passes alone: without gradients, parameters and the optimizer. No step is shorter however states are shared.
    double leastPasses(std::size_t order);
    /// The same without any communication.
    double leastComputing() const { return pipelineSeconds(m_least, 0); }
    /// What places compute and their layers send, on average over them: no step is shorter whatever the schedule. `computing`: of computingSeconds(); `pairs`: of the schedules some hide one behind the other.
    double leastOnAverage(double computing, std::size_t order, bool pairs);

private:
    struct Row {
        std::size_t message = 0;
        std::size_t ofAll = 0; ///< The same with the places of the pipeline at it together.
        double count = 0; ///< Per step.
        StepShare share = StepShare::Data;
        bool ofPasses = false; ///< However states are shared.
    };
    /// What an order takes: many orders send alike.
    struct Known {
        std::vector<SentSeconds> sums; ///< By class of places.
        double seconds = 0;
    };
    void findRows();
    SentSeconds sumOf(std::size_t order, const std::vector<Row>& rows, bool ofPasses);
    std::vector<SentSeconds> sumsOf(std::size_t order, bool ofPasses);
    double secondsOf(const std::vector<SentSeconds>& sums, bool ofPasses) const;
    double known(std::vector<Known>& all, std::size_t order, bool ofPasses);
    double pipelineSeconds(const std::vector<WorkSeconds>& stages, double latency) const;
    /// What the passes of the busiest place send. `stages`: with it.
    double sendingSeconds(const std::vector<WorkSeconds>& stages) const;
    double passesOf(std::int64_t place) const;
    /// Less what may be lost where times become whole ticks. `longest`: no pass takes longer.
    double certain(double seconds, double longest) const;

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    const PlanNpu& m_npu;
    MessageTimes& m_messages;
    std::vector<WorkSeconds> m_stages; ///< Computing, as estimated ...
    std::vector<WorkSeconds> m_least;  ///< ... and no longer than that, however passes are split.
    std::vector<std::vector<std::int64_t>> m_stagesOf; ///< By place.
    // Where communication is asked for:
    AlikePlaces m_alike;
    std::vector<std::vector<Row>> m_rows; ///< By class of places.
    double m_optimizer = 0;
    std::vector<Known> m_known;
    std::vector<Known> m_knownPasses;
};

} // namespace fabricscope
