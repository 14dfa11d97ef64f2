// The Qt style of a theme: palette and style sheet over Fusion.
#include "widgets/base/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QStyleFactory>

#include <algorithm>

static void initStyleResources() // a static library's resources are not found otherwise; the macro wants to stand outside namespaces
{
    Q_INIT_RESOURCE(style);
}

namespace fabricscope {

namespace {

// Tokens are written @role; every rule is flat: hairlines instead of boxes, one accent.
const char* const kSheet = R"(
* { outline: 0; }
QMainWindow, QDialog { background: @window; }
QMainWindow::separator { background: @line2; width: 1px; height: 1px; }
QSplitter::handle { background: @window; }
QSplitter::handle:vertical { height: 6px; }
QSplitter::handle:horizontal { width: 6px; }
QWidget[surface="panel"], QDockWidget > QWidget, QToolBar, QMenuBar, QStatusBar { background: @panel; }
QMenuBar { padding: 2px 4px; border-bottom: 0; }
QMenuBar::item { padding: 3px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @raised; border: 1px solid @line2; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @sel; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QToolBar { border: 0; border-bottom: 1px solid @line2; spacing: 0; padding: 0; }
QToolBar::separator { width: 1px; background: @line2; margin: 8px 4px; }
QStatusBar { border-top: 1px solid @line2; color: @text2; font-size: @hintpx; }
QStatusBar::item { border: 0; }
QToolTip { background: @raised; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 6px 8px; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget::title { background: @panel; padding: 8px 12px; border-bottom: 1px solid @line; }

QPushButton, QToolButton { background: @view; border: 1px solid @line2; border-radius: 4px; padding: 0 10px; min-height: 26px; icon-size: @iconpx; }
QToolButton { padding: 0 4px; }
QToolButton[flat="true"] { background: transparent; border: 1px solid transparent; min-width: 18px; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @sel; border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @disabled; }
QPushButton[primary="true"] { background: @accent; color: @onaccent; border: 1px solid @accent; font-weight: 600; padding: 0 14px; }
QPushButton[primary="true"]:hover { background: @accenthover; border-color: @accenthover; }
QPushButton[primary="true"]:disabled { background: @pressed; border-color: @pressed; color: @disabled; }
QPushButton[link="true"] { background: transparent; border: 0; color: @accent; padding: 0 4px; }
QToolButton[segment="true"] { border-radius: 0; border-left-width: 0; padding: 0 12px; background: @view; }
QToolButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; padding: 0 12px; }
QToolButton[segment="last"] { border-top-left-radius: 0; border-bottom-left-radius: 0; border-left-width: 0; padding: 0 12px; }
QToolButton[bare="true"] { padding: 0 4px; }
QToolButton[close="true"] { padding: 0 8px; }
QToolButton[segment="true"]:checked, QToolButton[segment="first"]:checked, QToolButton[segment="last"]:checked {
    background: @sel; border-color: @line2; font-weight: 600; }
QPushButton:focus, QToolButton:focus, QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus, QTextEdit:focus, QPlainTextEdit:focus {
    border: 2px solid @accent; }

QLineEdit, QComboBox, QAbstractSpinBox, QTextEdit, QPlainTextEdit {
    background: @view; border: 1px solid @line2; border-radius: 4px; min-height: 26px; padding: 0 6px; selection-background-color: @sel;
    selection-color: @text; }
QLineEdit[state="error"], QComboBox[state="error"], QAbstractSpinBox[state="error"] { border: 1px solid @err; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { color: @disabled; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(:/style/chevron-@mode.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @line2; selection-background-color: @sel; selection-color: @text; }

QCheckBox::indicator:unchecked { background: @view; border: 1px solid @outline; border-radius: 2px; }
QCheckBox::indicator:unchecked:focus { border-color: @accent; }
QCheckBox::indicator:unchecked:disabled { border-color: @line2; }
QCheckBox::indicator:checked { background: @accent; border: 1px solid @accent; border-radius: 2px; image: url(:/style/check-@mode.svg); }
QCheckBox::indicator:checked:focus { border-color: @text; }
QCheckBox::indicator:checked:disabled { background: @disabled; border-color: @disabled; }

QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: @line2; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 10px; height: 10px; margin: -5px 0; border-radius: 7px; border: 2px solid @accent; background: @view; }

QTabBar { background: @panel; }
QTabBar::tab { background: @panel; color: @text2; padding: 6px 12px; border: 0; border-top: 2px solid transparent; }
QTabBar::tab:selected { background: @view; color: @text; border-top-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabWidget::pane { border: 0; border-top: 1px solid @line; }

QTableView, QTreeView, QListView { background: @view; border: 0; gridline-color: transparent; selection-background-color: @sel;
    selection-color: @text; alternate-background-color: @stripe; }
QTableView::item, QTreeView::item, QListView::item { border: 0; padding: 0 6px; }
QTableView::item:hover, QTreeView::item:hover, QListView::item:hover { background: @hover; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @sel; color: @text; }
QTableView::item:selected:!active, QTreeView::item:selected:!active, QListView::item:selected:!active { background: @hover; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @text3; border: 0; border-bottom: 1px solid @line; padding: 0 6px; min-height: 24px; }

QScrollBar:vertical { width: 10px; background: transparent; margin: 0; }
QScrollBar:horizontal { height: 10px; background: transparent; margin: 0; }
QScrollBar::handle { background: @line2; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @outline; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QLabel[role="section"] { color: @text2; font-weight: 600; font-size: @hintpx; }
QLabel[role="hint"] { color: @text3; font-size: @hintpx; }
QLabel[role="secondary"] { color: @text2; }
QLabel[chip="ok"] { background: @okbg; color: @ok; border-radius: @chippx; padding: 1px 8px; font-weight: 600; font-size: @hintpx; }
QLabel[chip="warn"] { background: @warnbg; color: @warn; border-radius: @chippx; padding: 1px 8px; font-weight: 600; font-size: @hintpx; }
QLabel[chip="err"] { background: @errbg; color: @err; border-radius: @chippx; padding: 1px 8px; font-weight: 600; font-size: @hintpx; }
QLabel[chip="info"] { background: @infobg; color: @accent; border-radius: @chippx; padding: 1px 8px; font-weight: 600; font-size: @hintpx; }
QFrame[banner="warn"] { background: @warnbg; }
QFrame[banner="err"] { background: @errbg; }
QFrame[banner="info"] { background: @infobg; }
QFrame[rule="true"] { background: @line; max-height: 1px; min-height: 1px; border: 0; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QProgressBar { border: 0; background: @line; max-height: 2px; }
QProgressBar::chunk { background: @accent; }
)";

/// Half of a line, so less than half of a chip with its padding: Qt draws square corners where a radius is more than half the height.
int chipRadius(QFont line)
{
    line.setWeight(QFont::DemiBold);
    return QFontMetrics(line).height() / 2;
}

} // namespace

QPalette Theme::palette() const
{
    QPalette palette;
    palette.setColor(QPalette::Window, color(Role::Panel));
    palette.setColor(QPalette::WindowText, color(Role::Text));
    palette.setColor(QPalette::Base, color(Role::View));
    palette.setColor(QPalette::AlternateBase, color(Role::Stripe));
    palette.setColor(QPalette::Text, color(Role::Text));
    palette.setColor(QPalette::PlaceholderText, color(Role::Text3));
    palette.setColor(QPalette::Button, color(Role::Panel));
    palette.setColor(QPalette::ButtonText, color(Role::Text));
    palette.setColor(QPalette::BrightText, color(Role::Err));
    palette.setColor(QPalette::ToolTipBase, color(Role::Raised));
    palette.setColor(QPalette::ToolTipText, color(Role::Text));
    palette.setColor(QPalette::Highlight, color(Role::Sel));
    palette.setColor(QPalette::HighlightedText, color(Role::Text));
    palette.setColor(QPalette::Link, color(Role::Accent));
    palette.setColor(QPalette::LinkVisited, color(Role::Accent));
    palette.setColor(QPalette::Light, color(Role::Raised));
    palette.setColor(QPalette::Midlight, color(Role::Hover));
    palette.setColor(QPalette::Mid, color(Role::Line2));
    palette.setColor(QPalette::Dark, color(Role::Outline));
    palette.setColor(QPalette::Shadow, color(Role::Line2));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(Role::Disabled));
    return palette;
}

QString Theme::styleSheet() const
{
    struct Token {
        const char* name;
        QColor color;
    };
    // Longer names first where one is the beginning of another.
    const Token tokens[] = {
        {"@accenthover", mix(color(Role::Accent), color(Role::Text), 0.12)},
        {"@onaccent", color(Role::OnAccent)}, {"@accent", color(Role::Accent)}, {"@window", color(Role::Window)},
        {"@panel", color(Role::Panel)}, {"@view", color(Role::View)}, {"@raised", color(Role::Raised)}, {"@hover", color(Role::Hover)},
        {"@pressed", color(Role::Pressed)}, {"@stripe", color(Role::Stripe)}, {"@sel", color(Role::Sel)}, {"@text2", color(Role::Text2)},
        {"@text3", color(Role::Text3)}, {"@text", color(Role::Text)}, {"@disabled", color(Role::Disabled)}, {"@line2", color(Role::Line2)},
        {"@line", color(Role::Line)}, {"@outline", color(Role::Outline)}, {"@okbg", color(Role::OkBg)}, {"@ok", color(Role::Ok)},
        {"@warnbg", color(Role::WarnBg)}, {"@warn", color(Role::Warn)}, {"@errbg", color(Role::ErrBg)}, {"@err", color(Role::Err)},
        {"@infobg", color(Role::InfoBg)},
    };
    QString sheet = QString::fromLatin1(kSheet);
    sheet.replace(QStringLiteral("@mode"), isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
    sheet.replace(QStringLiteral("@iconpx"), QStringLiteral("%1px").arg(scaled(16)));
    sheet.replace(QStringLiteral("@hintpx"), QStringLiteral("%1px").arg(font(TextStyle::Hint).pixelSize()));
    sheet.replace(QStringLiteral("@chippx"), QStringLiteral("%1px").arg(std::min(chipRadius(font(TextStyle::Hint)), scaled(20) / 2))); // Some are 20 px high.
    for (const Token& token : tokens)
        sheet.replace(QLatin1String(token.name), token.color.name());
    return sheet;
}

void Theme::apply(QApplication& application) const
{
    initStyleResources();
    // Each of these goes over every widget there is: only for what is new.
    constexpr const char* kApplied = "fabricscopeTheme";
    const QString key = QStringLiteral("%1 %2").arg(static_cast<int>(m_mode)).arg(m_base);
    const QVariant applied = application.property(kApplied);
    if (applied.toString() == key)
        return;
    if (!applied.isValid())
        application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setProperty(kApplied, key);
    // Exchanging one sheet for another, Qt styles every widget once for itself and once for each one it stands in: eight times on the
    // whole window. Without a sheet between, each is styled once.
    application.setStyleSheet({});
    application.setPalette(palette());
    application.setFont(font(TextStyle::Body));
    application.setStyleSheet(styleSheet());
}

} // namespace fabricscope
