#include "core/study/searchrun.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/study/designsearch.h"
#include "core/study/paretofront.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

using State = StudyTableRow::State;
using Search = StudySampling::Search;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kRound = 32;          ///< Designs of a round where nothing else says how many.
constexpr std::int64_t kLooksForEach = 50;   ///< A search ends where it has looked at so many designs for each it may simulate.
constexpr std::int64_t kMostPopulation = 100;

SearchGrid gridOf(const StudySpec& space)
{
    SearchGrid grid;
    for (const StudyParameter& parameter : space.parameters) {
        std::vector<double> numbers;
        for (const ParameterChoice& choice : parameter.choices) {
            if (!choice.named.isWord && choice.named.number)
                numbers.push_back(*choice.named.number);
        }
        const bool ordered = numbers.size() == parameter.choices.size() && (std::is_sorted(numbers.begin(), numbers.end()) || std::is_sorted(numbers.rbegin(), numbers.rend()));
        grid.dimensions.push_back({static_cast<std::int64_t>(parameter.choices.size()), ordered});
    }
    return grid;
}

/// What is sought, at its best: a least time instead of the time, 0 for what else is minimised and not known, as no figure is below.
std::vector<double> bestOf(const StudySpec& space, const PointOutlook& outlook)
{
    std::vector<double> values;
    for (const StudyObjective& objective : space.objectives) {
        if (objective.sense == StudyObjective::Sense::Report)
            continue;
        const bool least = objective.sense == StudyObjective::Sense::Minimise;
        if (const std::optional<double>& value = outlook.figures[objective.figure])
            values.push_back(least ? *value : -*value);
        else
            values.push_back(!least ? -kInfinity : objective.figure == PointFigure::StepTime ? outlook.leastTime.value_or(0) : 0);
    }
    return values;
}

/// Of a design that cannot be run.
std::vector<double> worstOf(const StudySpec& space)
{
    const auto sought = std::count_if(space.objectives.begin(), space.objectives.end(), [](const StudyObjective& objective) { return objective.sense != StudyObjective::Sense::Report; });
    return std::vector<double>(at(sought), kInfinity);
}

/// One design of a round.
struct Looked {
    std::int64_t number = 0;
    StudyPoint point;
    PointOutlook outlook;
    std::vector<double> best;
    std::optional<PointRow> row; ///< Absent: not decided yet, or open.
    std::optional<std::int64_t> beatenBy;
    bool ran = false;
};

/// Designs read, looked at and simulated, a round on all threads.
class SearchRounds {
public:
    SearchRounds(const StudySpec& space, PointRunner& runner, std::map<Digest, PointRow> known, BatchedStore* store, const SpaceRunOptions& options, StudyProgress& progress, const std::stop_token& stop)
        : m_space(space), m_runner(runner), m_known(std::move(known)), m_store(store), m_options(options), m_progress(progress), m_stop(stop)
    {
    }

    /// Reads them and says what is known before they run. Error: Cancelled, MemoryLimit.
    Status look(std::vector<Looked>& round, PointFidelity fidelity, bool bounds)
    {
        forEachItem(round.size(), m_options.threads, [&](std::size_t i) {
            Looked& of = round[i];
            Result<StudyPoint> point = m_runner.read(of.number, m_stop, fidelity);
            if (!point)
                return fail(point.error());
            of.point = std::move(point).value();
            if (!bounds)
                return true;
            Result<PointOutlook> outlook = m_runner.outlook(of.point, m_stop);
            if (!outlook)
                return fail(outlook.error());
            of.outlook = std::move(outlook).value();
            of.best = of.outlook.runs ? bestOf(m_space, of.outlook) : worstOf(m_space);
            return true;
        });
        return status();
    }

    /// Runs those of them that have no row and that are not beaten. What is known is not run again, of equal designs one is run.
    Status simulate(std::vector<Looked>& round, PointFidelity fidelity)
    {
        std::vector<Looked*> wanted;
        std::set<Digest> claimed;
        for (Looked& of : round) {
            if (of.row || of.beatenBy || !claimed.insert(of.point.hash).second)
                continue;
            const bool isKnown = find(of.point.hash) != nullptr;
            m_progress.found += isKnown ? 1 : 0;
            if (!isKnown && m_store)
                wanted.push_back(&of);
        }
        forEachItem(wanted.size(), m_options.threads, [&](std::size_t i) { return runOne(*wanted[i], fidelity, i == 0); });
        for (Looked& of : round) {
            if (const PointRow* const kept = of.row || of.beatenBy ? nullptr : find(of.point.hash))
                of.row = *kept;
        }
        return status();
    }

    Status status()
    {
        const std::lock_guard lock(m_lock);
        return m_error ? Status(*m_error) : m_stop.stop_requested() ? Status(stoppedError()) : Status();
    }

private:
    bool fail(const Error& error)
    {
        const std::lock_guard lock(m_lock);
        if (!m_error)
            m_error = error;
        return false;
    }

    /// Null: it has to run.
    const PointRow* find(const Digest& hash)
    {
        const std::lock_guard lock(m_lock);
        const auto found = m_known.find(hash);
        return found == m_known.end() || found->second.state == PointRow::State::Skipped ? nullptr : &found->second;
    }

    bool runOne(Looked& of, PointFidelity fidelity, bool first)
    {
        const auto started = std::chrono::steady_clock::now();
        Result<PointRow> row = m_runner.run(of.point, m_stop);
        if (!row)
            return fail(row.error());
        of.ran = true;
        {
            const std::lock_guard lock(m_lock);
            m_known.insert_or_assign(of.point.hash, row.value());
            if (first && m_progress.secondsEach <= 0)
                m_progress.secondsEach = std::max(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(), 1e-9);
        }
        // A store that failed says so at the end.
        return m_store->add({of.point.hash, parametersJson(m_space, of.point.choices, fidelity), std::move(row).value()}) || fail(stoppedError());
    }

    const StudySpec& m_space;
    PointRunner& m_runner;
    std::map<Digest, PointRow> m_known;
    BatchedStore* m_store;
    const SpaceRunOptions& m_options;
    StudyProgress& m_progress;
    const std::stop_token& m_stop;
    std::mutex m_lock;
    std::optional<Error> m_error;
};

class SpaceSearch {
public:
    SpaceSearch(const StudySpec& space, PointRunner& runner, SearchRounds& rounds, const SpaceRunOptions& options, StudyProgress& progress, const std::stop_token& stop)
        : m_space(space), m_runner(runner), m_rounds(rounds), m_options(options), m_progress(progress), m_stop(stop)
    {
        progress.designs = std::min(space.sampling.budget, space.designCount());
    }

    Result<StudyTable> run()
    {
        const Status status = *m_space.sampling.search == Search::SuccessiveHalving ? halve() : ask();
        if (!status)
            return status.error();
        std::sort(m_table.rows.begin(), m_table.rows.end(), [](const StudyTableRow& a, const StudyTableRow& b) { return a.number < b.number; });
        m_table.front = frontOf(m_space, m_table.rows, m_stop);
        m_tally.whole = !m_lacks;
        m_table.search = std::move(m_tally);
        return std::move(m_table);
    }

private:
    std::int64_t budgetLeft() const { return m_space.sampling.budget - m_tally.simulated; }

    /// NSGA-II and local search.
    Status ask()
    {
        const StudySampling& sampling = m_space.sampling;
        constexpr std::int64_t kLeastPopulation = 8;
        constexpr std::int64_t kGenerations = 10;
        const std::int64_t population = std::clamp(sampling.budget / kGenerations, kLeastPopulation, kMostPopulation);
        const auto search = *sampling.search == Search::Nsga2 ? makeGeneticSearch(gridOf(m_space), sampling.seed, population) : makeNeighbourSearch(gridOf(m_space), sampling.seed);
        while (budgetLeft() > 0 && std::ssize(m_table.rows) < kLooksForEach * sampling.budget) {
            const std::vector<std::int64_t> numbers = search->ask();
            if (numbers.empty())
                break;
            std::vector<SearchAnswer> answers;
            if (const Status status = decide(numbers, answers); !status)
                return status;
            if (m_lacks || answers.size() < numbers.size())
                break;
            search->tell(answers);
        }
        return {};
    }

    /// Looks at designs, rules out what cannot be of the front and simulates the rest, in order and as far as the budget goes. `answers`: of those it came to.
    Status decide(const std::vector<std::int64_t>& numbers, std::vector<SearchAnswer>& answers)
    {
        std::vector<Looked> round(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            round[i].number = numbers[i];
        if (const Status status = m_rounds.look(round, PointFidelity::Own, true); !status)
            return status;
        std::int64_t left = budgetLeft();
        std::size_t end = 0;
        for (; end < round.size() && left > 0; ++end) {
            Looked& of = round[end];
            if (of.outlook.feasible == false)
                of.row = PointRow{PointRow::State::Skipped, {}, of.outlook.figures};
            else if (!of.outlook.runs || !(of.beatenBy = beaterOf(of.best))) // Why it cannot be run is worth a row.
                --left;
        }
        round.resize(end);
        if (const Status status = m_rounds.simulate(round, PointFidelity::Own); !status)
            return status;
        for (Looked& of : round)
            answers.push_back(added(of));
        tellBegun();
        return {};
    }

    /// The first of the front so far that is better than all it can be.
    std::optional<std::int64_t> beaterOf(const std::vector<double>& best) const
    {
        for (const auto& [number, values] : m_front) {
            if (!best.empty() && beats(values, best))
                return number;
        }
        return std::nullopt;
    }

    /// A row of the table, and what the search learns of it.
    SearchAnswer added(Looked& of)
    {
        StudyTableRow row = tableRowOf(m_runner, of.number, of.point.choices, of.row ? &*of.row : nullptr);
        SearchAnswer answer{of.number, of.best, false};
        if (of.beatenBy) {
            row.state = State::Pruned;
            row.figures = of.outlook.figures;
            row.message = prunedText(of);
            answer.feasible = true;
            ++m_tally.byBounds;
        } else if (of.row && of.row->state == PointRow::State::Skipped) {
            ++m_tally.byConstraints;
        } else {
            m_lacks = m_lacks || !of.row;
            m_tally.simulated += of.row ? 1 : 0;
        }
        if (row.state == State::Done) {
            if (std::optional<std::vector<double>> values = soughtOf(m_space, row.figures)) {
                answer.values = *values;
                answer.feasible = true;
                const bool isBeaten = beaterOf(*values).has_value();
                if (!isBeaten) {
                    std::erase_if(m_front, [&](const auto& member) { return beats(*values, member.second); });
                    m_front.emplace_back(of.number, std::move(*values));
                }
            }
        }
        if (m_options.looked)
            m_options.looked(row, of.ran);
        m_table.rows.push_back(std::move(row));
        return answer;
    }

    std::string prunedText(const Looked& of) const
    {
        const std::string least = of.outlook.leastTime ? "step_time is at least " + figureText(PointFigure::StepTime, *of.outlook.leastTime) + " ns, and " : "";
        return least + "point " + std::to_string(*of.beatenBy) + " is better";
    }

    void tellBegun()
    {
        if (std::exchange(m_told, true) || !m_options.begun || m_progress.secondsEach <= 0)
            return;
        m_options.begun(m_progress);
    }

    /// All designs in an order of the seed: where nothing tells them apart, none comes first because of its number.
    std::vector<std::int64_t> shuffled() const
    {
        std::vector<std::int64_t> numbers(at(m_space.designCount()));
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<std::int64_t>(i);
        for (std::size_t i = numbers.size(); i > 1; --i) {
            checkStop(m_stop);
            std::swap(numbers[i - 1], numbers[seededHash(m_space.sampling.seed, {static_cast<std::int64_t>(i)}) % i]);
        }
        return numbers;
    }

    /// From the bounds of all over `ideal` to the model of the designs, the best of each rung in the next: of N designs with a budget of B the middle one has sqrt(N B).
    Status halve()
    {
        std::vector<std::int64_t> numbers = shuffled();
        std::optional<Model> model;
        bool told = false; // A bound tells something.
        std::vector<std::vector<double>> best;
        if (const Status status = boundRung(numbers, best, model, told); !status)
            return status;
        const auto all = static_cast<double>(numbers.size());
        const auto middle = std::max<std::int64_t>(m_space.sampling.budget, static_cast<std::int64_t>(std::ceil(std::sqrt(all * static_cast<double>(m_space.sampling.budget)) - 1e-9)));
        if (told)
            keepRanked(numbers, best, middle);
        if (model && *model != Model::Ideal && traitsOf(*model).family == ModelFamily::Physical && !variesModel()) {
            if (const Status status = idealRung(numbers); !status)
                return status;
        }
        std::vector<SearchAnswer> answers;
        for (std::size_t begin = 0; begin < numbers.size() && budgetLeft() > 0 && !m_lacks; begin += at(kRound)) {
            const std::size_t end = std::min(numbers.size(), begin + at(kRound));
            if (const Status status = decide({numbers.begin() + static_cast<std::ptrdiff_t>(begin), numbers.begin() + static_cast<std::ptrdiff_t>(end)}, answers); !status)
                return status;
        }
        m_tally.rungs.push_back({model ? modelName(*model) : "model", m_tally.simulated});
        return {};
    }

    bool variesModel() const
    {
        return std::any_of(m_space.fields.begin(), m_space.fields.end(), [](const auto& field) { return field.second == "model" || field.second.starts_with("model."); });
    }

    /// Leaves those that no constraint rules out.
    Status boundRung(std::vector<std::int64_t>& numbers, std::vector<std::vector<double>>& best, std::optional<Model>& model, bool& told)
    {
        m_tally.rungs.push_back({"bound", std::ssize(numbers)});
        std::vector<std::int64_t> left;
        for (std::size_t begin = 0; begin < numbers.size();) {
            std::vector<Looked> round(std::min(numbers.size() - begin, at(kRound)));
            for (Looked& of : round)
                of.number = numbers[begin++];
            if (const Status status = m_rounds.look(round, PointFidelity::Own, true); !status)
                return status;
            for (Looked& of : round) {
                if (of.outlook.feasible == false) {
                    ++m_tally.byConstraints;
                    continue;
                }
                if (!model && of.point.design)
                    model = of.point.design->design.model.model;
                told = told || std::any_of(of.best.begin(), of.best.end(), [](double value) { return value != 0 && std::isfinite(value); });
                left.push_back(of.number);
                best.push_back(std::move(of.best));
            }
        }
        numbers = std::move(left);
        return {};
    }

    void keepRanked(std::vector<std::int64_t>& numbers, const std::vector<std::vector<double>>& values, std::int64_t most)
    {
        std::vector<std::int64_t> kept;
        for (const std::size_t row : rankedRows(values, m_stop)) {
            if (std::ssize(kept) < most)
                kept.push_back(numbers[row]);
        }
        numbers = std::move(kept);
    }

    /// Leaves all of them, those first that are best under `ideal`.
    Status idealRung(std::vector<std::int64_t>& numbers)
    {
        std::vector<std::vector<double>> values;
        for (std::size_t begin = 0; begin < numbers.size() && !m_lacks;) {
            std::vector<Looked> round(std::min(numbers.size() - begin, at(kRound)));
            for (Looked& of : round)
                of.number = numbers[begin++];
            Status status = m_rounds.look(round, PointFidelity::Ideal, false);
            if (status)
                status = m_rounds.simulate(round, PointFidelity::Ideal);
            if (!status)
                return status;
            for (const Looked& of : round) {
                m_lacks = m_lacks || !of.row;
                const StudyTableRow row = tableRowOf(m_runner, of.number, of.point.choices, of.row ? &*of.row : nullptr);
                const auto sought = row.state == State::Done ? soughtOf(m_space, row.figures) : std::nullopt;
                values.push_back(sought.value_or(worstOf(m_space)));
            }
            tellBegun();
        }
        m_tally.rungs.push_back({modelName(Model::Ideal), std::ssize(values)});
        if (!m_lacks)
            keepRanked(numbers, values, std::ssize(numbers));
        return {};
    }

    const StudySpec& m_space;
    PointRunner& m_runner;
    SearchRounds& m_rounds;
    const SpaceRunOptions& m_options;
    StudyProgress& m_progress;
    const std::stop_token& m_stop;
    StudyTable m_table;
    SearchTally m_tally;
    std::vector<std::pair<std::int64_t, std::vector<double>>> m_front; ///< Of what is done: numbers and what is sought.
    bool m_lacks = false;                                              ///< Something is not known and not run.
    bool m_told = false;
};

} // namespace

Result<StudyTable> searchSpace(const StudySpec& space, PointRunner& runner, std::map<Digest, PointRow> known, BatchedStore* store, const SpaceRunOptions& options, StudyProgress& progress,
                               const std::stop_token& stop)
{
    SearchRounds rounds(space, runner, std::move(known), store, options, progress, stop);
    Result<StudyTable> table = untilStopped([&] { return SpaceSearch(space, runner, rounds, options, progress, stop).run(); });
    if (store) {
        if (Status status = store->flush(); !status)
            return std::move(status).error();
    }
    return table;
}

} // namespace fabricscope
