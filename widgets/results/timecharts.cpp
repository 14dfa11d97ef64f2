#include "widgets/results/timecharts.h"

#include "core/base/stop.h"
#include "widgets/base/background.h"
#include "widgets/base/tablecontent.h"
#include "widgets/results/words.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QSignalBlocker>

#include <algorithm>
#include <numeric>
#include <utility>

namespace fabricscope {

namespace {

struct Both {
    TimeShares links;
    TimeShares ranks;
};

} // namespace

TimeCharts::TimeCharts(QWidget* parent)
    : QWidget(parent), m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)), m_links(new ShareChart(tr("Busy links over time"))),
      m_ranks(new ShareChart(tr("Ranks over time"))), m_classes(new QComboBox(this))
{
    setAccessibleName(tr("Charts over time"));
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_links, 1);
    m_layout->addWidget(m_ranks, 1);
    m_classes->setAccessibleName(tr("Ranks to show over time"));
    m_classes->setToolTip(tr("All ranks together, or those with the same times"));
    m_classes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_classes->setMinimumContentsLength(10);
    m_classes->hide();
    connect(m_classes, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_class = index > 0 ? std::optional(m_classes->itemData(index).toInt()) : std::nullopt;
        m_wanted = m_class ? std::optional(m_result->timeline->classes()[static_cast<std::size_t>(*m_class)].ranks) : std::nullopt;
        work();
    });
    for (ShareChart* chart : {m_links, m_ranks}) {
        // Until the answer for another run comes, times on show are of the one before.
        connect(chart, &ShareChart::timeActivated, this, [this](qint64 ps) {
            if (!m_working)
                emit timeActivated(ps);
        });
    }
    listClasses();
    work();
}

TimeCharts::~TimeCharts()
{
    m_stop.request_stop();
}

void TimeCharts::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    listClasses();
    work();
}

/// The choice stays where the new run has a class of the same ranks, and comes back with the next run that has.
void TimeCharts::listClasses()
{
    QStringList names{tr("All ranks")};
    std::vector<int> numbers{-1};
    int chosen = 0;
    if (m_result && m_result->timeline) {
        const std::vector<TimelineClass>& classes = m_result->timeline->classes();
        std::vector<int> order(classes.size());
        std::iota(order.begin(), order.end(), 0);
        if (order.size() > kMostClasses) {
            const auto slower = [&classes](int a, int b) { return classes[static_cast<std::size_t>(a)].finish > classes[static_cast<std::size_t>(b)].finish; };
            std::stable_sort(order.begin(), order.end(), slower);
            order.resize(kMostClasses);
            std::sort(order.begin(), order.end());
        }
        for (const int number : order) {
            const RankSet& ranks = classes[static_cast<std::size_t>(number)].ranks;
            if (m_wanted == ranks)
                chosen = static_cast<int>(names.size());
            names.append(texts::rankNumbers(ranks));
            numbers.push_back(number);
        }
    }
    const QSignalBlocker quiet(m_classes);
    // A list that is open stays so while parts of a run come that say the same.
    if (names != m_names) {
        m_names = names;
        m_classes->clear();
        m_classes->addItems(names);
        for (int i = 0; i < m_classes->count(); ++i)
            m_classes->setItemData(i, names[i], Qt::ToolTipRole);
    }
    for (int i = 0; i < m_classes->count(); ++i)
        m_classes->setItemData(i, numbers[static_cast<std::size_t>(i)]);
    m_classes->setCurrentIndex(chosen);
    m_class = chosen > 0 ? std::optional(numbers[static_cast<std::size_t>(chosen)]) : std::nullopt;
    m_classes->setEnabled(names.size() > 2);
}

void TimeCharts::work()
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const int number = ++m_number;
    m_working = false;
    m_stale = !isVisible();
    if (m_stale)
        return;
    if (!m_result || !m_result->timeline) {
        const QString nothing = m_result ? tr("This run was kept without its times.") : tr("Nothing has run yet.");
        m_links->setShares({}, nothing);
        m_ranks->setShares({}, nothing);
        return;
    }
    m_working = true;
    const auto shares = [source = m_result->timeline, rankClass = m_class, stop = m_stop.get_token()] {
        return untilStopped([&]() -> Result<Both> { return Both{linkShares(*source, kColumns), rankShares(*source, rankClass, kColumns, stop)}; });
    };
    inBackground(this, shares, [this, number](Result<Both> both) {
        if (number != m_number)
            return;
        m_working = false;
        // Links of a graph have no dimension, and the name of their use.
        if (both && m_result->scenario->structure->platform.isExplicit()) {
            for (TimeShares::Part& part : both.value().links.parts)
                part.dimension = -1;
        }
        const QString why = both ? QString() : QString::fromStdString(both.error().message);
        m_links->setShares(both ? std::move(both.value().links) : TimeShares(), both ? tr("The model does not follow links over time.") : why);
        m_ranks->setShares(both ? std::move(both.value().ranks) : TimeShares(), both ? tr("The ranks do nothing that takes time.") : why);
    });
}

void TimeCharts::arrange()
{
    m_layout->setDirection(width() >= height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void TimeCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void TimeCharts::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        work();
}

} // namespace fabricscope
