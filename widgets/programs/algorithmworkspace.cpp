#include "widgets/programs/algorithmworkspace.h"

#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/sharedfile.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/contentmatrix.h"
#include "widgets/programs/diagram.h"
#include "widgets/programs/findingsmodel.h"
#include "widgets/programs/operationtransport.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/synthesispanel.h"
#include "widgets/step/paneheader.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

const QString kFirstExample = QStringLiteral("allreduce_ring.lua");
constexpr std::size_t kMostMarks = 1000; ///< Lines with marks; the list has the rest.

QString opName(CollectiveOp op)
{
    QString name = QString::fromStdString(std::string(collectiveKey(op))).replace(QLatin1Char('_'), QLatin1Char('-'));
    name[0] = name[0].toUpper();
    return name;
}

QVBoxLayout* columnOf(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QWidget* panel()
{
    auto* widget = new QWidget;
    widget->setProperty("surface", QStringLiteral("panel"));
    widget->setAttribute(Qt::WA_StyledBackground);
    return widget;
}

} // namespace

ProgramWorkspace::ProgramWorkspace(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Programs"));
    m_outer = new QSplitter(Qt::Horizontal);
    m_outer->setAccessibleName(tr("Text beside the drawing"));
    m_outer->setChildrenCollapsible(false);
    m_pages = new QStackedWidget;
    m_synthesis = new SynthesisPanel;
    m_pages->addWidget(makeLeft());
    m_pages->addWidget(m_synthesis);
    m_outer->addWidget(m_pages);
    m_outer->addWidget(makeRight());
    m_outer->setStretchFactor(0, 2);
    m_outer->setStretchFactor(1, 3);
    columnOf(this)->addWidget(m_outer);
    for (QSplitter* splitter : {m_outer, m_left, m_right})
        connect(splitter, &QSplitter::splitterMoved, this, [this] { m_userSizes = true; });

    m_files = new ProgramFiles(m_editor, this);
    connect(m_files, &ProgramFiles::changed, this, &ProgramWorkspace::updateHead);
    connect(m_editor, &QPlainTextEdit::textChanged, this, &ProgramWorkspace::textChanged);
    connect(m_editor, &CodeEditor::lineChanged, this, &ProgramWorkspace::markLine);
    connect(m_issues, &ProgramIssuesView::activatedIssue, this, &ProgramWorkspace::goToIssue);
    connect(m_diagram, &ProgramDiagram::operationActivated, this, [this](quint32 operation) {
        if (const std::uint64_t line = m_player.replay()->body().sourceIdOf(operation); line > 0)
            m_editor->goTo(static_cast<int>(line));
        m_player.mark({operation});
        emit statusText(m_diagram->transferText(operation));
    });
    connect(m_synthesis, &SynthesisPanel::backRequested, this, [this] { showSynthesis(false); });
    connect(&m_player, &ProgramPlayer::stepChanged, this, [this] {
        if (m_player.replay())
            emit statusText(m_transport->stepText());
    });
    connect(&m_checker, &ProgramChecker::started, this, [this] {
        m_busy = true;
        m_stopped = false;
        showState();
    });
    connect(&m_checker, &ProgramChecker::slow, this, [this] {
        m_slow = true;
        m_share = 0;
        showState();
    });
    connect(&m_checker, &ProgramChecker::progressed, this, [this](double share) {
        m_share = share;
        showState();
    });
    connect(&m_checker, &ProgramChecker::stopped, this, [this] {
        m_busy = m_slow = false;
        m_stopped = true;
        showState();
    });
    connect(&m_checker, &ProgramChecker::checked, this, &ProgramWorkspace::take);
    const auto addKey = [this](const QKeySequence& keys, auto method) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, &m_player, method);
    };
    addKey(QKeySequence(Qt::ALT | Qt::Key_Home), &ProgramPlayer::first);
    addKey(QKeySequence(Qt::ALT | Qt::Key_End), &ProgramPlayer::last);
    followTheme(this, &ProgramWorkspace::setTheme);
    showState();
    showFacts();
    updateHead();
}

ProgramWorkspace::~ProgramWorkspace()
{
    disconnect(m_editor, nullptr, this, nullptr);
    m_checker.disconnect(this);
}

QWidget* ProgramWorkspace::makeLeft()
{
    m_left = new QSplitter(Qt::Vertical);
    m_left->setAccessibleName(tr("Text over its findings"));
    m_left->setChildrenCollapsible(false);
    m_left->setMinimumWidth(360);
    auto* upper = new QWidget;
    auto* column = columnOf(upper);
    m_textHead = new StepHeader(tr("Program"));
    m_editor = new CodeEditor;
    column->addWidget(m_textHead);
    column->addWidget(m_editor, 1);
    auto* lower = new QWidget;
    auto* lowerColumn = columnOf(lower);
    m_issuesHead = new StepHeader(tr("Findings"));
    m_issues = new ProgramIssuesView;
    lowerColumn->addWidget(m_issuesHead);
    lowerColumn->addWidget(m_issues, 1);
    m_left->addWidget(upper);
    m_left->addWidget(lower);
    m_left->setStretchFactor(0, 4);
    m_left->setStretchFactor(1, 1);
    return m_left;
}

QWidget* ProgramWorkspace::makeRight()
{
    m_right = new QSplitter(Qt::Vertical);
    m_right->setAccessibleName(tr("Drawing over who holds what"));
    m_right->setChildrenCollapsible(false);
    m_right->setMinimumWidth(480);
    auto* upper = new QWidget;
    auto* column = columnOf(upper);
    m_drawingHead = new StepHeader(tr("Drawing"));
    m_drawingHead->setObjectName(QStringLiteral("drawing"));
    m_cancel = new QToolButton;
    m_cancel->setText(tr("Cancel"));
    m_cancel->setAccessibleName(tr("Cancel the check"));
    m_cancel->setToolTip(tr("Give up checking this text"));
    m_cancel->hide();
    connect(m_cancel, &QToolButton::clicked, &m_checker, &ProgramChecker::cancel);
    m_drawingHead->addControl(m_cancel);
    m_banner = new QFrame;
    m_banner->setProperty("banner", QStringLiteral("err"));
    auto* bannerRow = new QHBoxLayout(m_banner);
    bannerRow->setContentsMargins(12, 0, 12, 0);
    m_bannerText = new QLabel;
    m_bannerText->setObjectName(QStringLiteral("banner"));
    bannerRow->addWidget(m_bannerText);
    m_banner->hide();
    m_diagram = new ProgramDiagram;
    m_diagram->setPlayer(&m_player);
    m_transport = new ProgramTransport(&m_player);
    column->addWidget(m_drawingHead);
    column->addWidget(m_banner);
    column->addWidget(m_diagram, 1);
    column->addWidget(m_transport);

    auto* matrix = panel();
    auto* matrixColumn = columnOf(matrix);
    m_matrixHead = new StepHeader(tr("Who holds what"));
    m_matrix = new ProgramMatrix;
    m_matrix->setPlayer(&m_player);
    matrixColumn->addWidget(m_matrixHead);
    matrixColumn->addWidget(m_matrix, 1);
    auto* facts = m_factsPanel = panel();
    auto* factsColumn = columnOf(facts);
    m_factsHead = new StepHeader(tr("Facts"));
    m_facts = new ValueRows;
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Facts about the program"));
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inset = new QWidget;
    auto* insetColumn = new QVBoxLayout(inset);
    insetColumn->setContentsMargins(12, 6, 12, 6);
    insetColumn->addWidget(m_facts);
    insetColumn->addStretch(1);
    scroll->setWidget(inset);
    scroll->viewport()->setAutoFillBackground(false);
    inset->setAutoFillBackground(false);
    factsColumn->addWidget(m_factsHead);
    factsColumn->addWidget(scroll, 1);
    auto* lower = new QWidget;
    auto* lowerRow = new QHBoxLayout(lower);
    lowerRow->setContentsMargins(0, 0, 0, 0);
    lowerRow->setSpacing(1);
    lowerRow->addWidget(matrix, 1);
    lowerRow->addWidget(facts, 2); // As wide as the theme says, where there is room.
    m_right->addWidget(upper);
    m_right->addWidget(lower);
    m_right->setStretchFactor(0, 3);
    m_right->setStretchFactor(1, 2);
    return m_right;
}

void ProgramWorkspace::addProgramCommand(QAction* action)
{
    auto* button = new QToolButton;
    button->setText(ActionRegistry::plainText(*action));
    button->setAccessibleName(button->text());
    button->setToolTip(QStringLiteral("%1 (%2)").arg(action->statusTip(), action->shortcut().toString(QKeySequence::NativeText)));
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    const auto follow = [button, action] { button->setEnabled(action->isEnabled()); };
    connect(action, &QAction::changed, button, follow);
    follow();
    m_drawingHead->addControl(button);
    m_programButtons.push_back(button);
    button->setFixedHeight(m_theme.scaled(24));
}

void ProgramWorkspace::addCommand(QAction* action)
{
    auto* button = new QToolButton;
    button->setProperty("flat", true);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setAccessibleName(ActionRegistry::plainText(*action));
    if (action->menu())
        button->setPopupMode(QToolButton::InstantPopup);
    m_textHead->addControl(button);
    m_icons.emplace_back(button, action);
    button->setFixedSize(m_theme.scaled(28), m_theme.scaled(26));
}

void ProgramWorkspace::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_banner->setFixedHeight(theme.scaled(32));
    m_factsPanel->setMaximumWidth(theme.scaled(264));
    for (const auto& [button, action] : m_icons) {
        button->setIconSize({theme.scaled(16), theme.scaled(16)});
        button->setFixedSize(theme.scaled(28), theme.scaled(26));
    }
    for (QToolButton* button : m_programButtons)
        button->setFixedHeight(theme.scaled(24));
    distribute();
}

void ProgramWorkspace::begin()
{
    if (m_editor->document()->characterCount() > 1 || m_files->isModified())
        return;
    for (const ShippedProgram& program : shippedPrograms())
        if (program.name == kFirstExample)
            m_files->showText(program.text, program.name);
}

bool ProgramWorkspace::showText(const QString& text, const QString& suggestedName, ProgramOrigin origin)
{
    if (!m_files->showText(text, suggestedName))
        return false;
    m_origin = std::move(origin);
    showSynthesis(false);
    return true;
}

void ProgramWorkspace::showSynthesis(bool on)
{
    m_pages->setCurrentIndex(on ? 1 : 0);
    if (isVisible())
        (on ? static_cast<QWidget*>(m_synthesis) : m_editor)->setFocus();
}

void ProgramWorkspace::textChanged()
{
    m_origin = {};
    m_checker.setText(m_editor->toPlainText(), m_files->displayName());
}

void ProgramWorkspace::take(const CheckedProgramPtr& program)
{
    m_busy = m_slow = m_stopped = false;
    m_checked = program;
    m_issues->issues()->setProgram(program);
    std::vector<LineMark> marks;
    for (const ProgramIssue& issue : program->issues) {
        if (issue.line > 0 && issue.severity != Severity::Note && marks.size() < kMostMarks)
            marks.push_back({issue.line, issue.severity == Severity::Error, texts::shown(issue.message)});
    }
    m_editor->setMarks(std::move(marks));
    // The last drawing stays while the text cannot be read.
    if (program->replay) {
        m_player.setReplay(program->replay);
        distribute();
        markLine(m_editor->currentLine());
    }
    showFacts();
    showState();
    emit shown();
}

void ProgramWorkspace::showState()
{
    const char* kind = "ok";
    QString text = tr("Valid");
    const auto errors = m_checked ? static_cast<int>(m_checked->errors()) : 0;
    if (m_busy && (m_slow || !m_checked)) {
        kind = "info";
        text = m_share > 0 ? tr("Checking, %1").arg(texts::percent(m_share, 0)) : tr("Checking");
    } else if (m_stopped) {
        kind = "warn";
        text = tr("Not checked");
    } else if (!m_checked) {
        text.clear();
    } else if (errors > 0) {
        kind = "err";
        text = errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors);
    } else if (!m_checked->issues.empty() && m_checked->issues.front().severity == Severity::Warning) {
        kind = "warn";
        text = tr("Valid, warnings");
    }
    m_drawingHead->setChip(kind, text);
    m_cancel->setVisible(m_busy && m_slow);
    const int rows = m_issues->issues()->rowCount();
    m_issuesHead->setHint(rows == 0 ? QString() : texts::count(rows));
    const bool old = m_checked && !m_checked->replay && m_player.replay();
    m_banner->setVisible(old);
    m_bannerText->setText(!old ? QString() : m_checked->replayNote.empty() ? tr("The text cannot be read. The drawing is that of the last one that could.") : texts::shown(m_checked->replayNote));
}

void ProgramWorkspace::showFacts()
{
    std::vector<ValueRow> rows;
    const ProgramReplayPtr& replay = m_player.replay();
    if (replay) {
        const Program& program = replay->program();
        const ExplicitBody& body = replay->body();
        QString name = texts::shown(program.name);
        m_drawingHead->setTitle(name.isEmpty() ? opName(program.op) : name);
        m_drawingHead->setHint(tr("%1 over %2").arg(opName(program.op), texts::ranks(program.ranks)));
        std::int32_t lanes = 0;
        for (const std::int32_t lane : body.lane)
            lanes = std::max(lanes, lane + 1);
        rows.push_back({tr("Chunks"), texts::count(program.chunks)});
        rows.push_back({tr("Transfers"), texts::count(static_cast<qint64>(replay->transfers()))});
        rows.push_back({tr("Steps"), texts::count(replay->steps())});
        rows.push_back({tr("Lanes per rank"), lanes > 0 ? texts::count(lanes) : tr("none")});
        if (m_checked && m_checked->verified) {
            rows.push_back({tr("Postcondition"), m_checked->postcondition == "holds" ? tr("holds") : m_checked->postcondition == "fails" ? tr("fails") : tr("unknown")});
            rows.push_back({tr("Wasted transfers"), texts::count(m_checked->wastedTransfers)});
            rows.push_back({tr("In place"), m_checked->worksInPlace ? tr("works") : tr("does not work")});
            rows.push_back({tr("Out of place"), m_checked->worksOutOfPlace ? tr("works") : tr("does not work")});
            if (m_checked->minimumSlots > 0)
                rows.push_back({tr("Slots needed"), texts::count(m_checked->minimumSlots)});
        }
        if (m_checked && m_checked->replay == replay)
            rows.insert(rows.end(), m_origin.facts.begin(), m_origin.facts.end());
        if (!replay->finishes())
            rows.push_back({tr("Never done"), tr("%1 operations").arg(texts::count(static_cast<qint64>(body.size() - replay->sequence().size())))});
        m_matrixHead->setHint(replay->hasPlaces() ? tr("rank × chunk, after the step") : QString());
    }
    m_facts->setRows(rows);
}

void ProgramWorkspace::goToIssue(int row)
{
    const ProgramIssue& issue = m_issues->issues()->issue(row);
    if (issue.line > 0) {
        m_editor->goTo(issue.line);
        m_editor->setFocus();
    }
    const ProgramReplayPtr& replay = m_player.replay();
    if (!replay || m_checked->replay != replay || issue.operations.empty())
        return;
    // The drawing of a template is its expansion, whose operations the finding does not know.
    if (m_checked->program->isTemplate())
        return;
    m_player.setStep(replay->stepOf(issue.operations.front()));
    m_player.mark(issue.operations);
}

bool ProgramWorkspace::nextFinding()
{
    return m_issues->next();
}

/// Points out what the line of the cursor has made.
void ProgramWorkspace::markLine(int line)
{
    std::vector<std::uint32_t> operations;
    if (m_checked && m_checked->replay && m_checked->replay == m_player.replay()) {
        const std::vector<std::uint64_t>& ids = m_player.replay()->body().sourceId;
        for (std::uint32_t op = 0; op < ids.size(); ++op)
            if (ids[op] == static_cast<std::uint64_t>(line))
                operations.push_back(op);
    }
    m_player.mark(std::move(operations));
}

void ProgramWorkspace::updateHead()
{
    m_textHead->setTitle(m_files ? m_files->displayName() : tr("Program"));
    QStringList state;
    if (m_files && m_files->isModified())
        state.append(tr("edited"));
    if (m_files && m_files->shared().isReadOnly())
        state.append(tr("read-only"));
    if (const int others = m_files ? m_files->shared().openElsewhere() : 0; others > 0)
        state.append(others == 1 ? tr("also open in another window") : tr("also open in %1 other windows").arg(others));
    m_textHead->setHint(state.join(QStringLiteral(", ")));
}

void ProgramWorkspace::distribute()
{
    if (m_userSizes || width() < 200)
        return;
    const int left = std::max(360, static_cast<int>(width() * (width() < 1150 ? 0.42 : 0.38)));
    m_outer->setSizes({left, width() - left});
    const int findings = m_theme.scaled(height() < 700 ? 120 : 168);
    m_left->setSizes({height() - findings, findings});
    // The matrix takes what it needs, the facts are never less than their first rows.
    const int wanted = std::max(m_matrix->sizeHint().height(), m_theme.scaled(230)) + m_theme.scaled(32);
    const int lower = std::min(wanted, static_cast<int>(height() * (height() < 700 ? 0.42 : 0.45)));
    m_right->setSizes({height() - lower, lower});
}

void ProgramWorkspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    distribute();
}

} // namespace fabricscope
