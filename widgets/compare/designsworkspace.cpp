#include "widgets/compare/designsworkspace.h"

#include "core/insight/waterfallmean.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"
#include "widgets/compare/card.h"
#include "widgets/compare/differencetables.h"
#include "widgets/compare/fieldnames.h"
#include "widgets/compare/timelines.h"
#include "widgets/compare/whypane.h"
#include "widgets/compare/letters.h"
#include "widgets/results/table.h"
#include "widgets/timeline/lanelegend.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace fabricscope {

namespace {

/// One difference on a card: "in.rate 50 GB/s". Lists and mappings are named, not printed.
std::string changeOnCard(const std::vector<DesignChange>& changes, const DesignChange& change)
{
    const bool isCollection = change.b.starts_with('[') || change.b.starts_with('{');
    if (change.whole || isCollection)
        return "other " + change.field;
    return comparing::endThatTellsApart(changes, change.field) + ' ' + change.b;
}

} // namespace

CompareWorkspace::CompareWorkspace(QWidget* parent)
    : QWidget(parent), m_runner(new ComparisonRunner(this)), m_count(new QLabel), m_progress(new QLabel), m_caution(new QLabel),
      m_add(new QPushButton(tr("Add designs\u2026"))), m_swap(new QPushButton(tr("Swap A and B"))), m_stop(new QPushButton(tr("Stop"))), m_stack(new QStackedWidget),
      m_cards(new QHBoxLayout), m_legend(new TimelineLegend), m_timelines(new ComparedTimelines), m_tabs(new QTabWidget), m_figureModel(new TableModel(this)), m_fieldModel(new TableModel(this)),
      m_figures(new ResultTable), m_fields(new ResultTable), m_why(new WhyPane)
{
    setAccessibleName(tr("Compare"));
    auto* axis = new QScrollArea;
    axis->setWidgetResizable(true);
    axis->setFrameShape(QFrame::NoFrame);
    axis->setWidget(m_timelines);
    axis->setAccessibleName(tr("One time axis"));
    axis->setFocusPolicy(Qt::NoFocus);
    axis->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // Of little room the cards have theirs first,
    axis->setMinimumHeight(72);                                        // but for the ruler and something below it.
    auto* upper = new QWidget;
    auto* stacked = new QVBoxLayout(upper);
    stacked->setContentsMargins(0, 0, 0, 0);
    stacked->setSpacing(0);
    m_cards->setSpacing(1); // The window shows through as a line.
    stacked->addLayout(m_cards);
    stacked->addSpacing(1);
    stacked->addWidget(makeLegend());
    stacked->addWidget(axis, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(upper);
    split->addWidget(makeLower());
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    constexpr int kUpper = 580; // Cards and four runs; the rest is for figures and waterfall.
    constexpr int kLower = 320;
    split->setSizes({kUpper, kLower});
    auto* empty = new QLabel(tr("Pin a result, then change something or open another design.\nOr drop two to four designs here."));
    empty->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(empty);
    m_stack->addWidget(split);
    m_caution->setWordWrap(true);
    m_caution->hide();
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(makeHead());
    all->addWidget(m_caution);
    all->addWidget(m_stack, 1);
    connectRunner();
    followTheme(this, &CompareWorkspace::setTheme);
    refresh();
}

void CompareWorkspace::connectRunner()
{
    connect(m_runner, &ComparisonRunner::ran, this, [this](const NamedRun& run, const DesignSource& source) {
        Entry entry{run.name, run.run, {}};
        entry.source = source;
        addEntry(std::move(entry));
    });
    connect(m_runner, &ComparisonRunner::failed, this, &CompareWorkspace::takeFailure);
    connect(m_runner, &ComparisonRunner::compared, this, [this](const std::shared_ptr<const DesignSet>& set) {
        m_set = set;
        m_shownChoice = m_choice;
        showCards();
        showSet();
    });
    connect(m_runner, &ComparisonRunner::progressed, this, &CompareWorkspace::showProgress);
    connect(m_runner, &ComparisonRunner::busyChanged, this, [this](bool busy) {
        m_stop->setVisible(busy);
        m_progress->setText(busy ? tr("Running") : QString());
    });
}

QWidget* CompareWorkspace::makeHead()
{
    auto* head = new QWidget;
    head->setAutoFillBackground(true);
    head->setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 4, 12, 4);
    auto* title = new QLabel(tr("Designs"));
    title->setObjectName(QStringLiteral("compareTitle"));
    row->addWidget(title);
    row->addWidget(m_count);
    row->addStretch();
    row->addWidget(m_progress);
    row->addWidget(m_stop);
    row->addWidget(m_swap);
    row->addWidget(m_add);
    m_stop->hide();
    m_stop->setToolTip(tr("Stop running and comparing"));
    m_swap->setToolTip(tr("A and B change places (S)"));
    m_add->setToolTip(tr("Run designs from files and compare them"));
    connect(m_add, &QPushButton::clicked, this, &CompareWorkspace::addRequested);
    connect(m_swap, &QPushButton::clicked, this, &CompareWorkspace::swapFirst);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_runner->cancel();
        giveUpChoice();
        showWhy();
        emit statusText(tr("Comparing was stopped"));
    });
    return head;
}

QWidget* CompareWorkspace::makeLegend()
{
    auto* line = new QWidget;
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(12, 2, 12, 2);
    row->addWidget(m_legend);
    m_legend->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_legend->setAccessibleName(tr("What the colours of the runs mean"));
    return line;
}

QWidget* CompareWorkspace::makeLower()
{
    m_figures->setModel(m_figureModel, tr("Figures"));
    m_figures->setEmptyText(tr("Nothing is compared yet."));
    m_fields->setModel(m_fieldModel, tr("Fields"));
    m_fields->setEmptyText(tr("Nothing is compared yet."));
    m_tabs->addTab(m_figures, tr("Figures"));
    m_tabs->addTab(m_fields, tr("Fields that differ"));
    m_tabs->setAccessibleName(tr("Tables"));
    m_tabs->tabBar()->setAccessibleName(tr("Tables"));
    m_tabs->setDocumentMode(true);
    connect(m_why, &WhyPane::choiceWanted, this, &CompareWorkspace::chooseWaterfall);
    auto* split = new QSplitter;
    split->setChildrenCollapsible(false);
    split->addWidget(m_tabs);
    split->addWidget(m_why);
    constexpr int kTableShare = 59;
    split->setStretchFactor(0, kTableShare);
    split->setStretchFactor(1, 100 - kTableShare);
    return split;
}

void CompareWorkspace::setTheme(const Theme& theme)
{
    if (auto* title = findChild<QLabel*>(QStringLiteral("compareTitle")))
        title->setFont(theme.font(TextStyle::Section));
    m_add->setIcon(icon("plus", theme));
    m_swap->setIcon(icon("swap", theme));
    m_stop->setIcon(icon("stop", theme));
}

std::vector<std::size_t> CompareWorkspace::shown() const
{
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Entry& entry = m_entries[i];
        const bool again = entry.current && std::any_of(m_entries.begin(), m_entries.end(), [&](const Entry& other) { return !other.current && other.run == entry.run; });
        if (!again)
            numbers.push_back(i);
    }
    std::stable_partition(numbers.begin(), numbers.end(), [this](std::size_t i) { return m_entries[i].run != nullptr; });
    // What is open gives way to what was asked for.
    for (auto at = numbers.begin(); numbers.size() > DesignSet::kMost && at != numbers.end();)
        at = m_entries[*at].current ? numbers.erase(at) : at + 1;
    return numbers;
}

std::size_t CompareWorkspace::pinned() const
{
    return static_cast<std::size_t>(std::count_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return !entry.current; }));
}

std::vector<NamedRun> CompareWorkspace::runs() const
{
    std::vector<NamedRun> result;
    for (const std::size_t i : shown()) {
        if (m_entries[i].run)
            result.push_back({m_entries[i].name, m_entries[i].run});
    }
    return result;
}

RunResultPtr CompareWorkspace::baselineRun() const
{
    const std::vector<NamedRun> compared = runs();
    return m_baseline < compared.size() ? compared[m_baseline].run : nullptr;
}

bool CompareWorkspace::keepBaseline(const RunResultPtr& run)
{
    const std::vector<NamedRun> compared = runs();
    const auto at = std::find_if(compared.begin(), compared.end(), [&](const NamedRun& other) { return other.run == run; });
    if (at == compared.end())
        return false;
    m_baseline = static_cast<std::size_t>(at - compared.begin());
    return true;
}

void CompareWorkspace::setCurrent(const RunResultPtr& run, const QString& given)
{
    const QString name = texts::shown(given); // Names may hold anything.
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.current; });
    if (at != m_entries.end() && at->run == run && at->name == name)
        return;
    const RunResultPtr base = baselineRun();
    if (!run) {
        if (at != m_entries.end())
            m_entries.erase(at);
    } else if (at != m_entries.end()) {
        at->run = run;
        at->name = name;
    } else {
        m_entries.push_back({name, run, {}, true});
    }
    if (!keepBaseline(base) && !keepBaseline(run)) // What is open was the baseline, and is it still.
        m_baseline = 0;
    refresh();
}

bool CompareWorkspace::pinCurrent()
{
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.current; });
    if (at == m_entries.end()) {
        emit refused(tr("There is no result to pin yet."));
        return false;
    }
    const auto same = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& other) { return !other.current && other.run == at->run; });
    const bool known = same != m_entries.end();
    if (known && same->asBaseline) {
        same->asBaseline = false; // From now on it is wanted whatever the baseline is.
        emit statusText(tr("Pinned for comparing: %1").arg(same->name));
        return true;
    }
    if (known || pinned() + m_runner->waiting() >= DesignSet::kMost) {
        emit refused(known ? tr("This result is pinned already.") : tr("Four designs are compared at most. Take one out first."));
        return false;
    }
    Entry kept = *at;
    kept.current = false;
    const QString name = kept.name;
    m_entries.insert(at, std::move(kept));
    emit statusText(tr("Pinned for comparing: %1").arg(name));
    refresh();
    return true;
}

bool CompareWorkspace::pinBaseline()
{
    const auto open = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.current; });
    const RunResultPtr run = open == m_entries.end() ? nullptr : open->run;
    const bool known = run && std::any_of(m_entries.begin(), m_entries.end(), [&](const Entry& other) { return !other.current && other.run == run; });
    for (Entry& entry : m_entries)
        entry.asBaseline = entry.asBaseline && entry.run == run; // The baseline before, of another design, is kept like any other.
    if (!known && !pinCurrent())
        return false;
    for (Entry& entry : m_entries)
        entry.asBaseline = entry.asBaseline || (!known && !entry.current && entry.run == run);
    m_baselineToCome = false;
    keepBaseline(run);
    refresh();
    return true;
}

void CompareWorkspace::unpinBaseline()
{
    const RunResultPtr base = baselineRun();
    if (std::erase_if(m_entries, [](const Entry& entry) { return entry.asBaseline; }) == 0)
        return;
    if (!keepBaseline(base))
        m_baseline = 0;
    refresh();
}

void CompareWorkspace::addEntry(Entry entry)
{
    entry.name = texts::shown(entry.name);
    entry.message = texts::shown(entry.message);
    if (pinned() >= DesignSet::kMost)
        return emit refused(tr("Four designs are compared at most. Not added: %1").arg(entry.name));
    const auto before = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& other) { return other.current && !other.first; });
    const RunResultPtr wanted = entry.source.baseline && m_baselineToCome ? entry.run : nullptr;
    const RunResultPtr base = baselineRun();
    m_entries.insert(before, std::move(entry));
    if (!(wanted && keepBaseline(wanted)) && !keepBaseline(base))
        m_baseline = 0;
    refresh();
}

void CompareWorkspace::takeFailure(const QString& name, const Error& error, const DesignSource& source)
{
    const QString message = QString::fromStdString(error.text());
    if (!name.isEmpty()) {
        Entry entry{name, nullptr, message};
        entry.source = source;
        addEntry(std::move(entry));
        if (source.again)
            emit refused(tr("%1 was compared the last time and cannot be run: %2").arg(texts::shown(name), texts::shown(message)));
        return;
    }
    m_failure = tr("The designs could not be compared: %1").arg(texts::shown(message));
    giveUpChoice();
    showWhy();
    emit refused(message);
}

void CompareWorkspace::addFiles(const QStringList& paths)
{
    // Those that still run have their places.
    const auto room = static_cast<qsizetype>(DesignSet::kMost - std::min(pinned() + m_runner->waiting(), DesignSet::kMost));
    if (paths.size() > room)
        emit refused(room > 0 ? tr("Four designs are compared at most. Added of these: %1").arg(room) : tr("Four designs are compared at most. Take one out first."));
    if (room > 0)
        m_runner->runFiles(paths.mid(0, room));
}

bool CompareWorkspace::addDesign(DesignSource source)
{
    if (pinned() + m_runner->waiting() >= DesignSet::kMost) {
        emit refused(tr("Four designs are compared at most. Take one out first."));
        return false;
    }
    m_runner->runDesigns({std::move(source)});
    return true;
}

void CompareWorkspace::swapFirst()
{
    const std::vector<std::size_t> numbers = shown();
    if (runs().size() < 2)
        return;
    std::swap(m_entries[numbers[0]], m_entries[numbers[1]]);
    refresh();
}

void CompareWorkspace::setBaseline(std::size_t number)
{
    m_baselineToCome = false;
    m_baseline = number;
    refresh();
}

void CompareWorkspace::putCurrentFirst()
{
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.current; });
    if (at == m_entries.end())
        return;
    at->first = true;
    const RunResultPtr run = at->run;
    std::rotate(m_entries.begin(), at, at + 1);
    keepBaseline(run);
    refresh();
}

void CompareWorkspace::remove(std::size_t number)
{
    const std::vector<std::size_t> numbers = shown();
    if (number >= numbers.size() || m_entries[numbers[number]].current)
        return;
    m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(numbers[number]));
    if (number < m_baseline)
        --m_baseline;
    refresh();
}

void CompareWorkspace::refresh()
{
    m_set = nullptr;
    m_failure.clear();
    const std::vector<NamedRun> compared = runs();
    if (m_baseline >= compared.size())
        m_baseline = 0;
    const std::size_t cards = shown().size();
    m_count->setText(tr("%1 of at most %2").arg(cards).arg(DesignSet::kMost));
    m_swap->setEnabled(compared.size() >= 2);
    m_stack->setCurrentIndex(cards > 0 ? 1 : 0);
    showCards();
    showTimelines();
    if (compared.size() >= 2)
        m_runner->compare(compared, m_baseline, m_choice);
    else
        m_runner->dropComparison();
    showSet();
}

std::vector<CompareCard*> CompareWorkspace::cards() const
{
    std::vector<CompareCard*> all;
    for (int i = 0; i < m_cards->count(); ++i) {
        if (auto* card = qobject_cast<CompareCard*>(m_cards->itemAt(i)->widget()))
            all.push_back(card);
    }
    return all;
}

QStringList CompareWorkspace::fieldsOf(std::size_t run) const
{
    QStringList lines;
    if (!m_set)
        return lines;
    for (const DesignPath& path : m_set->paths) {
        if (path.to != run)
            continue;
        for (const DesignChange& change : path.changes.rows())
            lines.append(texts::shown(changeOnCard(path.changes.rows(), change)));
    }
    return lines;
}

void CompareWorkspace::showCards()
{
    const std::vector<std::size_t> numbers = shown();
    std::vector<CompareCard*> all = cards();
    while (all.size() > numbers.size()) {
        m_cards->removeWidget(all.back());
        all.back()->deleteLater();
        all.back()->hide();
        all.pop_back();
    }
    while (all.size() < numbers.size()) {
        auto* card = new CompareCard;
        // Later: the card must not be replaced while its button is pressed.
        connect(card, &CompareCard::baselineWanted, this, &CompareWorkspace::setBaseline, Qt::QueuedConnection);
        connect(card, &CompareCard::removalWanted, this, &CompareWorkspace::remove, Qt::QueuedConnection);
        m_cards->addWidget(card, 1);
        all.push_back(card);
    }
    SimTime longest;
    for (const NamedRun& run : runs())
        longest = std::max(longest, run.run->record().finish);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Entry& entry = m_entries[numbers[i]];
        CardContent content;
        content.number = i;
        content.name = entry.name;
        content.run = entry.run;
        content.message = entry.message;
        content.baseline = i == m_baseline || !entry.run ? nullptr : m_entries[numbers[m_baseline]].run;
        content.longest = longest;
        content.fields = fieldsOf(i);
        content.current = entry.current;
        all[i]->setContent(content);
    }
}

void CompareWorkspace::showTimelines()
{
    std::vector<ComparedTimeline> lanes;
    std::vector<TimelineSourcePtr> sources;
    for (const NamedRun& run : runs()) {
        lanes.push_back({run.name, run.run->record().finish, run.run->record().complete, run.run->timeline});
        sources.push_back(run.run->timeline);
    }
    m_legend->setSources(sources, false);
    m_timelines->setRuns(std::move(lanes), m_baseline);
}

void CompareWorkspace::showSet()
{
    QStringList cautions;
    for (std::size_t i = 0; m_set && i < m_set->paths.size(); ++i) {
        const DesignPath& path = m_set->paths[i];
        const QString pair = tr("%1 and %2").arg(comparing::letter(m_set->baseline), comparing::letter(path.to));
        if (path.changes.hasOtherWorkload())
            cautions.append(tr("%1 run different workloads.").arg(pair));
        if (path.changes.hasOtherModel())
            cautions.append(tr("%1 are of different models.").arg(pair));
    }
    setChip(*m_caution, "warn", cautions.join(QLatin1Char(' ')));
    m_caution->setVisible(!cautions.isEmpty());
    showFigures();
    showFields();
    showWhy();
    emit setChanged();
}

void CompareWorkspace::showFigures()
{
    m_figureModel->setContent(m_set ? comparing::figureTable(*m_set) : nullptr);
}

void CompareWorkspace::showFields()
{
    m_fields->setEmptyText(m_set ? tr("The designs do not differ in any field.") : tr("Nothing is compared yet."));
    m_tabs->setTabText(1, m_set ? tr("Fields that differ: %1").arg(m_set->fields.size()) : tr("Fields that differ"));
    m_fieldModel->setContent(m_set ? comparing::fieldTable(*m_set) : nullptr);
}

void CompareWorkspace::showWhy()
{
    QString why = tr("Pin a baseline, change something.");
    if (!m_failure.isEmpty())
        why = m_failure;
    else if (m_runner->isBusy())
        why = tr("Running the designs between\u2026");
    else if (runs().size() >= 2)
        why = tr("Stopped. Swap, pin or change something to compare again.");
    m_why->setSet(m_set, why);
}

WaterfallView* CompareWorkspace::waterfall() const
{
    return m_why->waterfall();
}

void CompareWorkspace::chooseWaterfall(const WaterfallChoice& choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    m_why->setChoice(choice);
    if (m_set && choice.mean && m_shownChoice.mean && !m_runner->isBusy()) { // Each is worth the same wherever it stands.
        auto set = std::make_shared<DesignSet>(*m_set);
        for (DesignPath& path : set->paths) {
            if (path.waterfall)
                path.waterfall = inOrder(*path.waterfall, orderOf(path.changes, choice.order));
        }
        m_set = std::move(set);
        m_shownChoice = choice;
        showSet();
    } else if (const std::vector<NamedRun> compared = runs(); compared.size() >= 2) {
        m_failure.clear();
        m_runner->compare(compared, m_baseline, m_choice);
        showWhy();
    }
}

void CompareWorkspace::giveUpChoice()
{
    if (!m_set)
        return;
    m_choice = m_shownChoice;
    m_why->setChoice(m_choice);
}

void CompareWorkspace::showProgress(int done, int of)
{
    m_progress->setText(of > 0 ? tr("Run %1 of %2").arg(std::min(done + 1, of)).arg(of) : tr("Running"));
}

void CompareWorkspace::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_S && event->modifiers() == Qt::NoModifier)
        swapFirst();
    else
        QWidget::keyPressEvent(event);
}

} // namespace fabricscope
