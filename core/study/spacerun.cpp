#include "core/study/spacerun.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/study/batchedstore.h"
#include "core/study/paretofront.h"
#include "core/study/searchrun.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

namespace fabricscope {

namespace {

using Clock = std::chrono::steady_clock;

class SpaceRun {
public:
    SpaceRun(const StudySpec& space, PointRunner& runner, std::map<Digest, PointRow> known, const std::stop_token& stop) : m_space(space), m_runner(runner), m_rows(std::move(known)), m_stop(stop) {}

    /// Numbers of the designs to look at.
    void choose(const StudyShard& shard)
    {
        for (std::int64_t number = shard.number - 1; number < m_space.designCount(); number += shard.of)
            m_numbers.push_back(number);
        m_hashes.resize(m_numbers.size());
    }

    /// Runs what is not known; `store` null: only looks.
    Status run(BatchedStore* store, const SpaceRunOptions& options, StudyProgress& progress)
    {
        progress.designs = static_cast<std::int64_t>(m_numbers.size());
        std::size_t begin = 0;
        // The first that runs says how long they take.
        constexpr std::size_t kLookedAtAlone = 64; // Where all are kept already, none of them runs.
        for (; store && begin < std::min(m_numbers.size(), kLookedAtAlone) && progress.secondsEach <= 0 && !m_error; ++begin) {
            const Clock::time_point started = Clock::now();
            const bool ran = one(begin, store, progress);
            tell(begin, ran, options);
            if (ran)
                progress.secondsEach = std::max(std::chrono::duration<double>(Clock::now() - started).count(), 1e-9);
            if (ran && options.begun)
                options.begun(progress);
        }
        forEachItem(m_numbers.size() - begin, options.threads, [&](std::size_t i) {
            tell(begin + i, one(begin + i, store, progress), options);
            const std::lock_guard lock(m_lock);
            return !m_error;
        });
        // The same design under another name: a constraint on names may have ruled out the one that came first.
        std::sort(m_twins.begin(), m_twins.end());
        for (std::size_t i = 0; i < m_twins.size() && !m_error; ++i) {
            const auto known = m_rows.find(m_hashes[m_twins[i]]);
            if (known == m_rows.end() || answers(known->second, m_space.choicesOf(m_numbers[m_twins[i]])))
                continue;
            m_claimed.erase(m_hashes[m_twins[i]]);
            tell(m_twins[i], one(m_twins[i], store, progress), options);
        }
        if (store) {
            if (Status status = store->flush(); !status)
                return status;
        }
        return m_error ? Status(*m_error) : Status();
    }

    Result<StudyTable> table(int threads)
    {
        return untilStopped([&]() -> Result<StudyTable> {
            StudyTable out;
            out.rows.resize(m_numbers.size());
            forEachItem(m_numbers.size(), threads, [&](std::size_t i) {
                out.rows[i] = rowOf(i);
                return !m_stop.stop_requested();
            });
            checkStop(m_stop);
            out.front = frontOf(m_space, out.rows, m_stop);
            return out;
        });
    }

private:
    void fail(const Error& error)
    {
        const std::lock_guard lock(m_lock);
        if (!m_error)
            m_error = error;
    }

    void tell(std::size_t index, bool ran, const SpaceRunOptions& options)
    {
        if (!options.looked)
            return;
        const std::lock_guard lock(m_lock);
        options.looked(rowOf(index), ran);
    }

    /// What is kept answers the question that is asked now.
    bool answers(const PointRow& row, const std::vector<ParameterChoice>& choices) const
    {
        return row.state != PointRow::State::Skipped || m_runner.isFeasible(choices, row.figures) == false;
    }

    /// True: it was run.
    bool one(std::size_t index, BatchedStore* store, StudyProgress& progress)
    {
        Result<StudyPoint> point = m_runner.read(m_numbers[index], m_stop);
        if (!point) {
            fail(point.error());
            return false;
        }
        const Digest hash = point.value().hash;
        {
            const std::lock_guard lock(m_lock);
            m_hashes[index] = hash;
            const auto known = m_rows.find(hash);
            const bool isKnown = known != m_rows.end() && answers(known->second, point.value().choices);
            if (isKnown)
                ++progress.found;
            if (isKnown || !store)
                return false;
            if (!m_claimed.insert(hash).second) {
                m_twins.push_back(index);
                return false;
            }
        }
        Result<PointRow> row = m_runner.run(point.value(), m_stop);
        if (!row) {
            fail(row.error());
            return false;
        }
        {
            const std::lock_guard lock(m_lock);
            m_rows.insert_or_assign(hash, row.value());
        }
        return store->add({hash, parametersJson(m_space, point.value().choices), std::move(row).value()}) || (fail(Error{}), false);
    }

    StudyTableRow rowOf(std::size_t index) const
    {
        const std::vector<ParameterChoice> choices = m_space.choicesOf(m_numbers[index]);
        const auto found = m_rows.find(m_hashes[index]);
        const bool isOpen = found == m_rows.end() || !answers(found->second, choices);
        return tableRowOf(m_runner, m_numbers[index], choices, isOpen ? nullptr : &found->second);
    }

    const StudySpec& m_space;
    PointRunner& m_runner;
    std::map<Digest, PointRow> m_rows; ///< Kept before, and now.
    const std::stop_token& m_stop;
    std::vector<std::int64_t> m_numbers;
    std::vector<Digest> m_hashes;
    std::mutex m_lock;
    std::set<Digest> m_claimed;
    std::vector<std::size_t> m_twins; ///< Of designs that were claimed.
    std::optional<Error> m_error;
};

} // namespace

std::int64_t StudyTable::count(StudyTableRow::State state) const
{
    return std::count_if(rows.begin(), rows.end(), [state](const StudyTableRow& row) { return row.state == state; });
}

StudyTableRow tableRowOf(const PointRunner& runner, std::int64_t number, const std::vector<ParameterChoice>& choices, const PointRow* kept)
{
    StudyTableRow out;
    out.number = number;
    for (const ParameterChoice& choice : choices)
        out.labels.push_back(choice.label);
    if (!kept)
        return out;
    out.figures = kept->figures;
    out.message = kept->message;
    if (kept->state == PointRow::State::Failed) {
        out.state = runner.isRuledOutByNames(choices, &out.message) ? StudyTableRow::State::Infeasible : StudyTableRow::State::Failed;
        return out;
    }
    // What is ruled out before it runs shows no more of a run that an earlier constraint allowed.
    if (const PointFigures before = PointRunner::knownBefore(out.figures); runner.isFeasible(choices, before) == false)
        out.figures = before;
    const std::optional<bool> feasible = runner.isFeasible(choices, out.figures, &out.message);
    out.state = !feasible ? StudyTableRow::State::Failed : *feasible ? StudyTableRow::State::Done : StudyTableRow::State::Infeasible;
    if (!feasible)
        out.message = "a constraint asks for a figure that this design has not";
    return out;
}

std::optional<std::vector<double>> soughtOf(const StudySpec& space, const PointFigures& figures)
{
    std::vector<double> values;
    for (const StudyObjective& objective : space.objectives) {
        if (objective.sense == StudyObjective::Sense::Report)
            continue;
        const std::optional<double>& value = figures[objective.figure];
        if (!value)
            return std::nullopt;
        values.push_back(objective.sense == StudyObjective::Sense::Minimise ? *value : -*value);
    }
    return values;
}

std::vector<std::size_t> frontOf(const StudySpec& space, const std::vector<StudyTableRow>& rows, const std::stop_token& stop)
{
    std::vector<std::size_t> candidates;
    std::vector<std::vector<double>> columns;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].state != StudyTableRow::State::Done)
            continue;
        std::optional<std::vector<double>> values = soughtOf(space, rows[i].figures);
        if (!values)
            continue;
        candidates.push_back(i);
        columns.push_back(std::move(*values));
    }
    std::vector<std::size_t> front = paretoFront(columns, stop);
    for (std::size_t& of : front)
        of = candidates[of];
    return front;
}

Result<StudyTable> runSpace(const StudySpec& space, PointRunner& runner, RunStore& store, const SpaceRunOptions& options, StudyProgress& progress, const std::stop_token& stop)
{
    Result<std::map<Digest, PointRow>> known = store.all();
    if (!known)
        return std::move(known).error();
    BatchedStore batched(store, progress);
    if (space.sampling.search)
        return searchSpace(space, runner, std::move(known).value(), &batched, options, progress, stop);
    SpaceRun job(space, runner, std::move(known).value(), stop);
    job.choose(options.shard);
    if (Status status = job.run(&batched, options, progress); !status)
        return std::move(status).error();
    return job.table(options.threads);
}

Result<StudyTable> tableOf(const StudySpec& space, PointRunner& runner, const RunStore& store, int threads, const std::stop_token& stop)
{
    Result<std::map<Digest, PointRow>> known = store.all();
    if (!known)
        return std::move(known).error();
    SpaceRunOptions options;
    options.threads = threads;
    StudyProgress progress;
    if (space.sampling.search)
        return searchSpace(space, runner, std::move(known).value(), nullptr, options, progress, stop);
    SpaceRun job(space, runner, std::move(known).value(), stop);
    job.choose({});
    if (Status status = job.run(nullptr, options, progress); !status)
        return std::move(status).error();
    return job.table(threads);
}

} // namespace fabricscope
