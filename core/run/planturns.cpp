#include "core/run/planturns.h"

#include "core/scenario/designplan.h"

#include <cmath>

namespace fabricscope {

namespace {

constexpr const char* kMemoryField = "platform.npu.memory";

constexpr double kFine = 1e-6; ///< Of the figure.

std::string bandwidthField(const PlatformSpec& platform, std::size_t dimension)
{
    return "platform.dimensions." + std::to_string(dimension) + (platform.dimensions[dimension].bandwidthIsPerNpu ? ".npu_bandwidth" : ".bandwidth");
}

class TurnFinder {
public:
    TurnFinder(const Design& design, const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search, const std::vector<SearchedPlan>& plans, const PlanSearchOptions& options)
        : m_design(design), m_model(model), m_own(own), m_ranks(ranks), m_search(search), m_best(plans.front()), m_others(plans.begin() + 1, plans.end()), m_options(options)
    {
        m_search.top = 1;
        m_search.objectives = {PlanObjective::StepTime};
        m_options.progress = {};
        m_told = options.progress;
    }

    Result<std::vector<PlanTurn>> run()
    {
        const auto platform = Platform::create(*m_design.platform, m_options.stop);
        if (!platform)
            return platform.error();
        const PlanNpu npu = planNpuOf(m_design, platform.value());
        const std::size_t bandwidths = npu.communication ? platform.value().dimensions().size() : 0;
        const std::size_t figures = 2 * (bandwidths + (npu.memory ? 1 : 0));
        for (std::size_t i = 0; i < figures; ++i) {
            if (m_told)
                m_told({i, figures, 0});
            const bool more = i % 2 == 0;
            if (Status status = i / 2 < bandwidths ? addBandwidth(i / 2, more) : addMemory(npu, more); !status)
                return std::move(status).error();
        }
        return std::move(m_turns);
    }

private:
    Result<PlanNpu> npuWith(const std::string& field, double value) const
    {
        const Design changed = designWithFigure(m_design, field, value);
        const auto platform = Platform::create(*changed.platform, m_options.stop);
        return platform ? Result<PlanNpu>(planNpuOf(changed, platform.value())) : Result<PlanNpu>(platform.error());
    }

    /// The best plan whose step is shorter than that; nothing: there is none.
    Result<std::optional<SearchedPlan>> shorterThan(const PlanNpu& npu, std::optional<std::int64_t> step, PlanObjective objective = PlanObjective::StepTime)
    {
        m_options.shorterThan = step;
        m_search.objectives = {objective};
        Result<PlanSearchResult> found = searchPlans(m_model, m_own, m_ranks, npu, m_search, m_options);
        if (!found)
            return std::move(found).error();
        return found.value().plans.empty() ? std::optional<SearchedPlan>() : std::optional(std::move(found.value().plans.front()));
    }

    std::int64_t stepWith(const SearchedPlan& plan, const PlanNpu& npu) const { return estimatedStep(m_model, plan, m_ranks, npu).value_or(INT64_MAX); }

    /// The shortest of the plans that are known, where it is shorter than that.
    std::optional<SearchedPlan> knownShorterThan(const PlanNpu& npu, std::int64_t step) const
    {
        const SearchedPlan* shortest = nullptr;
        for (const SearchedPlan& plan : m_others) {
            const std::int64_t own = npu.memory && plan.memory > *npu.memory ? INT64_MAX : stepWith(plan, npu);
            if (own < step) {
                step = own;
                shortest = &plan;
            }
        }
        return shortest ? std::optional(*shortest) : std::nullopt;
    }

    /// A plan whose step is shorter than that of the winner; nothing: there is none.
    Result<std::optional<SearchedPlan>> another(const PlanNpu& npu)
    {
        const std::int64_t step = stepWith(m_best, npu);
        if (std::optional<SearchedPlan> known = knownShorterThan(npu, step))
            return known;
        Result<std::optional<SearchedPlan>> found = shorterThan(npu, step);
        if (found && found.value())
            m_others.push_back(*found.value());
        return found;
    }

    Status addBandwidth(std::size_t dimension, bool more)
    {
        PlanTurn turn;
        turn.field = bandwidthField(*m_design.platform, dimension);
        turn.more = more;
        turn.from = (*m_design.platform).dimensions[dimension].bandwidth.base();
        turn.to = more ? turn.from * kFarthestTurn : turn.from / kFarthestTurn;
        // As long as another plan is shorter at the place that is tried, nearer and nearer.
        double tried = turn.to;
        while (std::abs(std::log(tried / turn.from)) > kFine) {
            const Result<PlanNpu> npu = npuWith(turn.field, tried);
            if (!npu)
                return npu.error();
            Result<std::optional<SearchedPlan>> other = another(npu.value());
            if (!other)
                return std::move(other).error();
            if (!other.value())
                break;
            double keeps = turn.from;
            double turns = tried;
            while (std::abs(std::log(turns / keeps)) > kFine) {
                const double middle = std::sqrt(keeps * turns);
                const Result<PlanNpu> there = npuWith(turn.field, middle);
                if (!there)
                    return there.error();
                (stepWith(*other.value(), there.value()) < stepWith(m_best, there.value()) ? turns : keeps) = middle;
            }
            turn.plan = std::move(other.value());
            turn.to = turns;
            tried = keeps;
        }
        m_turns.push_back(std::move(turn));
        return {};
    }

    Status addMemory(PlanNpu npu, bool more)
    {
        PlanTurn turn;
        turn.field = kMemoryField;
        turn.more = more;
        turn.from = static_cast<double>(*npu.memory);
        Result<std::optional<SearchedPlan>> other = std::optional<SearchedPlan>();
        if (more) {
            // Of those that are shorter the one that needs least.
            npu.memory.reset();
            other = shorterThan(npu, m_best.parts.step(), PlanObjective::Memory);
            turn.to = other && other.value() ? static_cast<double>(other.value()->memory) : turn.from;
        } else {
            // Where the winner does not fit any more.
            npu.memory = m_best.memory - 1;
            other = shorterThan(npu, std::nullopt);
            turn.to = static_cast<double>(m_best.memory - 1);
        }
        if (!other)
            return std::move(other).error();
        turn.plan = std::move(other.value());
        m_turns.push_back(std::move(turn));
        return {};
    }

    const Design& m_design;
    const ModelSpec& m_model;
    const PlanSpec& m_own;
    std::int64_t m_ranks;
    PlanSearchSpec m_search;
    const SearchedPlan& m_best;
    std::vector<SearchedPlan> m_others; ///< Tried before anything is searched for: what wins elsewhere is often among them.
    PlanSearchOptions m_options;
    std::function<void(const PlanSearchProgress&)> m_told;
    std::vector<PlanTurn> m_turns;
};

} // namespace

Design designWithFigure(const Design& design, const std::string& field, double value)
{
    PlatformSpec spec = *design.platform;
    if (field == kMemoryField)
        spec.npu.memory = Quantity{std::floor(value), "B", Measure::Size};
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        if (field == bandwidthField(spec, i))
            spec.dimensions[i].bandwidth = Quantity{value, "B/s", Measure::Bandwidth};
    }
    Design changed = design;
    changed.platform = std::make_shared<const PlatformSpec>(std::move(spec));
    return changed;
}

Result<std::vector<PlanTurn>> planTurns(const Design& design, const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search, const std::vector<SearchedPlan>& plans, const PlanSearchOptions& options)
{
    return TurnFinder(design, model, own, ranks, search, plans, options).run();
}

} // namespace fabricscope
