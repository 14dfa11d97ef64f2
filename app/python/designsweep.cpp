#include "app/python/designsweep.h"

#include "app/python/editeddesign.h"
#include "app/python/heardcall.h"
#include "app/python/numpyview.h"
#include "app/python/raisederror.h"
#include "app/python/yamlvalues.h"
#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/design/file/costsection.h"
#include "core/design/file/designdocument.h"
#include "core/study/pointrun.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

/// A design of a sweep: a text, and what is set in it.
struct SweptDesign {
    EditedDesign base;
    std::vector<PlacedField> fields;
};

/// What came out, a row for each design.
struct SweptTable {
    std::array<std::vector<double>, kPointFigures> figures; ///< NaN where a design has not this one; times in ns, all else as PointFigures.
    std::vector<std::uint8_t> failed;
    std::vector<std::string> messages;

    explicit SweptTable(std::size_t designs) : failed(designs, 0), messages(designs)
    {
        for (std::vector<double>& column : figures)
            column.assign(designs, std::numeric_limits<double>::quiet_NaN());
    }

    void put(std::size_t number, const PointRow& row)
    {
        constexpr double kPsInNs = 1000;
        failed[number] = row.state == PointRow::State::Failed;
        messages[number] = row.message;
        for (std::size_t i = 0; i < kPointFigures; ++i) {
            const auto figure = static_cast<PointFigure>(i);
            if (const std::optional<double>& value = row.figures[figure])
                figures[i][number] = rowOf(figure).measure == Measure::Time ? *value / kPsInNs : *value;
        }
    }
};

using SweptTablePtr = std::shared_ptr<SweptTable>;

/// What `--set` takes for a value.
std::string setText(const py::handle& value)
{
    const YamlNode node = yamlValue(value);
    return node.isScalar() ? node.text : renderYaml(node, true);
}

std::vector<SweptDesign> sweptDesigns(const py::list& designs, const py::list& changes)
{
    std::vector<SweptDesign> swept;
    swept.reserve(designs.size());
    for (std::size_t i = 0; i < designs.size(); ++i) {
        SweptDesign design{py::handle(designs[i]).cast<const EditedDesign&>(), {}};
        for (const auto& [path, value] : py::handle(changes[i]).cast<py::dict>())
            design.fields.push_back({{path.cast<std::string>(), setText(value)}, "design " + std::to_string(i) + " of the sweep"});
        swept.push_back(std::move(design));
    }
    return swept;
}

/// Reads a design and runs it as a study does. Error: Cancelled, MemoryLimit.
Result<PointRow> rowOfDesign(const SweptDesign& swept, const PointRunner& runner, bool wantsParts, const std::stop_token& stop)
{
    StudyPoint point;
    YamlDocument document = swept.base.document();
    Result<LoadedDesign> design = readDesignDocument(document, swept.fields, stop);
    if (!design)
        return endsTheJob(design.error()) ? Result<PointRow>(design.error()) : PointRow{PointRow::State::Failed, design.error().text(), {}};
    if (wantsParts) {
        Result<std::optional<CostConfig>> costs = readCosts(document);
        if (!costs)
            return PointRow{PointRow::State::Failed, costs.error().text(), {}};
        point.costs = std::move(costs).value();
    }
    point.design = std::move(design).value();
    return runner.run(point, stop);
}

/// How far a sweep is. Safe to call from several threads.
class SweepClock {
public:
    SweepClock(std::size_t designs, CallProgress& progress) : m_designs(designs), m_progress(progress) {}

    void countOne()
    {
        const std::lock_guard lock(m_mutex);
        ++m_done;
        const double share = static_cast<double>(m_done) / static_cast<double>(m_designs);
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_begin;
        m_progress.publish({std::to_string(m_done) + " of " + std::to_string(m_designs) + " designs", share, passed.count() * (1 - share) / share});
    }

private:
    std::mutex m_mutex;
    std::size_t m_designs;
    std::size_t m_done = 0;
    CallProgress& m_progress;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

void runAll(const std::vector<SweptDesign>& designs, bool wantsParts, int threads, SweptTable& table, CallProgress& progress, const std::stop_token& stop)
{
    StudySpec space;
    if (wantsParts)
        space.objectives.push_back({StudyObjective::Sense::Report, PointFigure::Cost, {}});
    const PointRunner runner(space, {});
    SweepClock clock(designs.size(), progress);
    std::mutex mutex;
    std::optional<Error> end;
    forEachItem(designs.size(), threads, [&](std::size_t i) {
        const Result<PointRow> row = rowOfDesign(designs[i], runner, wantsParts, stop);
        if (!row) {
            const std::lock_guard lock(mutex);
            end = row.error();
            return false;
        }
        table.put(i, row.value()); // No two threads have one row.
        clock.countOne();
        return true;
    });
    if (end)
        throw RaisedError{*std::move(end)};
}

SweptTablePtr sweep(const py::list& designs, const py::list& changes, bool wantsParts, int threads, const py::object& told)
{
    const std::vector<SweptDesign> swept = sweptDesigns(designs, changes);
    const auto table = std::make_shared<SweptTable>(swept.size());
    const int wanted = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    CallProgress progress;
    callHeard([&](const std::stop_token& stop) { runAll(swept, wantsParts, wanted, *table, progress, stop); }, told, progress);
    return table;
}

py::array figureColumn(const SweptTablePtr& table, const std::string& name)
{
    const std::optional<PointFigure> figure = pointFigureNamed(name);
    if (!figure)
        throw py::key_error(name);
    return sharedView(table->figures[static_cast<std::size_t>(*figure)], table);
}

/// Name, meaning with unit, and whether it needs the bill of the parts.
py::list figureList()
{
    py::list list;
    for (const FigureRow& row : figureRows())
        list.append(py::make_tuple(std::string(row.key), std::string(row.meaning), needsParts(*pointFigureNamed(row.key))));
    return list;
}

} // namespace

void bindSweeps(py::module_& module)
{
    py::class_<SweptTable, SweptTablePtr>(module, "Table", "Figures of many designs, a row for each; not a number where a design has not this one.")
        .def("column", &figureColumn, py::arg("figure"))
        .def("failed", [](const SweptTablePtr& table) { return sharedView(table->failed, table); })
        .def("messages", [](const SweptTablePtr& table) { return table->messages; });
    module.def("figures", &figureList);
    module.def("sweep", &sweep, py::arg("designs"), py::arg("changes"), py::arg("parts"), py::arg("threads"), py::arg("told"));
}

} // namespace fabricscope::python
