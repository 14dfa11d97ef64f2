#include "widgets/study/variantspage.h"

#include "core/base/index.h"
#include "core/report/outputfile.h"
#include "core/study/tabletext.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"
#include "widgets/step/paneheader.h"
#include "widgets/study/effectschart.h"
#include "widgets/study/parallelchart.h"
#include "widgets/study/tradeoffchart.h"
#include "widgets/study/variantsstart.h"
#include "widgets/study/varianttables.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kVariantsLeft = 304;
constexpr int kVariantsLeast = 224; ///< At the left, scaled with the text.
constexpr int kVariantsRight = 288;
constexpr int kVariantsMiddle = 690;

QVBoxLayout* variantColumn(QWidget* widget)
{
    auto* const column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QScrollArea* variantPanel(QWidget* content)
{
    auto* const area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setProperty("surface", QStringLiteral("panel"));
    content->setProperty("surface", QStringLiteral("panel"));
    area->setWidget(content);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}

/// With the margins of a panel.
QVBoxLayout* variantPadding(QWidget* widget)
{
    auto* const box = new QVBoxLayout;
    box->setContentsMargins(12, 4, 12, 8);
    box->addWidget(widget);
    return box;
}

QLabel* variantHint()
{
    auto* const label = new QLabel;
    label->setProperty("role", QStringLiteral("hint"));
    label->setWordWrap(true);
    return label;
}

QString durationWords(double seconds)
{
    return QString::fromStdString(durationText(seconds)).replace(QLatin1Char(' '), QChar(0x202f));
}

QString variantsText(std::int64_t count)
{
    return count == 1 ? VariantsPage::tr("1 design") : VariantsPage::tr("%1 designs").arg(texts::count(count));
}

} // namespace

VariantsPage::VariantsPage(std::string version, QWidget* parent)
    : QWidget(parent), m_runner(new VariantRunner(std::move(version), this)), m_pages(new QStackedWidget), m_start(new VariantsStart), m_header(new StepHeader(tr("Study"))), m_count(new QLabel), m_share(new QLabel), m_bar(new QProgressBar), m_rate(variantHint()),
      m_states(variantHint()), m_problem(new QLabel), m_store(new ElidedLabel), m_run(new QPushButton), m_export(new QPushButton(tr("Export all…"))), m_parametersHeader(new StepHeader(tr("Parameters"))), m_parameters(new ValueRows), m_objectives(new ValueRows),
      m_constraints(new ValueRows), m_chartHeader(new StepHeader(tr("Trade-off"))), m_xAxis(new QComboBox), m_yAxis(new QComboBox), m_chart(new TradeoffChart), m_effectsHeader(new StepHeader(tr("Main effects"))), m_effects(new EffectsChart), m_axesButton(new QToolButton), m_parallelHeader(new StepHeader(tr("All axes"))), m_colour(new QComboBox), m_shownAxes(new QMenu(this)), m_parallel(new ParallelChart), m_brushHeader(new StepHeader(tr("Brush"))), m_brushed(new ValueRows), m_charts(new QSplitter(Qt::Horizontal)), m_middle(new QSplitter(Qt::Vertical)), m_choice(new QTabBar), m_model(new TableModel(this)), m_table(new ResultTable), m_selectedHeader(new StepHeader(tr("Selected design"))), m_headline(new QLabel), m_headlineOf(new QLabel), m_message(variantHint()), m_open(new QPushButton(tr("Open as design"))), m_figures(new ValueRows)
{
    setAccessibleName(tr("Study"));
    auto* const split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeLeft());
    split->addWidget(makeMiddle());
    split->addWidget(makeRight());
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 0);
    split->setSizes({kVariantsLeft, kVariantsMiddle, kVariantsRight});
    m_pages->addWidget(m_start);
    m_pages->addWidget(split);
    variantColumn(this)->addWidget(m_pages);
    connect(m_start, &VariantsStart::exampleChosen, this, &VariantsPage::exampleChosen);
    connect(m_run, &QPushButton::clicked, this, &VariantsPage::toggleRun);
    connect(m_export, &QPushButton::clicked, this, &VariantsPage::exportWanted);
    connect(m_open, &QPushButton::clicked, this, [this] { emit designWanted(m_selected); });
    connectViews();
    connectRunner();
    followTheme(this, &VariantsPage::setTheme);
    showState();
}

void VariantsPage::addState(QWidget* panel)
{
    auto* const box = new QVBoxLayout;
    box->setContentsMargins(12, 8, 12, 8);
    auto* const first = new QHBoxLayout;
    first->addWidget(m_count, 1);
    first->addWidget(m_share);
    box->addLayout(first);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Designs that are done"));
    box->addWidget(m_bar);
    box->addWidget(m_rate);
    box->addWidget(m_states);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_problem->hide();
    box->addWidget(m_problem);
    m_store->setProperty("role", QStringLiteral("hint"));
    box->addWidget(m_store);
    auto* const buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_run);
    buttons->addWidget(m_export);
    buttons->addStretch();
    box->addLayout(buttons);
    static_cast<QVBoxLayout*>(panel->layout())->addLayout(box);
}

/// What is brushed, in words, with a way out.
void VariantsPage::addBrush(QVBoxLayout* column)
{
    auto* const part = new QWidget;
    auto* const inner = variantColumn(part);
    inner->addWidget(m_brushHeader);
    auto* const box = variantPadding(m_brushed);
    auto* const clear = new QPushButton(tr("Clear brush"));
    connect(clear, &QPushButton::clicked, this, [this] { setBrush({}); });
    box->addWidget(clear, 0, Qt::AlignLeft);
    inner->addLayout(box);
    part->hide();
    column->addWidget(part);
}

QWidget* VariantsPage::makeLeft()
{
    auto* const content = new QWidget;
    auto* const column = variantColumn(content);
    addState(content);
    column->addWidget(m_parametersHeader);
    column->addLayout(variantPadding(m_parameters));
    column->addWidget(new StepHeader(tr("Objectives")));
    column->addLayout(variantPadding(m_objectives));
    auto* const asked = new QWidget;
    auto* const constraints = variantColumn(asked);
    constraints->addWidget(new StepHeader(tr("Constraints")));
    constraints->addLayout(variantPadding(m_constraints));
    column->addWidget(asked);
    addBrush(column);
    column->addStretch();
    auto* const left = new QWidget;
    left->setProperty("surface", QStringLiteral("panel"));
    auto* const whole = variantColumn(left);
    whole->addWidget(m_header);
    whole->addWidget(variantPanel(content), 1);
    return left;
}

void VariantsPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    giveRoom();
}

QWidget* VariantsPage::makeRight()
{
    auto* const content = new QWidget;
    auto* const column = variantColumn(content);
    auto* const top = new QVBoxLayout;
    top->setContentsMargins(12, 8, 12, 8);
    top->addWidget(m_headline);
    m_headlineOf->setProperty("role", QStringLiteral("hint"));
    m_headlineOf->setWordWrap(true);
    top->addWidget(m_headlineOf);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    top->addWidget(m_message);
    auto* const buttons = new QHBoxLayout;
    buttons->setContentsMargins(0, 4, 0, 4);
    buttons->addWidget(m_open);
    buttons->addStretch();
    top->addLayout(buttons);
    top->addWidget(m_figures);
    column->addLayout(top);
    column->addStretch();
    auto* const right = new QWidget;
    right->setProperty("surface", QStringLiteral("panel"));
    auto* const whole = variantColumn(right);
    whole->addWidget(m_selectedHeader);
    whole->addWidget(variantPanel(content), 1);
    return right;
}

void VariantsPage::connectRunner()
{
    connect(m_runner, &VariantRunner::opened, this, &VariantsPage::showStudy);
    connect(m_runner, &VariantRunner::estimated, this, &VariantsPage::showState);
    connect(m_runner, &VariantRunner::stateChanged, this, &VariantsPage::showState);
    connect(m_runner, &VariantRunner::progressed, this, &VariantsPage::showMoment);
    connect(m_runner, &VariantRunner::ended, this, &VariantsPage::showState);
    connect(m_runner, &VariantRunner::tableChanged, this, &VariantsPage::showTable);
    connect(m_runner, &VariantRunner::failed, this, [this](const Error& error) {
        if (error.code == ErrorCode::Cancelled)
            return;
        m_start->say({});
        m_problem->setText(texts::shownMessage(error.text()));
        m_problem->show();
        emit failed(error);
    });
}

void VariantsPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_count->setFont(theme.font(TextStyle::BodyStrong));
    m_share->setFont(theme.font(TextStyle::Body));
    m_headline->setFont(theme.font(TextStyle::Headline));
    m_store->setFont(theme.font(TextStyle::Hint));
    m_header->parentWidget()->setMinimumWidth(theme.scaled(kVariantsLeast));
    QPalette wrong = m_problem->palette();
    wrong.setColor(QPalette::WindowText, theme.color(Role::Err));
    m_problem->setPalette(wrong);
    showState();
}

void VariantsPage::openFile(const QString& file)
{
    m_problem->hide();
    m_start->say(tr("Reading %1…").arg(texts::shown(QFileInfo(file).fileName())));
    m_runner->open(file);
}

void VariantsPage::showStudy()
{
    const VariedStudy& study = *m_runner->study();
    m_start->say({});
    m_problem->hide();
    m_selected = -1;
    m_columns.reset();
    m_parallel->setColumns(nullptr);
    setBrush({});
    m_header->setHint(texts::shown(QFileInfo(study.file).fileName()));
    m_store->setText(tr("kept in %1").arg(texts::shown(QFileInfo(study.store).fileName())));
    m_store->setToolTip(texts::toolTip(study.store));
    m_parameters->setRows(parameterRows(study.space));
    m_parametersHeader->setHint(samplingText(study.space.sampling));
    m_objectives->setRows(objectiveRows(study.space));
    m_constraints->setRows(constraintRows(study.space));
    m_constraints->parentWidget()->setVisible(!study.space.constraints.empty());
    // The front, where there is one already.
    const QSignalBlocker quiet(m_choice);
    m_choice->setCurrentIndex(m_runner->table()->front.empty() ? 2 : 0);
    m_pages->setCurrentIndex(1);
    showTable();
    showState();
}

QString VariantsPage::countText() const { return m_count->text(); }

QString VariantsPage::rateText() const { return m_rate->text(); }

QString VariantsPage::stateLine() const { return m_states->text(); }

QString VariantsPage::problemText() const { return m_problem->isHidden() ? QString() : m_problem->text(); }

void VariantsPage::showState()
{
    const bool running = m_runner->isRunning();
    m_run->setText(running ? tr("Pause") : m_runner->isBegun() ? tr("Go on") : tr("Run"));
    m_run->setIcon(icon(running ? QStringLiteral("pause") : QStringLiteral("run"), m_theme));
    m_header->setChip("info", running ? tr("Running") : QString());
    if (!m_runner->study())
        return;
    const StudyTable& table = *m_runner->table();
    if (table.search)
        return showSearch(table);
    const auto all = static_cast<std::int64_t>(table.rows.size());
    const std::int64_t open = table.count(StudyTableRow::State::Open);
    m_run->setEnabled(running || open > 0);
    m_run->setToolTip(running ? tr("Pause; what is done is kept") : open > 0 ? tr("Run the designs that are not kept yet") : tr("All designs are kept"));
    QString states = tr("%1 done, %2 infeasible, %3 failed").arg(texts::count(table.count(StudyTableRow::State::Done)), texts::count(table.count(StudyTableRow::State::Infeasible)), texts::count(table.count(StudyTableRow::State::Failed)));
    m_states->setText(states);
    if (running)
        return;
    m_count->setText(open == all ? variantsText(all) : tr("%1 of %2").arg(texts::count(all - open), variantsText(all)));
    m_share->setText(open == all ? QString() : texts::percent(static_cast<double>(all - open) / static_cast<double>(std::max<std::int64_t>(all, 1))));
    m_bar->setRange(0, static_cast<int>(all));
    m_bar->setValue(static_cast<int>(all - open));
    if (open == 0)
        m_rate->setText(tr("all are kept"));
    else if (m_runner->secondsEach() > 0)
        m_rate->setText(tr("about %1 for at most %2").arg(durationWords(static_cast<double>(open) * m_runner->secondsEach() / UserSettings::runThreads()), open == all ? variantsText(open) : tr("%1 more").arg(texts::count(open))));
    else
        m_rate->setText(m_runner->isSettled() ? tr("%1 open").arg(texts::count(open)) : tr("measuring how long one takes…"));
}

/// How far a search is: how many it simulated of those it may.
void VariantsPage::showSearch(const StudyTable& table)
{
    const bool running = m_runner->isRunning();
    const bool more = !table.search->whole;
    m_run->setEnabled(running || more);
    m_run->setToolTip(running ? tr("Pause; what is done is kept") : more ? tr("Search on from what is kept") : tr("The search has ended"));
    const QString states = tr("%1 done, %2 infeasible, %3 failed").arg(texts::count(table.count(StudyTableRow::State::Done)), texts::count(table.count(StudyTableRow::State::Infeasible)), texts::count(table.count(StudyTableRow::State::Failed)));
    const std::int64_t pruned = table.count(StudyTableRow::State::Pruned);
    m_states->setText(pruned > 0 ? tr("%1, %2 pruned").arg(states, texts::count(pruned)) : states);
    if (running)
        return;
    const StudySpec& space = m_runner->study()->space;
    const std::int64_t budget = std::min(space.sampling.budget, space.designCount());
    const std::int64_t simulated = table.search->simulated;
    m_count->setText(tr("%1 of %2").arg(texts::count(simulated), variantsText(space.designCount())));
    m_share->setText(more ? texts::percent(static_cast<double>(simulated) / static_cast<double>(budget)) : QString());
    m_bar->setRange(0, static_cast<int>(budget));
    m_bar->setValue(static_cast<int>(more ? simulated : budget));
    m_rate->setText(more ? tr("at most %1 are simulated").arg(texts::count(budget)) : tr("the search has ended"));
}

void VariantsPage::showMoment(const VariantMoment& moment)
{
    m_count->setText(tr("%1 of %2").arg(texts::count(moment.looked), variantsText(moment.of)));
    m_share->setText(texts::percent(static_cast<double>(moment.looked) / static_cast<double>(std::max<std::int64_t>(moment.of, 1))));
    m_bar->setRange(0, static_cast<int>(moment.of));
    m_bar->setValue(static_cast<int>(moment.looked));
    if (moment.rate() > 0)
        m_rate->setText(tr("%1 designs/s, %2 left").arg(texts::number(moment.rate(), moment.rate() < 10 ? 1 : 0), durationWords(moment.secondsLeft())));
    else
        m_rate->setText(tr("looking at what is kept…"));
}

std::optional<std::size_t> VariantsPage::rowOfNumber(qint64 number) const
{
    if (!m_runner->table())
        return std::nullopt;
    const std::vector<StudyTableRow>& rows = m_runner->table()->rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), number, [](const StudyTableRow& row, qint64 of) { return row.number < of; });
    return found == rows.end() || found->number != number ? std::nullopt : std::optional(at(found - rows.begin()));
}

void VariantsPage::select(qint64 number)
{
    m_selected = rowOfNumber(number) ? number : -1;
    if (m_table->selectedId() != m_selected)
        m_table->selectId(m_selected);
    m_chart->setCurrent(m_selected);
    m_parallel->setCurrent(m_selected);
    showSelected();
}

void VariantsPage::showSelected()
{
    const std::optional<std::size_t> row = rowOfNumber(m_selected);
    if (!row) {
        m_selectedHeader->setChip("info", {});
        m_headline->hide();
        m_headlineOf->setText(tr("Choose a point, or a row of the table."));
        m_message->hide();
        m_open->hide();
        m_figures->setRows({});
        return;
    }
    const StudyTable& table = *m_runner->table();
    const StudyTableRow& of = table.rows[*row];
    const bool front = isOnFront(table, *row);
    m_selectedHeader->setChip(front ? "info" : of.state == StudyTableRow::State::Failed ? "err" : "ok", front ? tr("On the front") : of.state == StudyTableRow::State::Done ? QString() : stateText(table, *row).section(QLatin1Char(':'), 0, 0));
    QString first = tr("Design %1").arg(texts::count(of.number));
    QString second;
    for (const StudyObjective& objective : m_runner->study()->space.objectives) {
        const std::optional<double> value = of.figures[objective.figure];
        if (!value)
            continue;
        const VariantAxis axis{figureTitle(objective.figure), rowOf(objective.figure).measure, objective.figure, 0, objective.sense};
        second = axis.name + QStringLiteral(", ") + texts::inSentence(first);
        first = axis.text(*value);
        break;
    }
    m_headline->setText(first);
    m_headline->show();
    m_headlineOf->setText(second);
    m_message->setText(of.message.empty() ? QString() : stateText(table, *row));
    m_message->setVisible(!of.message.empty());
    m_open->show();
    m_figures->setRows(variantRows(*m_runner->study(), table, *row));
}

void VariantsPage::toggleRun()
{
    if (!m_runner->study())
        return;
    m_problem->hide();
    if (m_runner->isRunning())
        m_runner->stop();
    else if (m_run->isEnabled())
        m_runner->run(UserSettings::runThreads());
}

Status VariantsPage::exportTo(const QString& path) const
{
    const StudySpec& space = m_runner->study()->space;
    const std::string file = QFile::encodeName(path).toStdString();
    return writeOutputFile(file, path.endsWith(QStringLiteral(".jsonl")) ? tableJsonLines(space, *m_runner->table()) : tableCsv(space, *m_runner->table()));
}

void VariantsPage::setOpenAction(const QString& text, const std::function<void()>& open)
{
    m_start->addCommand(text, open);
}

/// Space runs and stops, as nobody types here.
void VariantsPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier && m_runner->study())
        return toggleRun();
    QWidget::keyPressEvent(event);
}

} // namespace fabricscope
