#include "app/desktop/maintoolbar.h"

#include "app/desktop/workspace.h"
#include "core/design/modelversions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/start/commandpalette.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace fabricscope {

namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// What makes a design, what looks at it, what decides between designs; what is none of these comes last.
std::vector<QString> viewsInOrder()
{
    std::vector<QString> views{QStringLiteral("view.explore")};
    for (const WorkspaceRow& workspace : workspaceRows()) {
        for (const CommandRow& show : workspace.view)
            views.push_back(QString::fromLatin1(show.id));
    }
    static const QStringList order = QStringLiteral("view.draw view.workload view.programs view.transform view.explore view.step view.compare view.study view.report").split(QLatin1Char(' '));
    const auto rank = [](const QString& view) { return order.contains(view) ? order.indexOf(view) : order.size(); };
    std::ranges::stable_sort(views, [rank](const QString& a, const QString& b) { return rank(a) < rank(b); });
    return views;
}

/// With the versions of their rules, or without.
void nameModels(QComboBox& models, bool versions)
{
    int withVersion = 0;
    int alone = 0;
    for (int i = 0; i < models.count(); ++i) {
        const auto model = static_cast<Model>(models.itemData(i).toInt());
        const QString name = text(modelName(model));
        const QString full = QStringLiteral("%1   %2").arg(name, text(currentVersion(model)));
        withVersion = std::max(withVersion, models.fontMetrics().horizontalAdvance(full));
        alone = std::max(alone, models.fontMetrics().horizontalAdvance(name));
        if (const QString& shown = versions ? full : name; models.itemText(i) != shown) // A name that is set asks for a new layout.
            models.setItemText(i, shown);
    }
    // A box keeps the hint of the words it had first. Beside them: margins and the arrow.
    models.setMinimumWidth((versions ? withVersion : alone) + 3 * models.fontMetrics().height());
    models.setMaximumWidth(versions ? QWIDGETSIZE_MAX : models.minimumWidth());
}

/// By how much a name is wider in bold.
int boldExtra(QFont font, const QString& name)
{
    const int usual = QFontMetrics(font).horizontalAdvance(name);
    font.setWeight(QFont::DemiBold);
    return std::max(0, QFontMetrics(font).horizontalAdvance(name) - usual);
}

} // namespace

MainToolBar::MainToolBar(ActionRegistry& registry, CommandPalette& palette, QWidget* parent)
    : QToolBar(tr("Main toolbar"), parent), m_registry(registry), m_run(new QPushButton), m_model(new QComboBox), m_live(new QLabel),
      m_search(new PaletteField(palette)), m_pin(labelled(QStringLiteral("run.pin"))), m_export(labelled(QStringLiteral("file.exportReport"))),
      m_line(new QProgressBar(this))
{
    setObjectName(QStringLiteral("mainToolBar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);

    // One widget over the whole bar: the tool bar's own layout would give every control its smallest height.
    auto* bar = new QWidget;
    m_bar = bar;
    bar->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    const auto add = [row](QWidget* widget) { row->addWidget(widget, 0, Qt::AlignVCenter); };
    const auto addRule = [&] {
        auto* rule = new QFrame;
        rule->setFrameShape(QFrame::VLine);
        rule->setFixedWidth(1);
        m_rules.push_back(rule);
        add(rule);
    };
    m_workspaces = makeWorkspaces();
    row->addLayout(m_workspaces);
    addRule();
    for (const char* id : {"edit.undo", "edit.redo"})
        add(iconButton(QString::fromLatin1(id)));
    addRule();
    m_run->setProperty("primary", true);
    connect(m_run, &QPushButton::clicked, this, [this] { m_registry.action(m_busy ? QStringLiteral("run.stop") : QStringLiteral("run.start"))->trigger(); });
    add(m_run);
    fillModels();
    add(m_model);
    m_live->setText(tr("Live"));
    m_live->setProperty("chip", QStringLiteral("ok"));
    m_live->setToolTip(tr("Every edit runs the design again. Ctrl+L switches this off."));
    add(m_live);
    connect(m_registry.action(QStringLiteral("run.live")), &QAction::toggled, this, [this](bool live) {
        m_live->setVisible(live);
        fitLabels();
    });
    auto* const recording = new QLabel(tr("Recording"));
    recording->setObjectName(QStringLiteral("recording"));
    recording->setProperty("chip", QStringLiteral("err"));
    recording->setToolTip(tr("What is done is written down as a macro. Ctrl+Shift+M ends it."));
    recording->hide();
    add(recording);
    connect(m_registry.action(QStringLiteral("macro.record")), &QAction::toggled, this, [this, recording](bool on) {
        recording->setVisible(on);
        fitLabels();
    });
    row->addStretch(1);
    add(m_search);
    addRule();
    add(m_pin);
    add(m_export);
    addWidget(bar);
    layout()->setContentsMargins(0, 0, 0, 0);
    m_line->setTextVisible(false);
    m_line->setRange(0, 1000);
    m_line->setAccessibleName(tr("Progress of the run"));
    m_line->hide();
    followTheme(this, &MainToolBar::setTheme);
    setBusy(false);
}

QToolButton* MainToolBar::iconButton(const QString& id)
{
    auto* button = new QToolButton;
    button->setProperty("flat", true);
    button->setDefaultAction(m_registry.action(id));
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setAccessibleName(ActionRegistry::plainText(*button->defaultAction()));
    m_iconButtons.push_back(button);
    return button;
}

void MainToolBar::fillModels()
{
    for (const ModelTraits& model : kModelRows)
        m_model->addItem({}, static_cast<int>(model.model));
    nameModels(*m_model, true);
    m_model->setAccessibleName(tr("Model"));
    m_model->setToolTip(tr("What a time means"));
    connect(m_model, &QComboBox::activated, this, [this](int index) { emit modelChosen(static_cast<Model>(m_model->itemData(index).toInt())); });
}

QLayout* MainToolBar::makeWorkspaces()
{
    auto* workspaces = new QHBoxLayout;
    workspaces->setSpacing(0);
    const std::vector<QString> views = viewsInOrder();
    for (std::size_t i = 0; i < views.size(); ++i)
        workspaces->addWidget(segment(views[i], i == 0 ? "first" : i + 1 < views.size() ? "true" : "last"));
    return workspaces;
}

QToolButton* MainToolBar::segment(const QString& id, const char* place)
{
    auto* button = new QToolButton;
    button->setProperty("segment", QString::fromLatin1(place));
    button->setDefaultAction(m_registry.action(id));
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAccessibleName(ActionRegistry::plainText(*button->defaultAction()));
    connect(button->defaultAction(), &QAction::toggled, this, &MainToolBar::fitLabels);
    m_segments.push_back(button);
    return button;
}

/// A button that follows a command: text when there is room, else its icon.
QPushButton* MainToolBar::labelled(const QString& id)
{
    QAction* action = m_registry.action(id);
    auto* button = new QPushButton;
    button->setCheckable(action->isCheckable());
    button->setAccessibleName(ActionRegistry::plainText(*action));
    button->setToolTip(QStringLiteral("%1 (%2)").arg(ActionRegistry::plainText(*action), action->shortcut().toString(QKeySequence::NativeText)));
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    const auto follow = [button, action] {
        button->setEnabled(action->isEnabled());
        if (action->isCheckable())
            button->setChecked(action->isChecked());
    };
    connect(action, &QAction::changed, button, follow);
    follow();
    return button;
}

void MainToolBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFixedHeight(theme.scaled(44));
    m_bar->setMinimumWidth(1); // Else the tool bar takes all of it away where it is too narrow for large text.
    m_bar->setFixedHeight(theme.scaled(44)); // The tool bar itself takes the height of its content once a style is set again.
    const int icon16 = theme.scaled(16);
    setIconSize({theme.scaled(20), theme.scaled(20)});
    for (QToolButton* button : m_iconButtons) {
        button->setIconSize({theme.scaled(20), theme.scaled(20)});
        button->setFixedSize(theme.scaled(30), theme.scaled(30));
    }
    for (QPushButton* button : {m_pin, m_export, m_run})
        button->setIconSize({icon16, icon16});
    for (QToolButton* segment : m_segments)
        segment->setIconSize({icon16, icon16});
    m_pin->setIcon(icon("pin", theme));
    m_export->setIcon(icon("export", theme));
    for (QFrame* rule : m_rules) {
        rule->setFixedHeight(theme.scaled(24));
        rule->setStyleSheet(QStringLiteral("background: %1; border: 0;").arg(theme.color(Role::Line2).name()));
    }
    setBusy(m_busy);
    fitLabels();
}

void MainToolBar::setModel(Model model)
{
    m_model->setCurrentIndex(m_model->findData(static_cast<int>(model)));
}

void MainToolBar::setBusy(bool busy, double share)
{
    m_busy = busy;
    m_run->setText(busy ? tr("Stop") : tr("Run"));
    m_run->setIcon(icon(busy ? "stop" : "run", IconColors::onAccent(m_theme)));
    m_run->setToolTip(busy ? tr("Stop the run and keep what there is (Shift+F5)") : tr("Simulate the design (F5)"));
    m_run->setAccessibleName(m_run->text());
    m_line->setVisible(busy && share >= 0);
    if (share >= 0)
        m_line->setValue(static_cast<int>(share * 1000));
    if (busy)
        m_run->setEnabled(true);
}

void MainToolBar::setRunnable(bool runnable)
{
    m_run->setEnabled(runnable || m_busy);
}

void MainToolBar::resizeEvent(QResizeEvent* event)
{
    QToolBar::resizeEvent(event);
    placeLine();
    fitLabels();
}

void MainToolBar::placeLine()
{
    m_line->setGeometry(0, height() - 2, width(), 2);
    m_line->raise();
}

/// Words of buttons at the right only where names of workspaces have room beside them.
void MainToolBar::fitLabels()
{
    m_model->setMinimumWidth(0);
    nameSegments(Named::All);
    setLabels(width() >= m_theme.scaled(1400));
    if (!barFits())
        setLabels(false);
    fitSegments();
}

void MainToolBar::setLabels(bool labels)
{
    m_pin->setText(labels ? tr("Pin as baseline") : QString());
    m_export->setText(labels ? tr("Export report") : QString());
    m_search->setFixedWidth(m_theme.scaled(labels ? 264 : width() >= m_theme.scaled(1150) ? 220 : 120));
    m_live->setText(labels ? tr("Live: every edit re-runs") : tr("Live"));
}

/// Workspaces by their names while there is room, else by icons; the one on show keeps its name as long as it can. The search, the versions of the models and the
/// room beside the names give way before they do.
void MainToolBar::fitSegments()
{
    const int usual = m_search->minimumWidth();
    const int little = std::min(usual, m_theme.scaled(120));
    const int sign = m_theme.scaled(40); // The search's is still there.
    struct Way {
        Named named;
        bool versions;
        int search;
    };
    for (const Way& way : {Way{Named::All, true, usual}, {Named::All, true, little}, {Named::Close, false, usual}, {Named::Close, false, little}, {Named::Close, false, sign}, {Named::Shown, true, usual}, {Named::Shown, true, sign},
                           {Named::Shown, false, sign}, {Named::None, true, sign}, {Named::None, false, sign}}) {
        nameSegments(way.named);
        nameModels(*m_model, way.versions);
        m_search->setFixedWidth(way.search);
        if (barFits())
            return;
    }
    m_model->setMinimumWidth(m_theme.scaled(72)); // Its name comes before the version of its rules.
}

bool MainToolBar::barFits()
{
    m_workspaces->invalidate(); // It does not hear of new sizes by itself before it is laid out.
    m_bar->layout()->invalidate();
    return m_bar->layout()->minimumSize().width() + m_theme.scaled(8) <= width(); // "Stop" is longer than "Run".
}

void MainToolBar::nameSegments(Named named)
{
    for (QToolButton* segment : m_segments) {
        const bool hasName = named == Named::All || named == Named::Close || (named == Named::Shown && segment->isChecked());
        const bool close = named == Named::Close;
        if (segment->property("bare").toBool() == hasName || segment->property("close").toBool() != close) {
            segment->setProperty("bare", !hasName);
            segment->setProperty("close", close);
            segment->style()->unpolish(segment);
            segment->style()->polish(segment);
        }
        segment->setToolButtonStyle(hasName ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
        // The name of the one on show is bold, which its size hint does not know.
        const QString name = segment->text();
        const int bold = hasName && segment->isChecked() ? boldExtra(segment->font(), name) : 0;
        segment->setFixedWidth(segment->sizeHint().width() + bold);
    }
}

} // namespace fabricscope
