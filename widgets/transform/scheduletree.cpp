#include "widgets/transform/scheduletree.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTimer>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kBoxWide = 88;
constexpr double kBoxTall = 24;
constexpr double kColumnWide = 132;
constexpr double kRowTall = 46;
constexpr double kTreeMargin = 16;

} // namespace

TreePlaces::TreePlaces(const transform::StepSearch& search)
{
    const std::size_t count = search.programs.size();
    std::vector<bool> best(count, false);
    if (count == 0)
        return;
    for (auto number = static_cast<std::int64_t>(search.best); number >= 0; number = search.programs[at(number)].parent)
        best[at(number)] = true;
    std::vector<std::vector<std::size_t>> children(count);
    std::vector<std::size_t> below(count, 0);
    for (std::size_t i = count; i-- > 1;) {
        const std::size_t parent = at(search.programs[i].parent);
        children[parent].insert(children[parent].begin(), i);
        below[parent] += below[i] + 1;
    }
    // Children of the best way first, so that it runs along the top.
    for (std::vector<std::size_t>& list : children)
        std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    const bool cut = count > kMostBoxes;
    struct Open {
        std::size_t program;
        int parent;
        int column;
    };
    std::vector<Open> open{{0, -1, 0}};
    while (!open.empty() && m_boxes.size() < 4 * kMostBoxes) {
        const Open next = open.back();
        open.pop_back();
        const int number = static_cast<int>(m_boxes.size());
        Box box{next.program, next.column, 0, next.parent, bool(best[next.program]), 0};
        m_columns = std::max(m_columns, next.column + 1);
        if (cut && !box.best) {
            box.hidden = below[next.program];
        } else {
            const std::vector<std::size_t>& list = children[next.program];
            for (std::size_t i = list.size(); i-- > 0;)
                open.push_back({list[i], number, next.column + 1});
        }
        m_boxes.push_back(box);
    }
    // Leaves one below the other; those behind their parents in the list, so parents last.
    std::vector<double> sum(m_boxes.size(), 0);
    std::vector<int> kids(m_boxes.size(), 0);
    for (Box& box : m_boxes) {
        if (box.parent >= 0)
            ++kids[at(box.parent)];
    }
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        if (kids[i] == 0)
            m_boxes[i].row = m_rows++;
    }
    for (std::size_t i = m_boxes.size(); i-- > 0;) {
        if (kids[i] > 0)
            m_boxes[i].row = sum[i] / kids[i];
        if (m_boxes[i].parent >= 0)
            sum[at(m_boxes[i].parent)] += m_boxes[i].row;
    }
}

int TreePlaces::boxOf(std::size_t program) const
{
    const auto found = std::find_if(m_boxes.begin(), m_boxes.end(), [&](const Box& box) { return box.program == program; });
    return found == m_boxes.end() ? -1 : static_cast<int>(found - m_boxes.begin());
}

ScheduleTree::ScheduleTree(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Schedules tried"));
    followTheme(this, &ScheduleTree::setTheme);
}

void ScheduleTree::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void ScheduleTree::setSearch(std::shared_ptr<const transform::StepSearch> search, const QString& why)
{
    const int current = m_current >= 0 ? static_cast<int>(m_places.boxes()[at(m_current)].program) : -1;
    m_search = std::move(search);
    m_why = why;
    m_places = m_search ? TreePlaces(*m_search) : TreePlaces();
    m_current = current >= 0 ? m_places.boxOf(at(current)) : -1;
    updateGeometry();
    update();
}

void ScheduleTree::setShown(int program)
{
    m_shown = program;
    update();
}

void ScheduleTree::setCurrent(int box)
{
    if (box < 0 || box >= static_cast<int>(m_places.boxes().size()))
        return;
    m_current = box;
    setAccessibleDescription(boxText(box));
    update();
    tellPlace();
    emit programCurrent(static_cast<int>(m_places.boxes()[at(box)].program));
}

void ScheduleTree::tellPlace()
{
    if (m_current >= 0)
        emit placeChanged(boxRect(m_current).toAlignedRect().adjusted(-40, -10, 40, 30));
}

/// The area around it knows how far it scrolls only after this.
void ScheduleTree::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    QTimer::singleShot(0, this, &ScheduleTree::tellPlace);
}

QRectF ScheduleTree::boxRect(int box) const
{
    const TreePlaces::Box& place = m_places.boxes()[at(box)];
    return {m_theme.scaled(kTreeMargin) + place.column * static_cast<double>(m_theme.scaled(kColumnWide)), m_theme.scaled(kTreeMargin) + place.row * m_theme.scaled(kRowTall), static_cast<double>(m_theme.scaled(kBoxWide)),
            static_cast<double>(m_theme.scaled(kBoxTall))};
}

QSize ScheduleTree::sizeHint() const
{
    return {m_theme.scaled(2 * kTreeMargin + std::max(m_places.columns(), 1) * kColumnWide), m_theme.scaled(2 * kTreeMargin + std::max(m_places.rows(), 2) * kRowTall)};
}

QSize ScheduleTree::minimumSizeHint() const
{
    return m_search ? sizeHint() : QSize(m_theme.scaled(200), m_theme.scaled(80));
}

int ScheduleTree::boxAt(QPointF place) const
{
    for (int box = 0; box < static_cast<int>(m_places.boxes().size()); ++box) {
        if (boxRect(box).adjusted(-4, -4, 4, m_theme.scaled(18)).contains(place))
            return box;
    }
    return -1;
}

/// Left to the parent, Right to the first child, Up and Down within the column.
int ScheduleTree::neighbour(int key) const
{
    const auto& boxes = m_places.boxes();
    if (m_current < 0)
        return boxes.empty() ? -1 : 0;
    const TreePlaces::Box& now = boxes[at(m_current)];
    if (key == Qt::Key_Left)
        return now.parent;
    int found = -1;
    for (int box = 0; box < static_cast<int>(boxes.size()); ++box) {
        const TreePlaces::Box& other = boxes[at(box)];
        if (key == Qt::Key_Right) {
            if (other.parent == m_current)
                return box;
            continue;
        }
        const double distance = (other.row - now.row) * (key == Qt::Key_Up ? -1 : 1);
        if (other.column != now.column || distance <= 0)
            continue;
        if (found < 0 || std::abs(other.row - now.row) < std::abs(boxes[at(found)].row - now.row))
            found = box;
    }
    return found;
}

void ScheduleTree::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (event->modifiers() == Qt::NoModifier)
            return setCurrent(neighbour(event->key()));
        break;
    case Qt::Key_Home:
        if (m_search)
            return setCurrent(m_places.boxOf(m_search->best));
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            emit programChosen(static_cast<int>(m_places.boxes()[at(m_current)].program));
        return;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void ScheduleTree::mousePressEvent(QMouseEvent* event)
{
    setCurrent(boxAt(event->position()));
}

void ScheduleTree::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int box = boxAt(event->position()); box >= 0)
        emit programChosen(static_cast<int>(m_places.boxes()[at(box)].program));
}

QString ScheduleTree::boxText(int box) const
{
    const TreePlaces::Box& place = m_places.boxes()[at(box)];
    const transform::SearchedProgram& program = m_search->programs[place.program];
    QString text = place.program == 0 ? tr("as written") : texts::shown(program.step.text());
    text += QStringLiteral("\n") + tr("%1, %2 of tensors per rank").arg(texts::time(program.time), texts::bytes(program.memory));
    if (program.parent >= 0) {
        const SimTime change = program.time - m_search->programs[at(program.parent)].time;
        text += QStringLiteral("\n") + (change.ps <= 0 ? tr("%1 shorter than before this step") : tr("%1 longer than before this step")).arg(texts::time({std::abs(change.ps)}));
    }
    if (place.hidden > 0)
        text += QStringLiteral("\n") + tr("%1 more from here").arg(texts::count(static_cast<std::int64_t>(place.hidden)));
    return text;
}

bool ScheduleTree::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_search) {
        auto* const help = static_cast<QHelpEvent*>(event);
        const int box = boxAt(help->pos());
        if (box >= 0)
            QToolTip::showText(help->globalPos(), texts::toolTip(boxText(box)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void ScheduleTree::paintLine(QPainter& painter, int box) const
{
    const TreePlaces::Box& place = m_places.boxes()[at(box)];
    if (place.parent < 0)
        return;
    const QRectF from = boxRect(place.parent);
    const QRectF to = boxRect(box);
    const QPointF a(from.right(), from.center().y());
    const QPointF b(to.left(), to.center().y());
    QPainterPath path(a);
    const double half = (b.x() - a.x()) / 2;
    path.cubicTo(a + QPointF(half, 0), b - QPointF(half, 0), b);
    painter.setPen(QPen(m_theme.color(place.best ? Role::Critical : Role::Line2), place.best ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void ScheduleTree::paintBox(QPainter& painter, int box) const
{
    const TreePlaces::Box& place = m_places.boxes()[at(box)];
    const transform::SearchedProgram& program = m_search->programs[place.program];
    const QRectF area = boxRect(box);
    const bool shown = static_cast<int>(place.program) == m_shown;
    painter.setPen(QPen(m_theme.color(place.best ? Role::Critical : Role::Outline), place.best ? 2 : 1));
    painter.setBrush(m_theme.color(shown ? Role::Sel : Role::View));
    painter.drawRoundedRect(area, 4, 4);
    painter.setFont(m_theme.font(place.best ? TextStyle::LabelStrong : TextStyle::Label));
    painter.setPen(m_theme.color(place.best || shown ? Role::Text : Role::Text2));
    painter.drawText(area, Qt::AlignCenter, texts::timeIn(program.time, m_search->programs.front().time, 3));
    painter.setFont(m_theme.font(TextStyle::Smallest));
    painter.setPen(m_theme.color(Role::Text3));
    QString label = place.program == 0 ? tr("as written") : texts::shown(program.step.text());
    if (place.hidden > 0)
        label = tr("+%1 · %2").arg(place.hidden).arg(label);
    const QRectF below(area.left() - m_theme.scaled(18), area.bottom() + 1, area.width() + m_theme.scaled(36), m_theme.scaled(16));
    painter.drawText(below, Qt::AlignCenter, QFontMetricsF(painter.font()).elidedText(label, Qt::ElideRight, below.width()));
    if (box == m_current && hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(area.adjusted(-3, -3, 3, 3), 6, 6);
    }
}

void ScheduleTree::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_search) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, m_why);
        if (hasFocus()) {
            painter.setPen(QPen(m_theme.color(Role::Accent), 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
        }
        return;
    }
    const int boxes = static_cast<int>(m_places.boxes().size());
    for (const bool best : {false, true}) {
        for (int box = 0; box < boxes; ++box) {
            if (m_places.boxes()[at(box)].best == best)
                paintLine(painter, box);
        }
    }
    for (int box = 0; box < boxes; ++box)
        paintBox(painter, box);
}

} // namespace fabricscope
