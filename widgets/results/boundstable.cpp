#include "widgets/results/boundstable.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope {

namespace {

using Look = TableColumn::Look;
using Cell = StoredTable::Cell;

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

Cell words(const QString& text)
{
    return {text, text};
}

Cell number(std::int64_t value)
{
    return {texts::count(value), value};
}

/// Collectives of one run lie decades apart: each size and time has its own unit.
Cell size(std::int64_t bytes)
{
    return {texts::size(bytes), bytes};
}

Cell time(SimTime span)
{
    return {texts::time(span), span.ps};
}

QString groupText(const std::string& name)
{
    return name.empty() ? tr("All ranks") : texts::shown(name);
}

} // namespace

QString texts::operationOfKey(const std::string& key)
{
    if (const std::optional<CollectiveOp> op = valueOf(kCollectiveKeys, key))
        return operation(*op);
    return QString::fromStdString(key);
}

TableContentPtr boundsContent(const RunSummary& summary)
{
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{tr("Collective"), tr("Collective"), Look::Text},
                                                                        {tr("Size"), tr("Size [B]"), Look::Number},
                                                                        {tr("Best"), tr("Best [ps]"), Look::Number},
                                                                        {tr("Lower bound"), tr("Lower bound [ps]"), Look::Number},
                                                                        {tr("Reached, %"), tr("Reached [1]"), Look::ShareBar},
                                                                        {tr("Latency"), tr("Latency bound [ps]"), Look::Number},
                                                                        {tr("Bandwidth"), tr("Bandwidth bound [ps]"), Look::Number},
                                                                        {tr("Ranks"), tr("Ranks"), Look::Number},
                                                                        {tr("Algorithm"), tr("Algorithm"), Look::Text},
                                                                        {tr("Slowest"), tr("Slowest [ps]"), Look::Number},
                                                                        {tr("Count"), tr("Count"), Look::Number},
                                                                        {tr("Binds"), tr("Binds"), Look::Text},
                                                                        {tr("Group"), tr("Group"), Look::Text}},
                                               texts::shown(summary.boundsNote));
    for (const CollectiveBoundRow& row : summary.collectiveBounds) {
        const double share = row.best.ps > 0 ? static_cast<double>(row.bound.ps) / static_cast<double>(row.best.ps) : 0;
        const QString operation = texts::operationOfKey(row.op);
        const QString binds = texts::shown(row.cut);
        StoredTable::Row cells;
        cells.cells.push_back(words(row.group.empty() ? operation : tr("%1, %2").arg(operation, groupText(row.group))));
        cells.cells.push_back(size(row.bytes));
        cells.cells.push_back(time(row.best));
        cells.cells.push_back(time(row.bound));
        cells.cells.push_back({texts::number(100 * share, 1), share, share});
        cells.cells.push_back(time(row.latency));
        cells.cells.push_back(time(row.bandwidth));
        cells.cells.push_back(number(row.ranks));
        cells.cells.push_back(words(texts::shown(row.algorithm)));
        cells.cells.push_back(time(row.worst));
        cells.cells.push_back(number(row.count));
        cells.cells.push_back(words(row.exact ? binds : tr("%1 (of the cuts looked at)").arg(binds)));
        cells.cells.push_back(words(groupText(row.group)));
        table->add(std::move(cells));
    }
    return table;
}

TableContentPtr candidatesContent(const RunSummary& summary)
{
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{tr("Candidate"), tr("Candidate"), Look::Text},
                                                                        {tr("Collective"), tr("Collective"), Look::Text},
                                                                        {tr("Size"), tr("Size [B]"), Look::Number},
                                                                        {tr("Time alone"), tr("Time alone [ps]"), Look::Number},
                                                                        {tr("Taken"), tr("Taken"), Look::Text},
                                                                        {tr("Of the fastest, ×"), tr("Of the fastest [1]"), Look::Number},
                                                                        {tr("Ranks"), tr("Ranks"), Look::Number},
                                                                        {tr("Left out because, or timed how"), tr("Left out because, or timed how"), Look::Text}});
    for (const CollectiveChoice& choice : summary.choices) {
        const QString operation = texts::operation(choice.op);
        const QString collective = choice.group.empty() ? operation : tr("%1, %2").arg(operation, groupText(choice.group));
        std::int64_t fastest = -1;
        for (const CandidateTime& candidate : choice.candidates) {
            if (candidate.timePs >= 0 && (fastest < 0 || candidate.timePs < fastest))
                fastest = candidate.timePs;
        }
        for (const CandidateTime& candidate : choice.candidates) {
            const bool timed = candidate.timePs >= 0;
            StoredTable::Row cells;
            cells.cells.push_back(words(texts::shown(candidate.name)));
            cells.cells.push_back(words(collective));
            cells.cells.push_back(size(choice.bytes));
            cells.cells.push_back(timed ? time({candidate.timePs}) : Cell{});
            cells.cells.push_back(words(candidate.name == choice.chosen ? tr("runs") : timed ? QString() : tr("left out")));
            if (timed && fastest > 0) {
                const double factor = static_cast<double>(candidate.timePs) / static_cast<double>(fastest);
                cells.cells.push_back({texts::number(factor, 2), factor});
            } else {
                cells.cells.emplace_back();
            }
            cells.cells.push_back(number(choice.ranks));
            cells.cells.push_back(words(texts::shown(candidate.reason)));
            table->add(std::move(cells));
        }
    }
    return table;
}

} // namespace fabricscope
