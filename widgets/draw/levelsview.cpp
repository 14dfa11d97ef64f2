#include "widgets/draw/levelsview.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kMostBoxes = 24; ///< Switches or parts that are drawn; of more the number says how many.

} // namespace

LevelsView::LevelsView(QWidget* parent)
    : QWidget(parent), m_told(new QLabel(this)), m_add(new QPushButton(tr("Level above"), this)), m_remove(new QPushButton(tr("Remove highest level"), this))
{
    setAccessibleName(tr("Levels of the fabric"));
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_told->setObjectName(QStringLiteral("levelsTold"));
    m_told->setTextFormat(Qt::PlainText);
    m_add->setToolTip(tr("Switches that join two of what there is (U)"));
    connect(m_add, &QPushButton::clicked, this, &LevelsView::addLevel);
    connect(m_remove, &QPushButton::clicked, this, [this] { edit(tr("remove highest level"), [](YamlDocument& yaml) { return edits::removeLevel(yaml); }); });
    followTheme(this, &LevelsView::setTheme);
}

void LevelsView::setTheme(const Theme& theme)
{
    m_theme = theme;
    arrange();
    update();
}

void LevelsView::setDocument(DesignDocument* document)
{
    m_document = document;
    connect(document, &DesignDocument::replaced, this, [this] { m_levels.reset(); }); // Those of another design are none of this.
    showDesign();
}

bool LevelsView::showDesign()
{
    const YamlDocument* yaml = m_document ? m_document->yaml() : nullptr;
    if (!yaml)
        return m_levels.has_value(); // The last readable ones stay.
    std::optional<FabricLevels> now = fabricLevels(*yaml);
    if (!now && m_levels && m_document->hasErrors())
        return true;
    m_levels = std::move(now);
    if (!m_levels)
        return false;
    if (m_rows.size() != m_levels->levels.size() + 1)
        build();
    fill();
    arrange();
    update();
    return true;
}

/// Rows that stay keep their handles, and the focus.
void LevelsView::build()
{
    const auto drop = [](auto*& part) {
        if (!part)
            return;
        part->hide();
        part->setParent(nullptr);
        part->deleteLater(); // It may be what is being pressed.
        part = nullptr;
    };
    const std::size_t count = m_levels->levels.size() + 1;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (i + 1 >= count) {
            drop(m_rows[i].count);
            drop(m_rows[i].ports);
        }
        if (i >= count) {
            drop(m_rows[i].name);
            drop(m_rows[i].figures);
        }
    }
    m_rows.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Row& row = m_rows[i];
        if (!row.name) {
            row.name = new QLabel(this);
            row.figures = new QLabel(this);
            row.name->setProperty("role", QStringLiteral("section"));
            row.figures->setProperty("role", QStringLiteral("hint"));
            for (QLabel* label : {row.name, row.figures})
                label->setTextFormat(Qt::PlainText);
        }
        if (i + 1 < count && !row.count) {
            row.count = new CountHandle(this);
            row.count->installEventFilter(this);
            const auto change = [i](qint64 value) { return [i, value](YamlDocument& yaml) { return edits::setLevelCount(yaml, i, value); }; };
            connect(row.count, &LevelHandle::previewed, this, [this, change](qint64 value) { preview(change(value)); });
            connect(row.count, &LevelHandle::chosen, this, [this, change, i](qint64 value) {
                edit(tr("%1 × %2").arg(m_rows[i].name->text()).arg(value), change(value));
            });
        }
        if (i > 0 && i + 1 < count && !row.ports) {
            row.ports = new PortsHandle(this);
            row.ports->installEventFilter(this);
            const auto change = [ports = row.ports, i](qint64 up) { return [ratio = ports->ratio(up), i](YamlDocument& yaml) { return edits::setOversubscription(yaml, i - 1, ratio); }; };
            connect(row.ports, &LevelHandle::previewed, this, [this, change](qint64 up) { preview(change(up)); });
            connect(row.ports, &LevelHandle::chosen, this, [this, change, ports = row.ports](qint64 up) {
                const Ratio ratio = ports->ratio(up);
                edit(tr("oversubscription %1:%2").arg(ratio.down).arg(ratio.up), change(up));
            });
        }
        for (QWidget* part : std::initializer_list<QWidget*>{row.name, row.figures, row.count, row.ports}) {
            if (part)
                part->show();
        }
    }
    // From above down, as it is read.
    QWidget* before = m_add;
    setTabOrder(before, m_remove);
    before = m_remove;
    for (std::size_t i = m_rows.size(); i-- > 0;) {
        for (QWidget* part : std::initializer_list<QWidget*>{m_rows[i].ports, m_rows[i].count}) {
            if (part) {
                setTabOrder(before, part);
                before = part;
            }
        }
    }
}

bool LevelsView::eventFilter(QObject* watched, QEvent* event)
{
    for (std::size_t i = 0; event->type() == QEvent::FocusIn && i < m_rows.size(); ++i) {
        if (watched == m_rows[i].count || watched == m_rows[i].ports)
            emit levelFocused(i);
    }
    return QWidget::eventFilter(watched, event);
}

void LevelsView::focusLevel(std::size_t row)
{
    if (row >= m_rows.size())
        return;
    if (QWidget* handle = m_rows[row].count ? static_cast<QWidget*>(m_rows[row].count) : m_rows[row].ports)
        handle->setFocus(Qt::ShortcutFocusReason);
}

void LevelsView::fill()
{
    const FabricLevels& fabric = *m_levels;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        if (i == 0) {
            const std::int64_t each = fabric.npus / std::max<std::int64_t>(fabric.parts, 1);
            row.name->setText(QString::fromStdString(fabric.part));
            row.figures->setText(each == 1 ? texts::npus(fabric.npus) : tr("%1, %2 NPUs each").arg(texts::count(fabric.parts)).arg(each));
        } else {
            const FabricLevels::Level& level = fabric.levels[i - 1];
            row.name->setText(QString::fromStdString(level.name));
            const QString switches = texts::switches(level.switches);
            row.figures->setText(level.radix > 0 ? tr("%1, %2 ports").arg(switches).arg(level.radix) : switches);
        }
        if (row.count) {
            const std::int64_t count = fabric.levels[i].count;
            row.count->setValue(count);
            row.count->setAccessibleName(tr("%1 below each unit of %2").arg(row.name->text(), QString::fromStdString(fabric.levels[i].name)));
            row.count->setAccessibleDescription(tr("%1, %2 in all").arg(count).arg(texts::npus(fabric.npus)));
            row.count->setToolTip(tr("How many one unit of %1 joins: drag, or arrows").arg(QString::fromStdString(fabric.levels[i].name)));
        }
        if (row.ports) {
            const FabricLevels::Level& level = fabric.levels[i - 1];
            row.ports->setPorts(level.down, level.up, level.radix);
            row.ports->setAccessibleName(tr("Ports up of %1").arg(row.name->text()));
            row.ports->setAccessibleDescription(tr("%1 down, %2 up").arg(level.down).arg(level.up));
            row.ports->setToolTip(tr("Ports down and up: drag the divider, or arrows"));
        }
    }
    m_remove->setEnabled(fabric.levels.size() > 1);
    m_told->hide();
}

void LevelsView::arrange()
{
    const int margin = m_theme.scaled(12);
    m_add->adjustSize();
    m_remove->adjustSize();
    m_add->move(margin, margin);
    m_remove->move(margin + m_add->width() + m_theme.scaled(8), margin);
    const double first = margin * 2 + m_add->height();
    const double room = std::max(height() - first - margin, 1.0);
    const double pitch = std::min<double>(room / static_cast<double>(std::max<std::size_t>(m_rows.size(), 1)), m_theme.scaled(132));
    const int side = m_theme.scaled(150);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[m_rows.size() - 1 - i];
        row.top = first + pitch * static_cast<double>(i);
        row.height = std::min<double>(pitch - m_theme.scaled(8), m_theme.scaled(104));
        row.name->adjustSize();
        row.figures->adjustSize();
        row.name->move(margin, static_cast<int>(row.top) + m_theme.scaled(6));
        row.figures->move(margin, static_cast<int>(row.top) + m_theme.scaled(6) + row.name->height());
        if (row.count) {
            row.count->resize(row.count->sizeHint());
            row.count->move(width() - margin - m_theme.scaled(8) - row.count->width(), static_cast<int>(row.top) + m_theme.scaled(6));
        }
        if (row.ports) {
            row.ports->setRoom(width() - 2 * margin - side);
            row.ports->resize(row.ports->sizeHint());
            row.ports->move(margin + side, static_cast<int>(row.top + row.height) - row.ports->height() - m_theme.scaled(2));
            row.ports->setWordRoom(row.count && row.count->geometry().bottom() >= row.ports->y() ? row.count->x() - row.ports->x() : row.ports->width()); // Level with the count.
        }
    }
    m_told->adjustSize();
    m_told->move(width() - margin - m_told->width(), margin);
}

void LevelsView::addLevel()
{
    edit(tr("level above"), [](YamlDocument& yaml) { return edits::addLevel(yaml); });
}

void LevelsView::takeFocus()
{
    for (std::size_t i = m_rows.size(); i-- > 0;) {
        if (m_rows[i].count) {
            m_rows[i].count->setFocus();
            return;
        }
    }
}

void LevelsView::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() == Qt::NoModifier && event->key() == Qt::Key_U)
        addLevel();
    else if (event->key() == Qt::Key_Slash)
        emit lineRequested();
    else
        QWidget::keyPressEvent(event);
}

void LevelsView::resizeEvent(QResizeEvent*)
{
    arrange();
}

void LevelsView::edit(const QString& title, const std::function<Status(YamlDocument&)>& change)
{
    if (!m_document)
        return;
    if (const Status status = m_document->edit(title, change); !status)
        emit refused(DesignActions::errorText(status.error()));
}

/// What the design would be, told while something is dragged; why it cannot be so.
void LevelsView::preview(const std::function<Status(YamlDocument&)>& change)
{
    const YamlDocument* yaml = m_document ? m_document->yaml() : nullptr;
    const bool dragging = std::ranges::any_of(m_rows, [](const Row& row) { return (row.count && row.count->isDragging()) || (row.ports && row.ports->isDragging()); });
    m_told->setVisible(yaml && dragging && m_levels);
    if (!yaml || !dragging || !m_levels)
        return;
    YamlDocument edited = *yaml;
    const Status status = change(edited);
    const std::optional<FabricLevels> would = status ? fabricLevels(edited) : std::nullopt;
    if (would) {
        std::int64_t switches = 0;
        for (const FabricLevels::Level& level : would->levels)
            switches += level.switches;
        m_told->setText(QStringLiteral("%1 → %2, %3").arg(texts::count(m_levels->npus), texts::npus(would->npus), texts::switches(switches)));
    } else {
        m_told->setText(status ? QString() : DesignActions::errorText(status.error()));
    }
    arrange();
}

void LevelsView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_levels)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    const int margin = m_theme.scaled(12);
    const double left = margin + m_theme.scaled(150);
    const double right = width() - margin;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const QRectF frame(left, row.top, right - left, row.height);
        painter.setPen(QPen(m_theme.color(Role::Line2), 1));
        painter.setBrush(m_theme.color(Role::Stripe));
        painter.drawRoundedRect(frame, 6, 6);
        if (i + 1 < m_rows.size()) { // What joins it to the level above.
            painter.setPen(QPen(m_theme.color(Role::Outline), 1));
            for (int line = -3; line <= 3; ++line)
                painter.drawLine(QPointF(frame.center().x() + line * 4, frame.top()), QPointF(frame.center().x() + line * 4, m_rows[i + 1].top + m_rows[i + 1].height));
        }
        if (row.ports && row.ports->geometry().top() < frame.top() + m_theme.scaled(28))
            continue; // No room for both; the number stands at the left.
        const std::int64_t count = i == 0 ? m_levels->parts : m_levels->levels[i - 1].switches;
        const double side = m_theme.scaled(18);
        const double pitch = side + m_theme.scaled(6);
        const auto fits = static_cast<std::int64_t>(std::max((frame.width() - m_theme.scaled(180)) / pitch, 1.0));
        const std::int64_t shown = std::min({count, fits, std::int64_t{kMostBoxes}});
        for (std::int64_t k = 0; k < shown; ++k) {
            const QRectF box(frame.left() + m_theme.scaled(10) + pitch * static_cast<double>(k), frame.top() + m_theme.scaled(8), side, side);
            painter.setPen(i == 0 ? QPen(Qt::NoPen) : QPen(m_theme.color(Role::Outline), 1.5));
            painter.setBrush(i == 0 ? m_theme.activity(Activity::Compute) : m_theme.color(Role::View));
            painter.drawRoundedRect(box, 3, 3);
        }
        if (shown < count) {
            painter.setFont(m_theme.font(TextStyle::Label));
            painter.setPen(m_theme.color(Role::Text2));
            painter.drawText(QRectF(frame.left() + m_theme.scaled(10) + pitch * static_cast<double>(shown), frame.top() + m_theme.scaled(8), m_theme.scaled(80), side), Qt::AlignLeft | Qt::AlignVCenter,
                             tr("%1 in all").arg(texts::count(count)));
        }
    }
}

} // namespace fabricscope
