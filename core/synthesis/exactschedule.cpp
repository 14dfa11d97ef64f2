#include "core/synthesis/exact.h"

#include "core/base/index.h"
#include "core/synthesis/exactproblem.h"

#include <algorithm>
#include <cadical.hpp>
#include <chrono>
#include <exception>
#include <memory>

namespace fabricscope {

namespace {

using Clock = std::chrono::steady_clock;

class Watch : public CaDiCaL::Terminator {
public:
    Watch(const ExactLimits& limits, Clock::time_point begin)
        : m_limits(limits)
        , m_end(limits.seconds > 0 ? begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds)) : Clock::time_point::max())
    {
    }
    bool terminate() override { return m_limits.stop.stop_requested() || Clock::now() >= m_end; }

private:
    const ExactLimits& m_limits;
    Clock::time_point m_end;
};

/// CaDiCaL's destructor frees what it never took when memory ran out while its tables grew: a solver left by an exception is given up as it is.
struct DeleteUnlessFailed {
    int exceptions = std::uncaught_exceptions();
    void operator()(CaDiCaL::Solver* solver) const
    {
        if (std::uncaught_exceptions() == exceptions)
            delete solver;
    }
};

/// The question for one way to share the rounds, as clauses.
class Encoding {
public:
    Encoding(const ExactProblem& problem, const std::vector<std::int32_t>& roundsOfStep)
        : m_problem(problem)
        , m_steps(static_cast<std::int32_t>(roundsOfStep.size()))
    {
        m_solver->set("quiet", 1);
        m_send.assign(at(m_problem.chunks) * m_problem.links.size() * at(m_steps), 0);
        m_has.assign(at(m_problem.chunks) * at(m_problem.ranks) * at(m_steps + 1), 0);
        number();
        arrivals();
        capacities(roundsOfStep);
    }

    Feasible solve(const ExactLimits& limits, Clock::time_point begin)
    {
        if (m_contradiction)
            return Feasible::No;
        Watch watch(limits, begin);
        m_solver->connect_terminator(&watch);
        m_solver->limit("conflicts", static_cast<int>(std::min<std::int64_t>(limits.conflicts, INT32_MAX)));
        const int answer = m_solver->solve();
        m_solver->disconnect_terminator();
        return answer == 10 ? Feasible::Yes : answer == 20 ? Feasible::No : Feasible::Unknown;
    }

    /// Sends of the answer that lead to where the chunk is wanted.
    std::vector<ScheduledTransfer> transfers()
    {
        std::vector<ScheduledTransfer> out;
        std::vector<char> needed(at(m_problem.chunks) * at(m_problem.ranks), 0);
        for (std::int32_t chunk = 0; chunk < m_problem.chunks; ++chunk) {
            for (std::int32_t rank = 0; rank < m_problem.ranks; ++rank)
                needed[at(chunk) * at(m_problem.ranks) + at(rank)] = m_problem.wanted(chunk, rank) && m_problem.source[at(chunk)] != rank;
        }
        for (std::int32_t step = m_steps - 1; step >= 0; --step) {
            for (std::int32_t chunk = 0; chunk < m_problem.chunks; ++chunk) {
                for (std::size_t link = 0; link < m_problem.links.size(); ++link) {
                    const int literal = send(chunk, link, step);
                    char& wanted = needed[at(chunk) * at(m_problem.ranks) + at(m_problem.links[link].to)];
                    if (literal == 0 || m_solver->val(literal) < 0 || !wanted)
                        continue;
                    wanted = 0;
                    const std::int32_t from = m_problem.links[link].from;
                    if (m_problem.source[at(chunk)] != from)
                        needed[at(chunk) * at(m_problem.ranks) + at(from)] = 1;
                    out.push_back({step, m_problem.links[link].link, chunk});
                }
            }
        }
        std::stable_sort(out.begin(), out.end(), [](const ScheduledTransfer& a, const ScheduledTransfer& b) { return a.step < b.step; });
        return out;
    }

private:
    int& send(std::int32_t chunk, std::size_t link, std::int32_t step) { return m_send[(at(chunk) * m_problem.links.size() + link) * at(m_steps) + at(step)]; }
    /// The chunk is there before step `step`; 0: never, kTrue: always.
    int& has(std::int32_t chunk, std::int32_t rank, std::int32_t step) { return m_has[(at(chunk) * at(m_problem.ranks) + at(rank)) * at(m_steps + 1) + at(step)]; }
    static constexpr int kTrue = INT32_MAX;

    void clause(std::initializer_list<int> literals)
    {
        for (const int literal : literals)
            m_solver->add(literal);
        m_solver->add(0);
    }

    /// Variables only for what can be: a chunk is not sent before it can have arrived, nor so late or far that it is of no use.
    void number()
    {
        for (std::int32_t chunk = 0; chunk < m_problem.chunks; ++chunk) {
            const std::int32_t source = m_problem.source[at(chunk)];
            for (std::int32_t rank = 0; rank < m_problem.ranks; ++rank) {
                for (std::int32_t step = 0; step <= m_steps; ++step)
                    has(chunk, rank, step) = rank == source ? kTrue : m_problem.hops(source, rank) <= step ? ++m_variables : 0;
            }
            for (std::size_t link = 0; link < m_problem.links.size(); ++link) {
                const ExactProblem::Link& way = m_problem.links[link];
                for (std::int32_t step = 0; step < m_steps; ++step) {
                    const bool useful = m_problem.hopsToWanted(chunk, way.to) <= m_steps - 1 - step;
                    if (way.to != source && m_problem.hops(source, way.from) <= step && useful)
                        send(chunk, link, step) = ++m_variables;
                }
            }
        }
    }

    void arrivals()
    {
        for (std::int32_t chunk = 0; chunk < m_problem.chunks; ++chunk) {
            for (std::size_t link = 0; link < m_problem.links.size(); ++link) {
                for (std::int32_t step = 0; step < m_steps; ++step) {
                    const int literal = send(chunk, link, step);
                    const int before = literal ? has(chunk, m_problem.links[link].from, step) : kTrue;
                    if (before != kTrue)
                        clause({-literal, before});
                }
            }
            for (std::int32_t rank = 0; rank < m_problem.ranks; ++rank) {
                if (rank == m_problem.source[at(chunk)])
                    continue;
                std::vector<int> ways; // Any receive, over all steps.
                for (std::int32_t step = 0; step < m_steps; ++step) {
                    const int after = has(chunk, rank, step + 1);
                    if (after == 0)
                        continue;
                    m_solver->add(-after);
                    if (has(chunk, rank, step) != 0)
                        m_solver->add(has(chunk, rank, step));
                    for (std::size_t link = 0; link < m_problem.links.size(); ++link) {
                        if (m_problem.links[link].to == rank && send(chunk, link, step) != 0) {
                            m_solver->add(send(chunk, link, step));
                            ways.push_back(send(chunk, link, step));
                        }
                    }
                    m_solver->add(0);
                }
                for (std::size_t a = 0; a < ways.size(); ++a) {
                    for (std::size_t b = a + 1; b < ways.size(); ++b)
                        clause({-ways[a], -ways[b]});
                }
                if (!m_problem.wanted(chunk, rank))
                    continue;
                const int last = has(chunk, rank, m_steps);
                if (last == 0)
                    m_contradiction = true;
                else
                    clause({last});
            }
        }
    }

    void capacities(const std::vector<std::int32_t>& roundsOfStep)
    {
        for (std::size_t link = 0; link < m_problem.links.size(); ++link) {
            for (std::int32_t step = 0; step < m_steps; ++step) {
                std::vector<int> sends;
                for (std::int32_t chunk = 0; chunk < m_problem.chunks; ++chunk) {
                    if (send(chunk, link, step) != 0)
                        sends.push_back(send(chunk, link, step));
                }
                atMost(sends, m_problem.links[link].chunksPerRound * roundsOfStep[at(step)]);
            }
        }
    }

    /// Sinz's sequential counter: count[i][j] is true when more than j of the first i + 1 are.
    void atMost(const std::vector<int>& literals, std::int64_t most)
    {
        if (static_cast<std::int64_t>(literals.size()) <= most)
            return;
        const auto width = static_cast<std::size_t>(most);
        std::vector<int> before;
        for (std::size_t i = 0; i < literals.size(); ++i) {
            std::vector<int> after(width);
            for (std::size_t j = 0; j < width; ++j) {
                after[j] = ++m_variables;
                if (j == 0)
                    clause({-literals[i], after[0]});
                if (i > 0) {
                    clause({-before[j], after[j]});
                    if (j > 0)
                        clause({-literals[i], -before[j - 1], after[j]});
                }
            }
            if (i > 0)
                clause({-literals[i], -before[width - 1]});
            before = std::move(after);
        }
    }

    const ExactProblem& m_problem;
    std::int32_t m_steps;
    std::unique_ptr<CaDiCaL::Solver, DeleteUnlessFailed> m_solver{new CaDiCaL::Solver};
    int m_variables = 0;
    bool m_contradiction = false;
    std::vector<int> m_send;
    std::vector<int> m_has;
};

/// Calls `use` with every way to write `rounds` as a sum of `steps` numbers >= 1, until it says stop.
template <typename Use>
bool forCompositions(std::int32_t steps, std::int32_t rounds, std::vector<std::int32_t>& parts, const Use& use)
{
    if (steps == 1) {
        parts.push_back(rounds);
        const bool more = use(parts);
        parts.pop_back();
        return more;
    }
    for (std::int32_t first = 1; first <= rounds - steps + 1; ++first) {
        parts.push_back(first);
        const bool more = forCompositions(steps - 1, rounds - first, parts, use);
        parts.pop_back();
        if (!more)
            return false;
    }
    return true;
}

} // namespace

ExactSchedule exactSchedule(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, const StepsRoundsChunks& question, const ExactLimits& limits)
{
    const ExactProblem problem(graph, op, root, question.chunks);
    ExactSchedule out;
    if (question.rounds < question.steps || question.steps < problem.fewestSteps() || !problem.fitsIn(question.rounds)) {
        out.feasible = Feasible::No;
        return out;
    }
    const auto begin = Clock::now();
    bool unknown = false;
    std::vector<std::int32_t> parts;
    forCompositions(question.steps, question.rounds, parts, [&](const std::vector<std::int32_t>& roundsOfStep) {
        Encoding encoding(problem, roundsOfStep);
        const Feasible answer = encoding.solve(limits, begin);
        if (answer == Feasible::Yes) {
            out.feasible = Feasible::Yes;
            out.roundsOfStep = roundsOfStep;
            out.transfers = encoding.transfers();
            return false;
        }
        unknown = unknown || answer == Feasible::Unknown;
        return !limits.stop.stop_requested();
    });
    if (out.feasible != Feasible::Yes)
        out.feasible = unknown || limits.stop.stop_requested() ? Feasible::Unknown : Feasible::No;
    return out;
}

} // namespace fabricscope
