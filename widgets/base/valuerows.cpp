#include "widgets/base/valuerows.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/inked.h"
#include "widgets/base/partsbar.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>

#include <algorithm>

namespace fabricscope {

ValueRows::ValueRows(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setColumnStretch(1, 1);
    followTheme(this, &ValueRows::setTheme);
}

QPixmap ValueRows::swatch(const Theme& theme, Activity activity, bool hatched, double ratio)
{
    const int size = theme.scaled(10);
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    PartsBar::paintPart(painter, QRectF(0, 0, size, size), theme, activity, hatched);
    return pixmap;
}

void ValueRows::setRows(std::vector<ValueRow> rows)
{
    if (rows == m_rows)
        return;
    m_rows = std::move(rows);
    rebuild();
}

void ValueRows::setTheme(const Theme& theme)
{
    m_theme = theme;
    rebuild();
}

void ValueRows::rebuild()
{
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    m_grid->setHorizontalSpacing(m_theme.scaled(8));
    m_grid->setVerticalSpacing(0);
    int line = 0;
    const auto label = [this](const QString& text, TextStyle style, Role role, Qt::Alignment alignment) {
        auto* widget = new QLabel(text, this);
        widget->setTextFormat(Qt::PlainText);
        ink(*widget, m_theme, style, role);
        widget->setAlignment(alignment);
        return widget;
    };
    const bool extras = std::any_of(m_rows.begin(), m_rows.end(), [](const ValueRow& row) { return !row.extra.isEmpty(); });
    const bool swatches = std::any_of(m_rows.begin(), m_rows.end(), [](const ValueRow& row) { return row.swatch.has_value(); });
    for (const ValueRow& row : m_rows) {
        if (row.strong) {
            auto* rule = new QFrame(this);
            rule->setProperty("rule", true);
            m_grid->addWidget(rule, line++, 0, 1, extras ? 4 : 3);
        }
        if (row.swatch) {
            auto* square = new QLabel(this);
            square->setPixmap(swatch(m_theme, *row.swatch, row.hatched, devicePixelRatioF()));
            square->setAccessibleName(row.label);
            m_grid->addWidget(square, line, 0);
        }
        qsizetype inset = 0; // Blanks would stand before the first of several lines only.
        while (inset < row.label.size() && row.label[inset] == QLatin1Char(' '))
            ++inset;
        QLabel* name = label(row.label.mid(inset), row.strong ? TextStyle::BodyStrong : TextStyle::Table, row.strong ? Role::Text : Role::Text2, Qt::AlignLeft | Qt::AlignVCenter);
        name->setWordWrap(true);
        name->setMinimumHeight(m_theme.scaled(22));
        name->setContentsMargins(static_cast<int>(inset) * name->fontMetrics().horizontalAdvance(QLatin1Char(' ')), 0, 0, 0);
        const bool fromLeft = !swatches || !row.swatch;
        m_grid->addWidget(name, line, fromLeft ? 0 : 1, 1, fromLeft ? 2 : 1);
        QLabel* value = label(row.value, row.strong ? TextStyle::BodyStrong : TextStyle::Table, Role::Text, Qt::AlignRight | Qt::AlignVCenter);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setFocusPolicy(Qt::NoFocus);
        value->setAccessibleName(row.label + QLatin1Char(' ') + row.value);
        if (row.value.size() > 16)
            value->setWordWrap(true);
        m_grid->addWidget(value, line, 2);
        if (!row.extra.isEmpty())
            m_grid->addWidget(label(row.extra, TextStyle::Hint, Role::Text3, Qt::AlignRight | Qt::AlignVCenter), line, 3);
        ++line;
    }
    updateGeometry();
}

} // namespace fabricscope
