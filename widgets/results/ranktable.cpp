#include "widgets/results/ranktable.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

enum Column { Ranks, Job, Finish, Exposed, Compute, Communication, Memory, ExposedShare, Npus };

class RanksContent : public TableContent {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::RanksContent)
public:
    RanksContent(const RunResult& result, bool perRank) : m_classes(resultRows(result.record())), m_placement(result.scenario->structure->placement), m_perRank(perRank)
    {
        const RunRecord& record = result.record();
        for (const Placement::Job& job : result.scenario->structure->placement.jobs())
            m_jobs.append(texts::shown(job.name));
        for (std::size_t c = 0; c < m_classes.size(); ++c)
            for (const RankSet::Interval& stretch : m_classes[c].ranks.intervals())
                m_stretches.push_back({stretch.first, stretch.last, static_cast<int>(c), 0});
        std::sort(m_stretches.begin(), m_stretches.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
        for (Stretch& stretch : m_stretches) {
            stretch.row = m_ranks;
            m_ranks += static_cast<int>(stretch.last - stretch.first + 1);
        }
        m_isPart = record.cutAt.has_value();
        m_time = ColumnUnit::ofTime(record.finish.ps);
        const auto timed = [&](const QString& title, const QString& exact) {
            return TableColumn{m_time.title(title), exact, TableColumn::Look::Number};
        };
        m_columns = {{perRank ? tr("Rank") : tr("Ranks"), perRank ? tr("Rank") : tr("Ranks"), TableColumn::Look::Text},
                     {tr("Job"), tr("Job"), TableColumn::Look::Text},
                     timed(tr("Finish"), tr("Finish [ps]")),
                     timed(tr("Exposed communication"), tr("Exposed communication [ps]")),
                     timed(tr("Compute"), tr("Compute [ps]")),
                     timed(tr("Communication"), tr("Communication [ps]")),
                     timed(tr("Memory"), tr("Memory [ps]")),
                     {tr("Exposed share, %"), tr("Exposed share [1]"), TableColumn::Look::ShareBar}};
        // Where ranks have other numbers than the NPUs they run on, both are said.
        constexpr int kListed = 1 << 16;
        if (m_placement.isIdentity() || (!perRank && m_ranks > kListed))
            return;
        for (const RankClass& one : m_classes)
            m_nodes.push_back(perRank ? RankSet() : nodesOf(one.ranks));
        m_columns.push_back({perRank ? tr("NPU") : tr("NPUs"), perRank ? tr("NPU") : tr("NPUs"), TableColumn::Look::Text});
    }

    int rows() const override { return m_perRank ? m_ranks : static_cast<int>(m_classes.size()); }

    QString text(int row, int column) const override
    {
        const RankClass& shown = classAt(row);
        if (column == Column::Ranks)
            return m_perRank ? QString::number(id(row)) : texts::rankNumbers(shown.ranks);
        if (column == Column::Job)
            return jobName(shown.job);
        if (column == Column::Npus)
            return m_perRank ? QString::number(m_placement.nodeOf(static_cast<std::int32_t>(id(row)))) : texts::rankNumbers(m_nodes[classIndex(row)]);
        if (column == Column::Finish && !shown.times.finished)
            return m_isPart ? tr("not yet") : tr("never");
        if (column == Column::ExposedShare)
            return texts::number(share(row, column) * 100, 1);
        return m_time.text(static_cast<double>(timeOf(shown.times, column).ps));
    }

    TableValue value(int row, int column) const override
    {
        const RankClass& shown = classAt(row);
        if (column == Column::Ranks)
            return m_perRank ? TableValue(id(row)) : TableValue(QString::fromStdString(shown.ranks.text()));
        if (column == Column::Job)
            return jobName(shown.job);
        if (column == Column::Npus)
            return m_perRank ? TableValue(std::int64_t{m_placement.nodeOf(static_cast<std::int32_t>(id(row)))}) : TableValue(QString::fromStdString(m_nodes[classIndex(row)].text()));
        if (column == Column::Finish && !shown.times.finished)
            return {};
        if (column == Column::ExposedShare)
            return share(row, column);
        return timeOf(shown.times, column).ps;
    }

    double share(int row, int /*column*/) const override
    {
        const RankTimes& times = classAt(row).times;
        return times.finish.ps > 0 ? static_cast<double>(times.exposedComm.ps) / static_cast<double>(times.finish.ps) : 0;
    }

    std::int64_t id(int row) const override
    {
        if (!m_perRank)
            return classAt(row).ranks.empty() ? -1 : classAt(row).ranks.intervals().front().first;
        const Stretch& stretch = stretchAt(row);
        return stretch.first + (row - stretch.row);
    }

private:
    struct Stretch {
        std::int64_t first = 0;
        std::int64_t last = 0;
        int rankClass = 0;
        int row = 0; ///< Of its first rank.
    };

    RankSet nodesOf(const RankSet& ranks) const
    {
        std::vector<std::int64_t> nodes;
        for (const RankSet::Interval& stretch : ranks.intervals())
            for (std::int64_t rank = stretch.first; rank <= stretch.last; ++rank)
                nodes.push_back(m_placement.nodeOf(static_cast<std::int32_t>(rank)));
        std::sort(nodes.begin(), nodes.end());
        RankSet set;
        for (const std::int64_t node : nodes)
            set.add(node);
        return set;
    }
    QString jobName(std::int32_t job) const
    {
        const QString name = job < m_jobs.size() ? m_jobs[job] : QString();
        return name.isEmpty() ? QString::number(job) : name;
    }
    const Stretch& stretchAt(int row) const
    {
        return *(std::upper_bound(m_stretches.begin(), m_stretches.end(), row, [](int wanted, const Stretch& one) { return wanted < one.row; }) - 1);
    }
    std::size_t classIndex(int row) const { return static_cast<std::size_t>(m_perRank ? stretchAt(row).rankClass : row); }
    const RankClass& classAt(int row) const { return m_classes[classIndex(row)]; }

    static SimTime timeOf(const RankTimes& times, int column)
    {
        switch (column) {
        case Column::Exposed: return times.exposedComm;
        case Column::Compute: return times.compute;
        case Column::Communication: return times.comm;
        case Column::Memory: return times.memory;
        default: return times.finish;
        }
    }

    std::vector<RankClass> m_classes;
    std::vector<Stretch> m_stretches; // ascending
    QStringList m_jobs;
    std::vector<RankSet> m_nodes; ///< Of every class.
    Placement m_placement;
    ColumnUnit m_time;
    int m_ranks = 0;
    bool m_isPart = false; ///< The run goes on, or was stopped.
    bool m_perRank = false;
};

} // namespace

TableContentPtr ranksContent(const RunResult& result, bool perRank)
{
    return std::make_shared<RanksContent>(result, perRank);
}

void RanksModel::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    refresh();
}

void RanksModel::setPerRank(bool on)
{
    m_perRank = on;
    refresh();
}

void RanksModel::refresh()
{
    setContent(m_result ? ranksContent(*m_result, m_perRank) : nullptr);
}

} // namespace fabricscope
