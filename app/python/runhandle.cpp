#include "app/python/runhandle.h"

#include "app/cli/runflags.h"
#include "app/cli/shared/runwords.h"
#include "app/python/editeddesign.h"
#include "app/python/heardcall.h"
#include "app/python/numpyview.h"
#include "app/python/raisederror.h"
#include "core/base/stop.h"
#include "core/design/modelversions.h"
#include "core/report/runjson.h"
#include "core/run/rundesign.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

/// A run for Python, and its rows of ranks as in tables.
struct RunHandle {
    RunResultPtr result;
    std::vector<RankClass> rows;
    bool keptTimes = false; ///< Of tasks, and how busy links were over time.

    const RunRecord& record() const { return result->record(); }
};

using RunHandlePtr = std::shared_ptr<RunHandle>;

struct SimulateOptions {
    std::string model;
    std::string engine;
    std::uint64_t seed = 0;
    int threads = 0;
    bool taskTimes = false;
};

void chooseModel(const std::string& name, Design& design)
{
    if (name.empty())
        return;
    const Model model = valueOf(cli::modelNamed(name, "model"));
    if (model == design.model.model)
        return;
    design.model.model = model;
    design.model.version = versionFor(model, design.model.version);
}

RunHandlePtr simulated(const EditedDesign& edited, const SimulateOptions& asked, CallProgress& progress, const std::stop_token& stop)
{
    const auto begin = std::chrono::steady_clock::now();
    RunDesignOptions options;
    options.engine = valueOf(cli::engineNamed(asked.engine, "engine"));
    LoadedDesign loaded = edited.checked(stop);
    chooseModel(asked.model, loaded.design);
    options.seed = asked.seed;
    options.threads = asked.threads > 0 ? asked.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    options.taskTimes = asked.taskTimes;
    options.progress = [&progress](const RunProgress& now) {
        progress.publish({now.stage == RunProgress::Stage::Preparing ? "preparing" : "simulating", now.share, now.secondsLeft});
    };
    const RunResultPtr made = valueOf(runDesign(std::make_shared<const Design>(std::move(loaded.design)), loaded.diagnostics, options, stop));
    RunResult result = *made;
    result.cost.wallMicroseconds = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
    std::vector<RankClass> rows = resultRows(result.record());
    return std::make_shared<RunHandle>(RunHandle{std::make_shared<const RunResult>(std::move(result)), std::move(rows), asked.taskTimes});
}

RunHandlePtr simulate(const EditedDesign& design, const SimulateOptions& options, const py::object& told)
{
    RunHandlePtr run;
    CallProgress progress;
    // Of a copy: the caller's may be changed meanwhile by another thread.
    callHeard([&run, &options, &progress, edited = design](const std::stop_token& stop) { run = simulated(edited, options, progress, stop); }, told, progress);
    return run;
}

/// One row each: columns of the rows as they stand in memory.
py::dict rankColumns(const RunHandlePtr& run)
{
    const std::vector<RankClass>& rows = run->rows;
    py::dict columns;
    columns["job"] = sharedColumn(rows, [](const RankClass& row) -> const std::int32_t& { return row.job; }, run);
    columns["finished"] = sharedColumn(rows, [](const RankClass& row) -> const bool& { return row.times.finished; }, run);
    const auto add = [&](const char* name, SimTime RankTimes::*time) {
        columns[name] = sharedColumn(rows, [time](const RankClass& row) -> const std::int64_t& { return (row.times.*time).ps; }, run);
    };
    add("finish_ps", &RankTimes::finish);
    add("exposed_comm_ps", &RankTimes::exposedComm);
    add("compute_ps", &RankTimes::compute);
    add("comm_ps", &RankTimes::comm);
    add("host_ps", &RankTimes::host);
    add("memory_ps", &RankTimes::memory);
    return columns;
}

py::list rankSets(const RunHandle& run)
{
    py::list sets;
    for (const RankClass& row : run.rows)
        sets.append(row.ranks.text());
    return sets;
}

/// Of every rank its row.
py::array rowOfRank(const RunHandle& run)
{
    auto rows = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(run.record().rankCount), -1);
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
        for (const RankSet::Interval& interval : run.rows[i].ranks.intervals())
            std::fill(rows->begin() + interval.first, rows->begin() + interval.last + 1, static_cast<std::int32_t>(i));
    }
    return sharedView(*rows, rows);
}

py::dict linkColumns(const RunHandlePtr& run)
{
    const std::vector<LinkUse>& links = run->record().links;
    py::dict columns;
    const auto add = [&](const char* name, std::int64_t LinkUse::*number) {
        columns[name] = sharedColumn(links, [number](const LinkUse& link) -> const std::int64_t& { return link.*number; }, run);
    };
    add("link", &LinkUse::link);
    add("messages", &LinkUse::messages);
    add("bytes", &LinkUse::bytes);
    add("busy_ps", &LinkUse::busyPs);
    return columns;
}

void demandTimes(const RunHandle& run)
{
    if (!run.keptTimes)
        throw RaisedError{cli::usageError("times were not kept", "task_times", "simulate(design, task_times=True)")};
}

py::tuple busyOf(const RunHandlePtr& run, std::size_t dimension)
{
    demandTimes(*run);
    if (dimension >= run->record().dimensions.size())
        throw py::index_error("there are " + std::to_string(run->record().dimensions.size()) + " dimensions");
    const BusyPyramid& busy = run->record().dimensions[dimension].busy;
    return py::make_tuple(busy.bucketPs(), sharedView(busy.busyPs(), run));
}

py::tuple taskTimes(const RunHandlePtr& run, std::int64_t rank)
{
    demandTimes(*run);
    for (const RankClass& row : run->record().classes) {
        if (row.ranks.contains(rank))
            return py::make_tuple(sharedView(row.tasks->issuePs, row.tasks), sharedView(row.tasks->endPs, row.tasks));
    }
    throw py::index_error("there is no rank " + std::to_string(rank));
}

py::list waitsOf(const RunHandle& run)
{
    py::list waits;
    for (const Wait& wait : run.record().waits) {
        py::dict row;
        row["rank"] = wait.rank;
        row["node"] = wait.node;
        row["task"] = wait.task;
        row["reason"] = wait.reason;
        waits.append(row);
    }
    return waits;
}

std::string jsonOf(const RunHandle& run, bool all)
{
    const py::gil_scoped_release released;
    return runJson(run.result->summary, run.result->cost, all ? RankRows::All : RankRows::Classes);
}

} // namespace

void bindRuns(py::module_& module)
{
    py::class_<RunHandle, RunHandlePtr>(module, "Run", "A run: figures and arrays that share its memory. Times are whole picoseconds.")
        .def_property_readonly("complete", [](const RunHandle& run) { return run.record().complete; })
        .def_property_readonly("finish_ps", [](const RunHandle& run) { return run.record().finish.ps; })
        .def_property_readonly("rank_count", [](const RunHandle& run) { return run.record().rankCount; })
        .def_property_readonly("dimension_count", [](const RunHandle& run) { return run.record().dimensions.size(); })
        .def("json", &jsonOf, py::arg("all_ranks") = false)
        .def("rank_columns", &rankColumns)
        .def("rank_sets", &rankSets)
        .def("row_of_rank", &rowOfRank)
        .def("finish_order", [](const RunHandlePtr& run) { return sharedView(run->record().finishOrder, run); })
        .def("link_columns", &linkColumns)
        .def("busy", &busyOf, py::arg("dimension"))
        .def("task_times", &taskTimes, py::arg("rank"))
        .def("waits", &waitsOf);
    module.def("simulate",
        [](const EditedDesign& design, std::string model, std::string engine, std::uint64_t seed, int threads, bool taskTimes, const py::object& told) {
            return simulate(design, {std::move(model), std::move(engine), seed, threads, taskTimes}, told);
        },
        py::arg("design"), py::arg("model") = "", py::arg("engine") = "auto", py::arg("seed") = 0, py::arg("threads") = 0, py::arg("task_times") = false, py::arg("told") = py::none());
}

} // namespace fabricscope::python
