#include "widgets/results/collectivetable.h"

#include "core/base/index.h"

#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/collectivetimes.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

constexpr std::size_t kMostRows = 100'000; ///< About 100 MB; a trace can hold millions of collectives.
constexpr std::int64_t kStepsAtOnce = 100'000; ///< Fewer are done on the spot: about a millisecond.

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

/// Chunks and algorithm of the collectives, each program of a family looked at once.
class Programs {
public:
    explicit Programs(const Structure& structure) : m_structure(structure) {}

    const QString& algorithm(const CollectiveInstance& instance)
    {
        const auto [at, isNew] = m_known.try_emplace(std::pair(instance.family, instance.program.get()));
        if (isNew)
            at->second = texts::algorithm(m_structure, instance);
        return at->second;
    }

private:
    const Structure& m_structure;
    std::map<std::pair<FamilyId, const Program*>, QString> m_known;
};

} // namespace

TableContentPtr collectivesContent(const RunResult& result, bool folded)
{
    const RunRecord& record = result.record();
    const Structure& structure = *result.scenario->structure;
    std::vector<CollectiveTimes> rows = collectiveTimes(result, folded);
    QString note;
    if (rows.size() > kMostRows) {
        note = tr("first %1 of %2").arg(texts::count(static_cast<std::int64_t>(kMostRows)), texts::count(static_cast<std::int64_t>(rows.size())));
        rows.resize(kMostRows);
    }

    std::int64_t most = 0;
    for (const CollectiveTimes& row : rows)
        if (row.instance >= 0)
            most = std::max(most, structure.instances[at(row.instance)].bytes);
    const ColumnUnit bytes = ColumnUnit::ofBytes(most, 3);
    const ColumnUnit time = ColumnUnit::ofTime(record.cutAt.value_or(record.finish).ps);

    using Look = TableColumn::Look;
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{tr("Name"), tr("Name"), Look::Text},
                                                                        {tr("Operation"), tr("Operation"), Look::Text},
                                                                        {tr("Group"), tr("Group"), Look::Text},
                                                                        {bytes.title(tr("Size")), tr("Size [B]"), Look::Number},
                                                                        {tr("Algorithm"), tr("Algorithm"), Look::Text},
                                                                        {tr("Chunks"), tr("Chunks"), Look::Number},
                                                                        {time.title(tr("Begin")), tr("Begin [ps]"), Look::Number},
                                                                        {time.title(tr("End")), tr("End [ps]"), Look::Number},
                                                                        {time.title(tr("Duration")), tr("Duration [ps]"), Look::Number}},
                                               note);
    Programs programs(structure);
    for (const CollectiveTimes& times : rows) {
        const RankClass& rankClass = record.classes[at(times.rankClass)];
        const RankGraph& graph = structure.workload->graph(static_cast<std::int32_t>(rankClass.ranks.intervals().front().first));
        const auto task = static_cast<std::size_t>(times.task);
        const std::string_view given = graph.name(times.task);
        const QString operation = texts::operation(graph.op[task]);
        const QString name = given.empty() ? operation : texts::shown(given);
        const CollectiveInstance* instance = times.instance < 0 ? nullptr : &structure.instances[at(times.instance)];
        QString group = texts::group(*structure.workload, graph.family[task]);
        if (folded && times.groups > 1)
            group = tr("%1, %2 groups").arg(group, texts::count(times.groups));
        else if (!folded && instance && structure.workload->families[at(graph.family[task])].groupCount() > 1)
            group = tr("%1, group %2").arg(group, texts::count(instance->group));
        const std::int64_t size = instance ? instance->bytes : graph.bytes[task];
        const QString algorithm = instance ? programs.algorithm(*instance) : QString();

        StoredTable::Row row;
        row.id = times.instance;
        row.cells.push_back({name, name});
        row.cells.push_back({operation, operation});
        row.cells.push_back({group, group});
        row.cells.push_back({bytes.text(static_cast<double>(size)), size});
        row.cells.push_back({algorithm, algorithm});
        if (instance && instance->program)
            row.cells.push_back({QString::number(instance->program->chunks), std::int64_t{instance->program->chunks}});
        else
            row.cells.emplace_back();
        row.cells.push_back({time.text(static_cast<double>(times.beginPs)), times.beginPs});
        if (times.endPs >= 0) {
            row.cells.push_back({time.text(static_cast<double>(times.endPs)), times.endPs});
            row.cells.push_back({time.text(static_cast<double>(times.endPs - times.beginPs)), times.endPs - times.beginPs});
        } else {
            row.cells.push_back({record.cutAt ? tr("running") : tr("never"), {}});
            row.cells.emplace_back();
        }
        table->add(std::move(row));
    }
    return table;
}

void CollectivesModel::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    refresh();
}

void CollectivesModel::setFolded(bool on)
{
    m_folded = on;
    refresh();
}

void CollectivesModel::refresh()
{
    const int wanted = ++m_wanted;
    if (!m_result) {
        setContent(nullptr);
        return;
    }
    const bool folded = m_folded || collectiveTimesCost(*m_result, false) > kMostSteps;
    if (collectiveTimesCost(*m_result, folded) <= kStepsAtOnce) {
        setContent(collectivesContent(*m_result, folded));
        return;
    }
    inBackground(this, [result = m_result, folded] { return collectivesContent(*result, folded); },
                 [this, wanted](Result<TableContentPtr> content) {
                     if (wanted != m_wanted)
                         return;
                     // No table, rather than one of another run.
                     if (content)
                         setContent(std::move(content).value());
                     else
                         setMissing();
                 });
}

} // namespace fabricscope
