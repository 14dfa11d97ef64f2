#include "widgets/results/linktable.h"

#include "core/base/index.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

struct Alike {
    LinkUse use;                 ///< Of each link.
    std::int32_t dimension = -1;
    std::int64_t bandwidth = 0;
    std::int64_t latencyPs = 0;
    std::int64_t links = 1;
    bool whole = false;          ///< Every link of the dimension.
    bool listed = true;          ///< False: links the record does not name, for they carried nothing.
};

Alike rowOf(const Platform& platform, const LinkUse& use)
{
    return {use, platform.linkInfo(use.link).dimension, platform.bandwidth(use.link).bytesPerSecond, platform.latency(use.link).ps, 1, false, true};
}

std::size_t entryOf(const Alike& row)
{
    return static_cast<std::size_t>(std::max(row.dimension, 0));
}

/// With every link listed: those that share all figures, in order of their busiest.
std::vector<Alike> foldListed(const Platform& platform, const RunRecord& record)
{
    std::vector<Alike> rows;
    std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::size_t> known;
    std::vector<std::int64_t> listed(record.dimensions.size(), 0);
    for (const LinkUse& use : record.links) {
        const Alike row = rowOf(platform, use);
        if (entryOf(row) < listed.size())
            ++listed[entryOf(row)];
        const auto key = std::tuple(row.dimension, row.bandwidth, row.latencyPs, use.busyPs, use.bytes, use.messages);
        const auto [at, isNew] = known.try_emplace(key, rows.size());
        if (isNew)
            rows.push_back(row);
        else
            ++rows[at->second].links;
    }
    for (Alike& row : rows)
        row.whole = row.links > 1 && !platform.hasRemovals() && entryOf(row) < record.dimensions.size() && row.links == record.dimensions[entryOf(row)].links;
    std::vector<std::int64_t> removed(record.dimensions.size(), 0);
    for (LinkId link = 0; platform.hasRemovals() && link < platform.linkCount(); ++link)
        if (const auto d = static_cast<std::size_t>(std::max(platform.linkInfo(link).dimension, 0)); d < removed.size() && platform.isRemoved(link))
            ++removed[d];
    for (std::size_t d = 0; d < record.dimensions.size(); ++d) {
        if (record.dimensions[d].links - removed[d] > listed[d]) {
            Alike idle;
            idle.use.link = -1;
            idle.dimension = platform.isExplicit() ? -1 : static_cast<std::int32_t>(d);
            idle.links = record.dimensions[d].links - removed[d] - listed[d];
            idle.whole = listed[d] == 0;
            idle.listed = false;
            rows.push_back(idle);
        }
    }
    return rows;
}

/// With only the busiest listed: a dimension folds when its sums show that all its links are as busy as the busiest.
std::vector<Alike> foldByTotals(const Platform& platform, const RunRecord& record)
{
    std::vector<Alike> rows;
    std::vector<bool> folded(record.dimensions.size(), false);
    for (const LinkUse& use : record.links) {
        Alike row = rowOf(platform, use);
        if (entryOf(row) >= record.dimensions.size()) {
            rows.push_back(row);
            continue;
        }
        const DimensionUse& all = record.dimensions[entryOf(row)];
        if (folded[entryOf(row)])
            continue;
        const bool even = all.busyPs == all.links * use.busyPs && all.bytes == all.links * use.bytes && all.messages == all.links * use.messages;
        if (even && !platform.hasLinkOverrides()) {
            row.links = all.links;
            row.whole = true;
            folded[entryOf(row)] = true;
        }
        rows.push_back(row);
    }
    return rows;
}

QString nameOf(const Platform& platform, const Alike& row)
{
    if (row.links == 1 && row.listed)
        return texts::link(platform, row.use.link);
    QString ends = tr("Links");
    if (row.dimension >= 0) {
        switch (platform.dimensions()[at(row.dimension)].shape) {
        case Shape::FullyConnected: ends = tr("NPU %1 peers").arg(QChar(0x2194)); break;
        case Shape::Ring: ends = tr("NPU %1 neighbours").arg(QChar(0x2194)); break;
        case Shape::Switch: ends = tr("NPU %1 D%2 switch").arg(QChar(0x2194)).arg(row.dimension); break;
        }
    }
    const QString number = texts::count(row.links);
    if (!row.listed)
        return tr("%1, %2 unused").arg(ends, number);
    return row.whole ? tr("%1, all %2").arg(ends, number) : tr("%1, %2 alike").arg(ends, number);
}

} // namespace

TableContentPtr linksContent(const RunResult& result, bool folded)
{
    const RunRecord& record = result.record();
    const Platform& platform = result.scenario->structure->platform;
    std::vector<Alike> rows;
    if (!folded)
        for (const LinkUse& use : record.links)
            rows.push_back(rowOf(platform, use));
    else
        rows = record.allLinks ? foldListed(platform, record) : foldByTotals(platform, record);

    std::vector<double> rates;
    std::vector<std::int64_t> latencies;
    std::int64_t busiest = 0;
    std::int64_t most = 0;
    for (const Alike& row : rows) {
        if (!row.listed)
            continue;
        rates.push_back(static_cast<double>(row.bandwidth));
        latencies.push_back(row.latencyPs);
        busiest = std::max(busiest, row.use.busyPs);
        most = std::max(most, row.use.bytes);
    }
    const ColumnUnit rate = ColumnUnit::ofRates(rates);
    const ColumnUnit latency = ColumnUnit::ofShortTimes(latencies);
    const ColumnUnit busy = ColumnUnit::ofTime(busiest);
    const ColumnUnit bytes = ColumnUnit::ofBytes(most);
    const std::int64_t finish = record.cutAt.value_or(record.finish).ps;

    using Look = TableColumn::Look;
    QString note;
    if (!record.allLinks && !record.links.empty() && !std::all_of(rows.begin(), rows.end(), [](const Alike& row) { return row.whole; }))
        note = tr("busiest %1 of %2 links").arg(texts::count(static_cast<std::int64_t>(record.links.size())), texts::count(platform.linkCount()));
    else if (folded)
        note = tr("%1 links in %2 kinds").arg(texts::count(platform.linkCount()), texts::count(static_cast<std::int64_t>(rows.size())));
    auto table = std::make_shared<StoredTable>(
        std::vector<TableColumn>{{tr("Link"), tr("Link"), Look::Text},
                                 {tr("Dim"), tr("Dimension"), Look::Chip},
                                 {rate.title(tr("Bandwidth")), tr("Bandwidth [B/s]"), Look::Number},
                                 {latency.title(tr("Latency")), tr("Latency [ps]"), Look::Number},
                                 {busy.title(tr("Busy")), tr("Busy [ps]"), Look::Number},
                                 {tr("Busy share, %"), tr("Busy share [1]"), Look::ShareBar},
                                 {bytes.title(tr("Bytes")), tr("Bytes [B]"), Look::Number},
                                 {tr("Messages"), tr("Messages"), Look::Number}},
        note);
    for (const Alike& row : rows) {
        const double share = finish > 0 ? static_cast<double>(row.use.busyPs) / static_cast<double>(finish) : 0;
        const QString name = nameOf(platform, row);
        const TableValue exactName = row.links == 1 && row.listed ? texts::shown(platform.linkName(row.use.link)) : name;
        StoredTable::Row cells;
        cells.id = row.use.link;
        cells.dimension = row.dimension;
        cells.cells.push_back({name, exactName});
        cells.cells.push_back({row.dimension >= 0 ? QStringLiteral("D%1").arg(row.dimension) : QString(),
                               row.dimension >= 0 ? TableValue(std::int64_t{row.dimension}) : TableValue()});
        if (row.listed) {
            cells.cells.push_back({rate.text(static_cast<double>(row.bandwidth)), row.bandwidth});
            cells.cells.push_back({latency.text(static_cast<double>(row.latencyPs)), row.latencyPs});
        } else {
            cells.cells.resize(cells.cells.size() + 2);
        }
        cells.cells.push_back({busy.text(static_cast<double>(row.use.busyPs)), row.use.busyPs});
        cells.cells.push_back({texts::number(share * 100, 1), share, share});
        cells.cells.push_back({bytes.text(static_cast<double>(row.use.bytes)), row.use.bytes});
        cells.cells.push_back({texts::count(row.use.messages), row.use.messages});
        table->add(std::move(cells));
    }
    return table;
}

void LinksModel::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    refresh();
}

void LinksModel::setFolded(bool on)
{
    m_folded = on;
    refresh();
}

void LinksModel::refresh()
{
    setContent(m_result ? linksContent(*m_result, m_folded) : nullptr);
}

} // namespace fabricscope
