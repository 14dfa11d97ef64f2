#include "widgets/step/chunkworkspace.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/step/movecanvas.h"
#include "widgets/step/movefacts.h"
#include "widgets/step/paneheader.h"
#include "widgets/step/lanesview.h"
#include "widgets/step/movelists.h"
#include "widgets/step/chunkmatrix.h"
#include "widgets/step/storyboard.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/transport.h"
#include "widgets/step/whyview.h"
#include "widgets/results/words.h"
#include "widgets/base/texts.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace fabricscope {

StepWorkspace::StepWorkspace(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Step"));
    m_outer = new QSplitter(Qt::Horizontal);
    m_inner = new QSplitter(Qt::Horizontal);
    m_outer->setAccessibleName(tr("Collective beside its steps"));
    m_inner->setAccessibleName(tr("Steps beside the selected move"));
    m_outer->setChildrenCollapsible(false);
    m_inner->setChildrenCollapsible(false);
    m_stack = new QStackedWidget;
    m_inner->addWidget(makeCentre());
    m_inner->addWidget(makeRight());
    m_inner->setStretchFactor(0, 1);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setAlignment(Qt::AlignCenter);
    column->setSpacing(12);
    m_message = new QLabel;
    m_message->setObjectName(QStringLiteral("message"));
    m_message->setProperty("role", QStringLiteral("secondary"));
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setMinimumWidth(360);
    m_button = new QPushButton;
    column->addWidget(m_message);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    m_stack->addWidget(page);
    m_stack->addWidget(m_inner);
    m_outer->addWidget(makeLeft());
    m_outer->addWidget(m_stack);
    m_outer->setStretchFactor(1, 1);
    auto* row = new QVBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_outer);
    const auto moved = [this] { m_userSizes = true; };
    connect(m_outer, &QSplitter::splitterMoved, this, moved);
    connect(m_inner, &QSplitter::splitterMoved, this, moved);
    connect(m_right, &QSplitter::splitterMoved, this, moved);

    connect(m_button, &QPushButton::clicked, this, &StepWorkspace::messageAction);
    connect(&m_loader, &StepLoader::listed, this, &StepWorkspace::listed);
    connect(&m_loader, &StepLoader::loaded, this, &StepWorkspace::showSteps);
    connect(&m_loader, &StepLoader::failed, this, [this](const QString& reason) {
        if (m_listedRun)
            setState(State::Failed, reason);
    });
    connect(&m_loader, &StepLoader::canceled, this, [this] { setState(State::Canceled); });
    connect(&m_loader, &StepLoader::slow, this, [this] { setState(State::Preparing); });
    connect(m_facts, &StepFacts::instanceChosen, this, [this] { prepare(); });
    connect(&m_player, &StepPlayer::replayChanged, this, &StepWorkspace::updateTexts);
    connect(&m_player, &StepPlayer::stepChanged, this, &StepWorkspace::updateTexts);
    connect(&m_player, &StepPlayer::timeChanged, this, &StepWorkspace::updateTexts);
    connect(&m_player, &StepPlayer::selectionChanged, this, &StepWorkspace::moveSelected);
    connect(m_canvas, &StepCanvas::positionSelected, this, [this](int position) { emit nodeSelected(position < 0 ? -1 : m_player.replay()->nodeAt(position)); });
    connect(m_why, &MoveWhyPanel::stateChanged, this, [this] { m_whyHead->setChip("info", m_why->stateText()); });
    connect(m_why, &MoveWhyPanel::showOnTimelineRequested, this, [this] {
        const ReplayMove& move = m_player.replay()->moves()[at(m_player.selectedMove())];
        emit showOnTimelineRequested(move.readyPs, move.donePs);
    });
    addShortcuts();
    followTheme(this, &StepWorkspace::setTheme);
    setState(State::NoRun);
}

StepWorkspace::~StepWorkspace() = default;

QWidget* StepWorkspace::makeLeft()
{
    auto* widget = new QWidget;
    widget->setProperty("surface", QStringLiteral("panel"));
    widget->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_facts = new StepFacts(&m_player);
    m_lists = new StepLists(&m_player);
    column->addWidget(m_facts);
    column->addWidget(m_lists, 1);
    // Large text in a small window scrolls, instead of rows that lie on one another.
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Collective, steps and moves"));
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(270);
    scroll->setWidget(widget);
    return scroll;
}

QWidget* StepWorkspace::makeCentre()
{
    auto* widget = new QWidget;
    widget->setMinimumWidth(400);
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_title = new StepHeader(tr("Step"));
    m_title->setObjectName(QStringLiteral("step"));
    m_canvas = new StepCanvas;
    m_canvas->setPlayer(&m_player);
    m_transport = new StepTransport(&m_player);
    m_lanes = new StepLanes;
    m_lanes->setPlayer(&m_player);
    m_storyboard = new Storyboard(&m_player);
    column->addWidget(m_title);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_transport);
    column->addWidget(m_lanes);
    column->addWidget(m_storyboard);
    return widget;
}

QWidget* StepWorkspace::makeRight()
{
    auto* widget = new QWidget;
    widget->setProperty("surface", QStringLiteral("panel"));
    widget->setAttribute(Qt::WA_StyledBackground);
    widget->setMinimumWidth(300);
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_matrixHead = new StepHeader(tr("Ownership"));
    m_matrix = new OwnershipMatrix;
    m_matrix->setPlayer(&m_player);
    m_noParts = new QLabel;
    m_noParts->setProperty("role", QStringLiteral("secondary"));
    m_noParts->setWordWrap(true);
    m_noParts->setContentsMargins(12, 8, 12, 8);
    m_whyHead = new StepHeader(tr("Selected move"));
    m_why = new MoveWhyPanel;
    m_why->setPlayer(&m_player);
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Selected move"));
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_why);
    scroll->viewport()->setAutoFillBackground(false);
    m_why->setAutoFillBackground(false);
    auto* lower = new QWidget;
    auto* lowerColumn = new QVBoxLayout(lower);
    lowerColumn->setContentsMargins(0, 0, 0, 0);
    lowerColumn->setSpacing(0);
    lowerColumn->addWidget(m_whyHead);
    lowerColumn->addWidget(scroll, 1);
    auto* upper = new QWidget;
    auto* upperColumn = new QVBoxLayout(upper);
    upperColumn->setContentsMargins(0, 0, 0, 0);
    upperColumn->setSpacing(0);
    upperColumn->addWidget(m_matrixHead);
    upperColumn->addWidget(m_noParts);
    upperColumn->addWidget(m_matrix, 1);
    auto* splitter = m_right = new QSplitter(Qt::Vertical);
    splitter->setAccessibleName(tr("Ownership over selected move"));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter);
    return widget;
}

void StepWorkspace::addShortcuts()
{
    const auto add = [this](Qt::Key key, auto method) {
        auto* shortcut = new QShortcut(QKeySequence(key), this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, &m_player, method);
    };
    add(Qt::Key_Home, &StepPlayer::first);
    add(Qt::Key_Left, &StepPlayer::back);
    add(Qt::Key_Right, &StepPlayer::forward);
    add(Qt::Key_End, &StepPlayer::last);
    add(Qt::Key_Space, &StepPlayer::togglePlay);
    // Space still presses the button that has the focus and opens a box.
    for (QWidget* child : findChildren<QWidget*>())
        if (qobject_cast<QAbstractButton*>(child) || qobject_cast<QComboBox*>(child))
            child->installEventFilter(this);
}

bool StepWorkspace::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        event->accept();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void StepWorkspace::setTheme(const Theme& theme)
{
    m_theme = theme;
    distribute();
}

void StepWorkspace::setRun(RunResultPtr run)
{
    m_run = std::move(run);
    m_dirty = true;
    if (isVisible() || !m_run) // A design that was closed is kept by nothing, seen or not.
        refresh();
}

void StepWorkspace::setOutdated(bool outdated)
{
    m_title->setChip("warn", outdated ? texts::earlierInputs() : QString());
}

void StepWorkspace::selectInstance(int instance)
{
    m_wanted = instance;
    if (!m_dirty && m_listedRun && m_facts->showInstance(instance)) {
        m_wanted = -1;
        prepare();
    }
}

void StepWorkspace::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_dirty)
        refresh();
}

void StepWorkspace::refresh()
{
    if (!m_run || m_run->isPartial()) {
        m_dirty = m_run != nullptr;
        if (!m_run) {
            m_loader.cancel();
            m_loader.forget();
            m_listedRun.reset();
            m_player.setReplay(nullptr);
            m_facts->setCollectives({});
            setState(State::NoRun);
        } else if (!m_player.replay()) {
            setState(State::Running);
        }
        return;
    }
    m_dirty = false;
    m_listedRun = m_run;
    m_facts->setUpdating(m_player.replay() != nullptr);
    m_loader.list(m_run);
}

void StepWorkspace::listed(const std::vector<InstanceRun>& collectives)
{
    if (!m_listedRun)
        return; // Its design was closed meanwhile.
    // The place in the list is kept by what the collective is, as another design numbers its instances anew.
    std::int32_t keep = m_wanted;
    const std::int32_t before = m_facts->instance();
    if (keep < 0)
        for (const InstanceRun& old : m_facts->collectives())
            if (old.instance == before)
                for (const InstanceRun& each : collectives)
                    if (each.family == old.family && each.group == old.group && each.call == old.call && each.op == old.op && each.steppable)
                        keep = each.instance;
    m_facts->setCollectives(collectives);
    if (keep >= 0 && m_facts->showInstance(keep))
        m_wanted = -1;
    if (m_facts->collectives().empty()) {
        m_facts->setUpdating(false);
        m_loader.cancel();
        m_player.setReplay(nullptr);
        const bool stepped = m_listedRun->scenario->model == Model::Links || m_listedRun->scenario->model == Model::Ideal;
        setState(stepped ? State::NoCollective : State::WrongModel);
        return;
    }
    prepare();
}

void StepWorkspace::prepare()
{
    const std::int32_t instance = m_facts->instance();
    if (instance < 0 || !m_listedRun)
        return;
    m_facts->setUpdating(m_player.replay() != nullptr);
    m_loader.load(m_listedRun, instance);
}

void StepWorkspace::showSteps(const LoadedSteps& steps)
{
    const CollectiveReplayPtr& before = m_player.replay();
    // After an edit of the design one stays where one was.
    const bool stays = before && before->size() == steps.replay->size() && before->op() == steps.replay->op() && before->chunks() == steps.replay->chunks();
    const int chunk = m_player.chunk();
    const int step = m_player.step();
    m_player.setReplay(steps.replay);
    if (stays) {
        m_player.setChunk(chunk);
        m_player.setStep(std::min(step, m_player.stepCount() - 1));
    }
    m_facts->setUpdating(false);
    m_facts->setVerified(steps.verified);
    const bool noParts = steps.replay->parts() == 0;
    m_matrix->setVisible(!noParts);
    m_noParts->setVisible(noParts);
    m_noParts->setText(texts::shown(steps.replay->partsNote()));
    setState(State::Shown);
    distribute();
    updateTexts();
    emit moveSelected(m_player.selectedMove());
}

void StepWorkspace::setState(State state, const QString& reason)
{
    m_state = state;
    m_stack->setCurrentIndex(state == State::Shown ? 1 : 0);
    m_lists->setEnabled(state == State::Shown);
    if (state == State::Shown)
        return;
    m_player.pause();
    m_facts->setUpdating(false);
    switch (state) {
    case State::NoRun:
        m_message->setText(tr("Nothing has run yet."));
        m_button->setText(tr("Run"));
        break;
    case State::Running:
        m_message->setText(tr("The run goes on. Its collectives can be stepped through when it has ended."));
        m_button->setText(tr("Run"));
        break;
    case State::NoCollective:
        m_message->setText(isOfOneRank() ? tr("This run has one rank: it has nothing to exchange.") : tr("This run has no collective that sends messages."));
        m_button->setText(tr("Run again"));
        break;
    case State::WrongModel:
        m_message->setText(tr("Stepping shows the models links and ideal; this run is of another."));
        m_button->setText(tr("Run under links"));
        break;
    case State::Preparing:
        m_message->setText(tr("Preparing the steps"));
        m_button->setText(tr("Cancel"));
        break;
    case State::Failed:
        m_message->setText(texts::atStart(reason) + QLatin1Char('.'));
        m_button->setText(tr("Try again"));
        break;
    case State::Canceled:
        m_message->setText(tr("The steps were not prepared."));
        m_button->setText(tr("Prepare the steps"));
        break;
    case State::Shown: break;
    }
    m_button->setVisible(state != State::Running && !(state == State::NoCollective && isOfOneRank())); // To run it again would change nothing.
}

bool StepWorkspace::isOfOneRank() const
{
    return m_listedRun && m_listedRun->record().rankCount == 1;
}

void StepWorkspace::messageAction()
{
    switch (m_state) {
    case State::NoRun:
    case State::NoCollective: emit runRequested(); break;
    case State::WrongModel: emit linksModelRequested(); break;
    case State::Preparing: m_loader.cancel(); break;
    case State::Failed:
    case State::Canceled: prepare(); break;
    case State::Running:
    case State::Shown: break;
    }
}

void StepWorkspace::updateTexts()
{
    const ReplayStep* step = m_player.currentStep();
    if (!step) {
        m_title->setTitle(tr("Step"));
        m_title->setHint({});
        m_matrixHead->setHint({});
        return;
    }
    const CollectiveReplay& replay = *m_player.replay();
    const QString phase = texts::inSentence(steptexts::phase(step->kind));
    const QString line = QString::fromStdString(replay.lineName(*step));
    m_title->setTitle(line.isEmpty() ? tr("Step %1: %2").arg(m_player.step() + 1).arg(phase) : tr("Step %1: %2 on %3").arg(m_player.step() + 1).arg(phase, line));
    m_title->setHint(tr("Group only, %1 of %2").arg(texts::count(replay.size()), texts::npus(replay.scenario().structure->platform.remainingNpus())));
    m_matrixHead->setHint(replay.complete() > 1 ? tr("NPU × chunk part, contributions of %1").arg(replay.complete()) : tr("NPU × chunk part"));
    const int done = m_lists->moveModel()->doneCount();
    emit statusText(tr("%1, %2: %3 moves done, %4 open")
                        .arg(m_transport->stepText(), steptexts::moment(m_player.timePs() - m_player.originPs(), m_player.endPs() - m_player.originPs()), texts::count(done),
                             texts::count(m_lists->moveModel()->rowCount() - done)));
}

void StepWorkspace::distribute()
{
    const bool low = height() < m_theme.scaled(760);
    m_lanes->setFixedHeight(std::max(m_theme.scaled(low ? 100 : 112), m_lanes->minimumSizeHint().height()));
    m_storyboard->setFixedHeight(m_theme.scaled(low ? 146 : 168));
    if (m_userSizes || width() < 200)
        return;
    // Larger text gets more of the width, up to what the middle can spare.
    const double scale = std::max(1.0, m_theme.basePixels() / 13.0);
    const auto share = [&](int base, double most) { return static_cast<int>(std::max<double>(base, std::min(base * scale, width() * most))); };
    const int left = share(width() < 1150 ? 290 : width() < 1400 ? 304 : width() < 2200 ? 352 : 400, 0.27);
    const int right = share(width() < 1150 ? 304 : width() < 1400 ? 372 : width() < 2200 ? 452 : 520, 0.31);
    m_outer->setSizes({left, width() - left});
    m_inner->setSizes({width() - left - right, right});
    // The matrix takes what it needs, the selected move is never less than its parts.
    const int heads = 2 * m_theme.scaled(32);
    const int upper = std::min(m_matrix->sizeHint().height() + heads / 2, height() - m_theme.scaled(250) - heads / 2);
    m_right->setSizes({upper, height() - upper});
}

void StepWorkspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    distribute();
}

} // namespace fabricscope
