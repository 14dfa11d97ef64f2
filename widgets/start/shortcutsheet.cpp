#include "widgets/start/shortcutsheet.h"

#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

QString keysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& shortcut : action.shortcuts())
        keys += shortcut.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

} // namespace

ShortcutSheet::ShortcutSheet(const ActionRegistry& registry, QWidget* parent)
    : QDialog(parent)
    , m_registry(registry)
    , m_scroll(new QScrollArea(this))
{
    setWindowTitle(tr("Keyboard shortcuts"));
    setAccessibleName(windowTitle());
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("List of shortcuts"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    followTheme(this, &ShortcutSheet::setTheme);
}

void ShortcutSheet::setTheme(const Theme& theme)
{
    m_theme = theme;
    build();
}

void ShortcutSheet::build()
{
    m_rows = 0;
    auto* sheet = new QWidget;
    QPalette palette = m_theme.palette();
    palette.setColor(QPalette::Window, m_theme.color(Role::Panel));
    sheet->setPalette(palette);
    sheet->setAutoFillBackground(true);
    auto* columns = new QHBoxLayout(sheet);
    const int gap = m_theme.scaled(12);
    columns->setContentsMargins(2 * gap, 2 * gap, 2 * gap, 2 * gap);
    columns->setSpacing(3 * gap);

    // Groups go one after the other into two columns of about equal length.
    const int half = (m_registry.count() + 2 * static_cast<int>(m_registry.menus().size())) / 2;
    QGridLayout* grid = nullptr;
    int used = 0;
    int row = 0;
    const auto startColumn = [&] {
        auto* column = new QVBoxLayout;
        grid = new QGridLayout;
        grid->setHorizontalSpacing(2 * gap);
        grid->setVerticalSpacing(m_theme.scaled(6));
        grid->setColumnStretch(0, 1);
        column->addLayout(grid);
        column->addStretch();
        columns->addLayout(column, 1);
        row = 0;
    };
    startColumn();
    const auto label = [&](const QString& text, TextStyle style, Role role) {
        auto* made = new QLabel(text, sheet);
        made->setTextFormat(Qt::PlainText);
        made->setFont(m_theme.font(style));
        QPalette own = palette;
        own.setColor(QPalette::WindowText, m_theme.color(role));
        made->setPalette(own);
        return made;
    };
    for (const QString& menu : m_registry.menus()) {
        const std::vector<QAction*> actions = m_registry.inMenu(menu);
        if (used > 0 && used < half && used + static_cast<int>(actions.size()) / 2 >= half) {
            startColumn();
            used = half;
        }
        if (row > 0)
            grid->setRowMinimumHeight(row++, gap);
        grid->addWidget(label(menu, TextStyle::Section, Role::Text2), row++, 0, 1, 2);
        for (const QAction* action : actions) {
            grid->addWidget(label(ActionRegistry::plainText(*action), TextStyle::Body, Role::Text), row, 0);
            QLabel* keys = label(keysOf(*action), TextStyle::Table, Role::Text2);
            keys->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid->addWidget(keys, row++, 1);
            ++m_rows;
        }
        used += static_cast<int>(actions.size()) + 2;
    }
    m_scroll->setWidget(sheet);
    const QSize wanted = sheet->sizeHint();
    resize(wanted.width() + m_scroll->verticalScrollBar()->sizeHint().width(), std::min(wanted.height(), m_theme.scaled(640)));
}

} // namespace fabricscope
