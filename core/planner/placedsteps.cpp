#include "core/planner/placedsteps.h"

#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/base/rankset.h"
#include "core/planner/shareparts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fabricscope {

namespace {

/// Writes steps one after the other; each waits for the one before it in its chain.
class StepWriter {
public:
    StepWriter(const PlacementProblem& problem, const std::vector<DeviceRatios>& ratios) : m_problem(problem), m_ratios(ratios)
    {
        for (const DeviceType& type : problem.cluster.types)
            m_speeds.insert(m_speeds.end(), static_cast<std::size_t>(type.count), type.speed);
    }

    Result<std::string> write(const PlacedProgram& program)
    {
        // What belongs to gradients runs in the backward pass, in reverse; a step on an activation has its mirror there.
        for (const PlacedStep& step : program.steps) {
            if (!step.behind)
                forward(step);
        }
        if (m_problem.theory.backward)
            backward(program);
        if (m_count > kMostPlacedSteps)
            return Error{ErrorCode::Unsupported, "the program becomes more than " + std::to_string(kMostPlacedSteps) + " steps", {}, {}};
        std::string text = "{groups: [";
        for (const auto& [root, name] : m_groups)
            text += (text.back() == '[' ? "" : ", ") + groupText(root, name);
        return text + "], steps: [" + m_text + "]}";
    }

private:
    std::string groupText(std::size_t root, const std::string& name) const
    {
        std::string list = std::to_string(root);
        for (std::size_t j = 0; j < m_speeds.size(); ++j)
            list += j == root ? "" : ", " + std::to_string(j);
        return "{name: " + name + ", lists: [[" + list + "]]}";
    }

    void add(const std::string& what, const std::string& name, const std::vector<std::string>& after)
    {
        ++m_count;
        std::string list;
        for (const std::string& each : after)
            list += (list.empty() ? "" : ", ") + each;
        m_text += (m_text.empty() ? "{" : ", {") + what + ", name: " + name + ", after: [" + list + "]}";
    }

    /// Computation of `share` of a step's FLOP, each device for its own parts.
    std::vector<std::string> compute(const RatioTerm& term, double share, const std::vector<std::string>& after)
    {
        const std::vector<double>& ratios = m_ratios[at(term.segment)].ratios();
        const std::vector<std::int64_t> parts = term.units > 0 ? partsByRatios(term.units, ratios) : std::vector<std::int64_t>();
        std::map<std::int64_t, RankSet> devices;
        for (std::size_t j = 0; j < m_speeds.size(); ++j) {
            const double own = parts.empty() ? ratios[j] : static_cast<double>(parts[j]) / static_cast<double>(term.units);
            const double seconds = share * (term.shared * own + term.whole) / m_speeds[j];
            devices[std::llround(std::min(seconds, 9e5) * 1e12)].add(static_cast<std::int64_t>(j));
        }
        std::vector<std::string> names;
        for (const auto& [ps, ranks] : devices) {
            names.push_back("c" + std::to_string(m_names++));
            add("compute: " + nsText({ps}) + " ns, ranks: \"" + ranks.text() + '"', names.back(), after);
        }
        return names;
    }

    std::string collective(const RatioTerm& term, std::vector<std::string> after)
    {
        const DeviceRatios& ratios = m_ratios[at(term.segment)];
        const auto devices = static_cast<double>(ratios.devices());
        double bytes = isPadded(term.collective) ? devices * ratios.largest() * term.bytes : term.bytes;
        // The size of an all-to-all is what one device has.
        if (term.collective == ShareCollective::AllToAll)
            bytes /= devices;
        if (!isGrouped(term.collective))
            return one(std::string(keyOf(kShareCollectiveWords, term.collective)), bytes, {}, std::move(after));
        for (std::size_t j = 0; j < m_speeds.size(); ++j) {
            if (ratios.ratios()[j] == 0)
                continue;
            const auto [group, fresh] = m_groups.emplace(j, "from" + std::to_string(j));
            after = {one("broadcast", ratios.ratios()[j] * term.bytes, group->second, after)};
        }
        return after.front();
    }

    std::string one(const std::string& word, double bytes, const std::string& group, const std::vector<std::string>& after)
    {
        const std::string name = "m" + std::to_string(m_names++);
        const auto whole = static_cast<std::int64_t>(std::clamp(std::ceil(bytes - 1e-6), 1.0, 9e15));
        add("collective: " + word + ", size: " + std::to_string(whole) + " B" + (group.empty() ? "" : ", group: " + group), name, after);
        return name;
    }

    void forward(const PlacedStep& step)
    {
        if (step.kind == PlacedStep::Kind::Slice || step.terms.empty() || isIdle(step, m_ratios) || (step.kind == PlacedStep::Kind::Compute && step.op < 0))
            return;
        if (step.kind == PlacedStep::Kind::Collective)
            m_chain = {collective(step.terms.front(), m_chain)};
        else
            m_chain = compute(step.terms.front(), m_problem.theory.backward ? 1.0 / 3 : 1, m_chain);
    }

    void backward(const PlacedProgram& program)
    {
        // By op: what follows its backward computation.
        std::map<int, std::vector<const PlacedStep*>> behind;
        for (const PlacedStep& step : program.steps) {
            if (step.behind)
                behind[step.op].push_back(&step);
        }
        for (std::size_t i = program.steps.size(); i-- > 0;) {
            const PlacedStep& step = program.steps[i];
            if (step.behind || step.kind == PlacedStep::Kind::Slice || isIdle(step, m_ratios) || step.terms.empty() || step.op < 0)
                continue;
            if (step.kind == PlacedStep::Kind::Collective) {
                if (step.terms.size() > 1)
                    m_chain = {collective(step.terms.back(), m_chain)};
                continue;
            }
            m_chain = compute(step.terms.front(), 2.0 / 3, m_chain);
            for (const PlacedStep* own : behind[step.op]) {
                for (const RatioTerm& term : own->terms)
                    static_cast<void>(collective(term, m_chain));
            }
        }
    }

    const PlacementProblem& m_problem;
    const std::vector<DeviceRatios>& m_ratios;
    std::vector<double> m_speeds;
    std::map<std::size_t, std::string> m_groups; ///< By the device that is their first.
    std::vector<std::string> m_chain;
    std::string m_text;
    std::size_t m_count = 0;
    int m_names = 0;
};

} // namespace

Result<std::string> workloadOf(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios)
{
    return StepWriter(problem, ratios).write(program);
}

} // namespace fabricscope
