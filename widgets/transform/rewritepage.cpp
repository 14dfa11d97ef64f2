#include "widgets/transform/rewritepage.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/step/paneheader.h"
#include "widgets/transform/gainchart.h"
#include "widgets/transform/rewritechart.h"
#include "widgets/transform/rewriterows.h"
#include "widgets/transform/rewritestart.h"
#include "widgets/transform/rewritetexts.h"
#include "widgets/transform/scheduletree.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kRewriteLeft = 304;
constexpr int kRewriteRight = 288;
constexpr int kRewriteMiddle = 690;
constexpr int kStackedHeight = 860; ///< From here on gain and tree stand one below the other.

QScrollArea* scrolledView(QWidget* content)
{
    auto* const area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(content);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}

QVBoxLayout* bareColumn(QWidget* widget)
{
    auto* const column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QLabel* rightSumLabel()
{
    auto* const label = new QLabel;
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    label->setContentsMargins(12, 4, 12, 6);
    return label;
}

} // namespace

RewritePage::RewritePage(QWidget* parent)
    : QWidget(parent), m_document(new RewriteDocument(this)), m_pages(new QStackedWidget), m_start(new RewriteStart), m_programHeader(new StepHeader(tr("Program"))), m_side(new QTabBar), m_programPages(new QStackedWidget),
      m_stages(new RewriteRows(tr("Stages"))), m_text(new QPlainTextEdit), m_sum(rightSumLabel()), m_appliedHeader(new StepHeader(tr("Applied, in order"))), m_applied(new RewriteRows(tr("Applied steps"))), m_appliedSum(rightSumLabel()),
      m_save(new QPushButton(tr("Save in file"))), m_export(new QPushButton(tr("Export schedule…"))), m_chartHeader(new StepHeader(tr("Before and after"))), m_chart(new RewriteChart), m_gains(new GainChart), m_gainPane(new QWidget),
      m_tree(new ScheduleTree), m_treePane(new QWidget), m_searchNote(new QLabel), m_search(new QPushButton(tr("Search"))), m_tabs(new QTabWidget), m_middle(new QSplitter(Qt::Vertical)), m_tensorModel(new TableModel(this)), m_tensors(new ResultTable),
      m_headline(new QLabel), m_change(new QLabel), m_since(new QLabel), m_problem(new QLabel), m_figures(new ValueRows), m_stepNote(new QLabel), m_offersHeader(new StepHeader(tr("Next steps"))), m_offers(new RewriteRows(tr("Next steps"))), m_stepField(new QLineEdit)
{
    setAccessibleName(tr("Transform"));
    auto* const split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeLeft());
    split->addWidget(makeMiddle());
    split->addWidget(makeRight());
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 0);
    split->setSizes({kRewriteLeft, kRewriteMiddle, kRewriteRight});
    m_pages->addWidget(m_start);
    connect(m_start, &RewriteStart::exampleChosen, this, &RewritePage::exampleChosen);
    m_pages->addWidget(split);
    bareColumn(this)->addWidget(m_pages);
    connectDocument();
    connectViews();
    followTheme(this, &RewritePage::setTheme);
    arrange();
    showSearch();
}

QWidget* RewritePage::makeLeft()
{
    auto* const left = new QWidget;
    left->setProperty("surface", QStringLiteral("panel"));
    auto* const column = bareColumn(left);
    m_side->setAccessibleName(tr("What of the program"));
    for (const QString& name : {tr("After"), tr("Before"), tr("Text")})
        m_side->addTab(name);
    m_side->setDrawBase(false);
    m_side->setExpanding(false);
    m_programHeader->addControl(m_side);
    column->addWidget(m_programHeader);
    m_text->setReadOnly(true);
    m_text->setAccessibleName(tr("Text of the file with the schedule"));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setTabChangesFocus(true);
    auto* const stages = new QWidget;
    auto* const list = bareColumn(stages);
    list->addWidget(m_stages, 1);
    list->addWidget(m_sum);
    m_programPages->addWidget(stages);
    m_programPages->addWidget(m_text);
    auto* const applied = new QWidget;
    auto* const steps = bareColumn(applied);
    steps->addWidget(m_appliedHeader);
    m_applied->setMovable(true);
    steps->addWidget(m_applied, 1);
    steps->addWidget(m_appliedSum);
    auto* const buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 4, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(m_save);
    buttons->addWidget(m_export);
    buttons->addStretch();
    steps->addLayout(buttons);
    auto* const split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(m_programPages);
    split->addWidget(applied);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    column->addWidget(split, 1);
    return left;
}

void RewritePage::makeGain()
{
    auto* const column = bareColumn(m_gainPane);
    auto* const header = new StepHeader(tr("Gain, step by step"));
    header->setHint(tr("each bar begins where the one before ends"));
    column->addWidget(header);
    column->addWidget(scrolledView(m_gains), 1);
}

void RewritePage::makeTree()
{
    auto* const column = bareColumn(m_treePane);
    auto* const header = new StepHeader(tr("Schedules tried"));
    header->addControl(m_search);
    column->addWidget(header);
    m_searchNote->setContentsMargins(12, 4, 12, 4);
    m_searchNote->setWordWrap(true);
    column->addWidget(m_searchNote);
    auto* const area = scrolledView(m_tree);
    connect(m_tree, &ScheduleTree::placeChanged, area, [area](const QRect& place) { area->ensureVisible(place.center().x(), place.center().y(), place.width() / 2, place.height() / 2); });
    column->addWidget(area, 1);
}

QWidget* RewritePage::makeMiddle()
{
    makeGain();
    makeTree();
    m_tensors->setModel(m_tensorModel, tr("Tensors"));
    m_tensors->setEmptyText(tr("There are no tensors."));
    m_tabs->setAccessibleName(tr("What the schedule brings"));
    auto* const chart = new QWidget;
    auto* const column = bareColumn(chart);
    column->addWidget(m_chartHeader);
    column->addWidget(scrolledView(m_chart), 1);
    m_middle->setChildrenCollapsible(false);
    m_middle->addWidget(chart);
    m_middle->addWidget(m_tabs);
    m_middle->setStretchFactor(0, 2);
    m_middle->setStretchFactor(1, 3);
    return m_middle;
}

QWidget* RewritePage::makeRight()
{
    auto* const right = new QWidget;
    right->setProperty("surface", QStringLiteral("panel"));
    auto* const column = bareColumn(right);
    auto* const header = new StepHeader(tr("Gain"));
    column->addWidget(header);
    auto* const top = new QVBoxLayout;
    top->setContentsMargins(12, 8, 12, 8);
    top->addWidget(m_headline);
    auto* const line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(m_change);
    line->addWidget(m_since);
    line->addStretch();
    top->addLayout(line);
    m_since->setProperty("role", QStringLiteral("hint"));
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_problem->hide();
    top->addWidget(m_problem);
    top->addWidget(m_figures);
    m_stepNote->setWordWrap(true);
    m_stepNote->setProperty("role", QStringLiteral("hint"));
    m_stepNote->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_stepNote->hide();
    top->addWidget(m_stepNote);
    column->addLayout(top);
    column->addWidget(m_offersHeader);
    m_stepField->setPlaceholderText(tr("A step in words: fuse {a, b}"));
    m_stepField->setAccessibleName(tr("A step in words"));
    m_stepField->setClearButtonEnabled(true);
    auto* const field = new QVBoxLayout;
    field->setContentsMargins(12, 8, 12, 4);
    field->addWidget(m_stepField);
    column->addLayout(field);
    column->addWidget(m_offers, 1);
    return right;
}

/// Where there is room, gain and tree stand one below the other; else each is a tab.
void RewritePage::arrange()
{
    const bool stacked = height() >= m_theme.scaled(kStackedHeight);
    if (m_tabs->count() > 0 && stacked == m_stacked)
        return;
    m_stacked = stacked;
    const QSignalBlocker quiet(m_tabs);
    while (m_tabs->count() > 0)
        m_tabs->removeTab(0);
    if (stacked) {
        m_middle->insertWidget(1, m_gainPane);
        m_gainPane->show();
    } else {
        m_tabs->addTab(m_gainPane, tr("Gain"));
    }
    m_tabs->addTab(m_treePane, tr("Schedules tried"));
    m_tabs->addTab(m_tensors, tr("Tensors"));
    giveRoom();
}

/// As much for the timelines as they need, within what the others need.
void RewritePage::giveRoom()
{
    const int head = m_theme.scaled(34);
    const int chart = std::min(m_chart->heightForAll() + head, height() * 55 / 100);
    const int gain = std::min(m_gains->heightForAll() + head, height() * 30 / 100);
    // Sizes that do not add up are all made smaller, and then the timelines scroll.
    const int rest = height() - chart - m_middle->handleWidth() * (m_middle->count() - 1);
    if (m_stacked)
        m_middle->setSizes({chart, gain, std::max(1, rest - gain)});
    else
        m_middle->setSizes({chart, std::max(1, rest)});
}

/// T searches, as nobody types here.
void RewritePage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_T && event->modifiers() == Qt::NoModifier && m_document->isOpen())
        return toggleSearch();
    QWidget::keyPressEvent(event);
}

void RewritePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void RewritePage::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_headline->setFont(theme.font(TextStyle::Headline));
    m_text->setFont(theme.font(TextStyle::Mono));
    m_sum->setFont(theme.font(TextStyle::BodyStrong));
    m_appliedSum->setFont(theme.font(TextStyle::BodyStrong));
    m_searchNote->setFont(theme.font(TextStyle::Hint));
    m_search->setIcon(icon(m_document->isSearching() ? QStringLiteral("stop") : QStringLiteral("sweep"), theme));
    m_save->setIcon(icon(QStringLiteral("save"), theme));
    m_export->setIcon(icon(QStringLiteral("export"), theme));
    showProblem(m_problem->text());
}

void RewritePage::connectDocument()
{
    connect(m_document, &RewriteDocument::opened, this, [this] {
        m_stage.clear();
        m_isNew = true;
        m_pages->setCurrentIndex(1);
        showProblem({});
        m_tabs->setCurrentIndex(0);
    });
    connect(m_document, &RewriteDocument::shown, this, &RewritePage::showTraced);
    connect(m_document, &RewriteDocument::stepChanged, this, [this] {
        if (m_document->traced())
            showFigures();
    });
    connect(m_document, &RewriteDocument::offersChanged, this, &RewritePage::showOffers);
    connect(m_document, &RewriteDocument::searched, this, &RewritePage::showSearch);
    connect(m_document, &RewriteDocument::refused, this, &RewritePage::showProblem);
    connect(m_document, &RewriteDocument::taken, this, [this](const QString& words) {
        if (m_stepField->text().trimmed() == words)
            m_stepField->clear(); // Else somebody types the next one.
    });
    connect(m_document, &RewriteDocument::failed, this, [this](const Error& error) { showProblem(texts::shownMessage(error.text())); });
    connect(m_document, &RewriteDocument::undoChanged, this, [this] {
        m_save->setEnabled(m_document->isModified() && m_document->canTakeSchedule());
        m_save->setToolTip(m_document->isOpen() && !m_document->canTakeSchedule() ? tr("The schedule of a script is in its own words. Export the schedule instead.") : QString());
        if (m_document->isOpen())
            showName();
    });
}

void RewritePage::connectViews()
{
    connect(m_side, &QTabBar::currentChanged, this, &RewritePage::showStages);
    connect(m_stages, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && at(row) < m_stageNames.size())
            selectStage(texts::shown(m_stageNames[at(row)]));
    });
    connect(m_chart, &RewriteChart::stageChosen, this, &RewritePage::selectStage);
    connect(m_applied, &RewriteRows::removed, this, [this](int row) { m_document->removeStep(at(row)); });
    connect(m_applied, &RewriteRows::moved, this, [this](int from, int to) { m_document->moveStep(at(from), at(to)); });
    connect(m_applied, &QListWidget::currentRowChanged, m_gains, &GainChart::setCurrent);
    connect(m_gains, &GainChart::stepChosen, m_applied, [this](int step) { m_applied->setCurrentRow(step); });
    connect(m_offers, &RewriteRows::chosen, this, &RewritePage::takeOffer);
    connect(m_tree, &ScheduleTree::programChosen, this, &RewritePage::chooseProgram);
    connect(m_search, &QPushButton::clicked, this, &RewritePage::toggleSearch);
    connect(m_save, &QPushButton::clicked, this, &RewritePage::saveWanted);
    connect(m_export, &QPushButton::clicked, this, &RewritePage::exportWanted);
    connect(m_stepField, &QLineEdit::returnPressed, this, [this] {
        if (!m_stepField->text().trimmed().isEmpty())
            m_document->applyText(m_stepField->text().trimmed());
    });
    for (RewriteRows* const list : {m_stages, m_offers})
        list->setMovable(false);
}

void RewritePage::setOpenAction(const QString& text, const std::function<void()>& open)
{
    m_start->addCommand(text, open);
}

QString RewritePage::problemText() const
{
    return m_problem->isHidden() ? QString() : m_problem->text();
}

QString RewritePage::headlineText() const
{
    return m_headline->text();
}

QString RewritePage::stepNote() const
{
    return m_stepNote->isHidden() ? QString() : m_stepNote->text();
}

void RewritePage::showProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    QPalette colors = m_problem->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(Role::Err));
    m_problem->setPalette(colors);
    if (m_document->isOpen() || text.isEmpty())
        return;
    m_start->say(text);
    m_pages->setCurrentIndex(0);
}

void RewritePage::takeOffer(int row)
{
    const auto& offers = m_document->offers();
    if (!offers || row < 0 || at(row) >= m_offerNumbers.size())
        return;
    const transform::StepOffer& offer = (*offers)[m_offerNumbers[at(row)]];
    if (offer.refusal)
        return showProblem(tr("%1 is refused: %2").arg(rewritten::stepTitle(offer.step), texts::shown(offer.refusal->reason)));
    m_document->apply(offer.step);
}

void RewritePage::toggleSearch()
{
    if (m_document->isSearching())
        m_document->stopSearch();
    else
        m_document->startSearch();
    m_tabs->setCurrentWidget(m_treePane);
}

void RewritePage::showBefore(bool before)
{
    m_side->setCurrentIndex(before ? 1 : 0);
}

void RewritePage::selectStage(const QString& stage)
{
    m_stage = stage.toStdString();
    m_chart->setStage(stage);
    markStage();
    showOffers();
}

/// The row of the stage that is worked on; none where it is gone.
void RewritePage::markStage()
{
    const auto found = std::find(m_stageNames.begin(), m_stageNames.end(), m_stage);
    const QSignalBlocker quiet(m_stages);
    m_stages->setCurrentRow(found == m_stageNames.end() ? -1 : static_cast<int>(found - m_stageNames.begin()));
}

void RewritePage::showTraced()
{
    const auto& traced = *m_document->traced();
    const transform::TracedProgram& before = traced.programs.front();
    const transform::TracedProgram& after = traced.programs.back();
    if (!traced.refused)
        showProblem({});
    m_chart->setLanes(std::make_shared<const RewriteLanes>(lanesOf(before.program, before.times)), std::make_shared<const RewriteLanes>(lanesOf(after.program, after.times)));
    std::vector<GainChart::Row> rows;
    for (std::size_t i = 0; i < traced.schedule.size(); ++i)
        rows.push_back({rewritten::stepTitle(traced.schedule[i]), traced.programs[i + 1].times.total});
    m_gains->setSteps(before.times.total, std::move(rows));
    m_applied->setRows(rewritten::appliedRows(traced), tr("The program as written. Take a step at the right (Return), or search (T)."));
    m_appliedSum->setText(traced.schedule.empty() ? QString() : tr("Sum, exact   %1").arg(rewritten::changeText(m_gains->sum())));
    m_tensorModel->setContent(rewritten::tensorTable(before.program, after.program));
    m_tree->setShown(shownProgram());
    showStages();
    showFigures();
    showOffers();
    m_chart->updateGeometry();
    if (std::exchange(m_isNew, false))
        giveRoom();
    m_tabs->setTabText(m_tabs->indexOf(m_tensors), before.memory == after.memory ? tr("Tensors") : tr("Tensors, %1 saved").arg(texts::size(before.memory - after.memory)));
}

void RewritePage::showStages()
{
    m_programPages->setCurrentIndex(m_side->currentIndex() == 2 ? 1 : 0);
    if (!m_document->traced())
        return;
    if (m_side->currentIndex() == 2) {
        m_text->setPlainText(texts::shownLines(m_document->textWithSchedule()));
        return;
    }
    const auto& programs = m_document->traced()->programs;
    const transform::TracedProgram& shown = m_side->currentIndex() == 1 ? programs.front() : programs.back();
    m_stageNames = rewritten::stageNames(shown.program, shown.times);
    m_stages->setRows(rewritten::stageRows(shown.program, shown.times));
    markStage();
    m_sum->setText(tr("Sum   %1").arg(texts::time(shown.times.total)));
}

void RewritePage::showFigures()
{
    const auto& traced = *m_document->traced();
    const transform::TracedProgram& before = traced.programs.front();
    const transform::TracedProgram& after = traced.programs.back();
    const SimTime change = after.times.total - before.times.total;
    m_headline->setText(texts::time(after.times.total));
    const double share = before.times.total.ps > 0 ? static_cast<double>(change.ps) / static_cast<double>(before.times.total.ps) : 0;
    const int sign = rewritten::signOfChange(change);
    setChip(*m_change, sign < 0 ? "ok" : sign > 0 ? "err" : "info", sign == 0 ? tr("No change") : tr("%1 (%2)").arg(rewritten::changeText(change), texts::percent(share)));
    m_since->setText(traced.schedule.empty() ? tr("as written") : tr("from %1").arg(texts::time(before.times.total)));
    if (traced.equal)
        m_chartHeader->setChip(*traced.equal ? "ok" : "err", *traced.equal ? tr("Same result, executed") : tr("The results differ"));
    else
        m_chartHeader->setChip("warn", tr("Not executed"));
    m_chartHeader->setToolTip(traced.equal.value_or(false) ? tr("Both programs were executed on small sizes and compared.") : texts::toolTip(texts::shown(traced.difference)));
    showName();
    std::vector<ValueRow> rows{{tr("Speed-up"), after.times.total.ps > 0 ? texts::number(static_cast<double>(before.times.total.ps) / static_cast<double>(after.times.total.ps), 3) + QStringLiteral(" ×") : QString()}};
    rows.push_back({tr("Tensors per rank"), texts::size(after.memory), before.memory == after.memory ? QString() : tr("was %1").arg(texts::size(before.memory))});
    for (const transform::OverlapTimes& chain : after.times.overlaps)
        rows.push_back({tr("%1 hidden, %2 chunks").arg(texts::shown(chain.stages.front())).arg(chain.chunks), texts::percent(chain.hiddenShare)});
    addStep(rows);
    const QString& reason = m_document->stepReason();
    m_stepNote->setVisible(m_document->isPart() && !reason.isEmpty());
    m_stepNote->setText(tr("The step is not simulated: %1").arg(reason));
    m_figures->setRows(std::move(rows));
}

/// The whole step that the program is a part of.
void RewritePage::addStep(std::vector<ValueRow>& rows) const
{
    if (!m_document->isPart())
        return;
    const auto& times = m_document->stepTimes();
    if (!times) {
        if (m_document->stepReason().isEmpty())
            rows.push_back({tr("Step"), tr("working")});
        return;
    }
    rows.push_back({tr("In the step, %1 times").arg(texts::count(times->places)), rewritten::changeText(times->scheduled - times->written)});
    rows.push_back({tr("Step, simulated"), texts::time(times->scheduled)});
    rows.push_back({tr("Step of the plan"), texts::time(times->plan)});
}

void RewritePage::showName()
{
    const transform::TensorProgram& program = m_document->file()->program;
    const QString ranks = program.groups > 1 ? tr("%1 groups of %2 ranks").arg(program.groups).arg(texts::count(program.ranks)) : tr("%1 ranks").arg(texts::count(program.ranks));
    m_chartHeader->setHint(m_document->displayName() + (m_document->isModified() ? QStringLiteral(" *, ") : QStringLiteral(", ")) + ranks);
}

void RewritePage::showOffers()
{
    const auto& traced = m_document->traced();
    const auto& offers = m_document->offers();
    const bool known = traced && traced->programs.back().program.stage(m_stage) != nullptr;
    m_offersHeader->setTitle(known ? tr("Next steps at %1").arg(texts::shown(m_stage)) : tr("Next steps"));
    m_offersHeader->setHint(offers ? tr("Return takes one") : tr("working"));
    if (!traced || !offers)
        return m_offers->setRows({}, tr("Looking for what is legal here."));
    m_offers->setRows(rewritten::offerRows(*offers, traced->programs.back().times.total, known ? m_stage : std::string(), m_offerNumbers),
                      traced->programs.back().program.stages.size() > transform::kMostSearchedStages ? tr("The program is too long for a list of all steps. Type one.") : tr("There is nothing to do here."));
}

void RewritePage::showSearch()
{
    const bool running = m_document->isSearching();
    m_search->setText(running ? tr("Stop") : m_document->search() ? tr("Search again") : tr("Search"));
    m_search->setToolTip(running ? tr("Keep what was found") : tr("Look for the fastest schedule"));
    m_search->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("sweep"), m_theme));
    m_search->setEnabled(m_document->isOpen());
    const auto& search = m_document->search();
    m_tree->setSearch(search, running ? tr("Searching.") : tr("Nothing has been searched. Search looks for the fastest schedule (T)."));
    m_tree->setShown(shownProgram());
    revealSearch(running);
    m_searchNote->setVisible(search != nullptr);
    if (!search)
        return;
    const transform::SearchedProgram& best = search->programs[search->best];
    const QString found = tr("%1 programs in %2 s, the best takes %3").arg(texts::count(static_cast<std::int64_t>(search->programs.size())), texts::number(m_document->searchSeconds(), 1), texts::time(best.time));
    QString tuned;
    if (!search->settings.empty()) {
        const transform::TunedSetting& setting = search->settings[search->bestSetting];
        QStringList words;
        for (const std::string& word : {setting.algorithm, setting.protocol}) {
            if (!word.empty())
                words.append(texts::shown(word));
        }
        if (setting.channels)
            words.append(tr("%1 channels").arg(*setting.channels));
        tuned = tr(", %1 with %2").arg(texts::time(setting.time), words.join(QStringLiteral(", ")));
    }
    m_searchNote->setText(found + tuned + (running ? tr(" so far") : search->complete ? tr(". Search complete: there are no others. Return shows one.") : tr(". Not all were looked at. Return shows one.")));
}

/// Brings what is on show, else the best, into view when the first programs are there and when the search has ended.
void RewritePage::revealSearch(bool running)
{
    const bool ended = std::exchange(m_wasSearching, running) && !running;
    const auto& search = m_document->search();
    if (!search || (m_tree->current() >= 0 && (!ended || m_tree->hasFocus())))
        return;
    const int shown = shownProgram();
    const int box = shown >= 0 ? m_tree->places().boxOf(at(shown)) : -1;
    m_tree->setCurrent(box >= 0 ? box : m_tree->places().boxOf(search->best));
}

/// The program of the search with the same steps; -1: none.
int RewritePage::shownProgram() const
{
    const auto& search = m_document->search();
    const auto& traced = m_document->traced();
    if (!search || !traced)
        return -1;
    const std::string words = transform::scheduleText(traced->schedule);
    for (std::size_t i = 0; i < search->programs.size(); ++i) {
        if (search->programs[i].time == traced->programs.back().times.total && transform::scheduleText(search->scheduleOf(i)) == words)
            return static_cast<int>(i);
    }
    return -1;
}

void RewritePage::chooseProgram(int program)
{
    if (const auto& search = m_document->search())
        m_document->setSchedule(search->scheduleOf(at(program)));
}

} // namespace fabricscope
