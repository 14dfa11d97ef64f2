#include "widgets/transform/rewritechart.h"

#include "core/base/index.h"
#include "core/draw/nicestep.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kAxisHeight = 24;
constexpr double kSideHead = 24;
constexpr double kLaneHeight = 26;
constexpr double kBarTall = 18;
constexpr double kSideFoot = 8;
constexpr double kFootText = 24;
constexpr double kLegendRow = 22;
constexpr double kFoot = kFootText + kLegendRow;
constexpr double kShortest = 1e-4; ///< Of the time, that can be zoomed to.

} // namespace

RewriteChart::RewriteChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    followTheme(this, &RewriteChart::setTheme);
    describe();
}

void RewriteChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void RewriteChart::setLanes(std::shared_ptr<const RewriteLanes> before, std::shared_ptr<const RewriteLanes> after, const QString& why)
{
    m_before = std::move(before);
    m_after = std::move(after);
    m_why = why;
    m_begin = 0;
    m_end = 1;
    m_side = -1;
    describe();
    updateGeometry();
    update();
}

void RewriteChart::setStage(const QString& stage)
{
    m_stage = stage;
    update();
}

SimTime RewriteChart::longest() const
{
    return std::max({m_before->total, m_after->total, SimTime{1}});
}

double RewriteChart::nameWidth() const
{
    double width = m_theme.scaled(84);
    if (m_before) {
        const QFontMetricsF metrics(m_theme.font(TextStyle::Table));
        for (const RewriteLanes* const lanes : {m_before.get(), m_after.get()}) {
            for (const RewriteLane& lane : lanes->lanes)
                width = std::max(width, metrics.horizontalAdvance(lane.name) + m_theme.scaled(24));
        }
    }
    return std::min(width, this->width() * 0.35);
}

QRectF RewriteChart::plot() const
{
    const double left = nameWidth();
    const double right = m_theme.scaled(20);
    return {left, static_cast<double>(m_theme.scaled(kAxisHeight)), std::max(1.0, width() - left - right), std::max(1.0, height() - m_theme.scaled(kAxisHeight + kFoot) * 1.0)};
}

double RewriteChart::xOf(SimTime time) const
{
    const QRectF place = plot();
    const double share = static_cast<double>(time.ps) / static_cast<double>(longest().ps);
    return place.left() + place.width() * (share - m_begin) / (m_end - m_begin);
}

double RewriteChart::sideTop(int number) const
{
    double top = m_theme.scaled(kAxisHeight);
    if (number == 1)
        top += m_theme.scaled(kSideHead + kSideFoot) + static_cast<double>(m_before->lanes.size()) * m_theme.scaled(kLaneHeight);
    return top;
}

QRectF RewriteChart::laneRect(int number, int lane) const
{
    const double height = m_theme.scaled(kLaneHeight);
    return {0, sideTop(number) + m_theme.scaled(kSideHead) + lane * height, static_cast<double>(width()), height};
}

QRectF RewriteChart::barRect(int number, int lane, int bar) const
{
    const LaneBar& what = side(number).lanes[at(lane)].bars[at(bar)];
    const double tall = m_theme.scaled(kBarTall);
    const double left = xOf(what.begin);
    return {left, laneRect(number, lane).center().y() - tall / 2, std::max(1.0, xOf(what.end) - left), tall};
}

std::vector<Activity> RewriteChart::kinds() const
{
    std::vector<Activity> found;
    if (!m_before)
        return found;
    for (const Activity kind : {Activity::Compute, Activity::Memory, Activity::AllReduce, Activity::ReduceScatter, Activity::AllGather, Activity::SendReceive, Activity::Broadcast}) {
        bool used = false;
        for (const RewriteLanes* const lanes : {m_before.get(), m_after.get()}) {
            for (const RewriteLane& lane : lanes->lanes)
                used = used || std::any_of(lane.bars.begin(), lane.bars.end(), [&](const LaneBar& bar) { return bar.activity == kind; });
        }
        if (used)
            found.push_back(kind);
    }
    return found;
}

int RewriteChart::heightForAll() const
{
    if (!m_before)
        return m_theme.scaled(120);
    const double lanes = static_cast<double>(m_before->lanes.size() + m_after->lanes.size());
    return m_theme.scaled(kAxisHeight + 2 * (kSideHead + kSideFoot) + lanes * kLaneHeight + 30 + kFoot);
}

QSize RewriteChart::sizeHint() const
{
    return {m_theme.scaled(600), heightForAll()};
}

QSize RewriteChart::minimumSizeHint() const
{
    return {m_theme.scaled(320), heightForAll()};
}

void RewriteChart::showRange(double begin, double end)
{
    const double length = std::clamp(end - begin, kShortest, 1.0);
    m_begin = std::clamp(begin, 0.0, 1.0 - length);
    m_end = m_begin + length;
    update();
}

void RewriteChart::setCurrent(int number, int lane, int bar)
{
    m_side = number;
    m_lane = lane;
    m_bar = bar;
    const LaneBar& what = side(number).lanes[at(lane)].bars[at(bar)];
    const double middle = static_cast<double>(what.begin.ps + (what.end.ps - what.begin.ps) / 2) / static_cast<double>(longest().ps);
    if (middle < m_begin || middle > m_end)
        showRange(middle - (m_end - m_begin) / 2, middle + (m_end - m_begin) / 2);
    describe();
    update();
    emit stageChosen(what.stage);
}

/// Where the arrows lead; lanes of both programs are one behind the other.
bool RewriteChart::moveCurrent(int key)
{
    if (m_side < 0) {
        for (int number : {1, 0}) {
            if (!side(number).lanes.empty()) {
                setCurrent(number, 0, 0);
                return true;
            }
        }
        return false;
    }
    const auto& bars = side(m_side).lanes[at(m_lane)].bars;
    const int last = static_cast<int>(bars.size()) - 1;
    if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End) {
        const int next = key == Qt::Key_Home ? 0 : key == Qt::Key_End ? last : m_bar + (key == Qt::Key_Left ? -1 : 1);
        setCurrent(m_side, m_lane, std::clamp(next, 0, last));
        return true;
    }
    const int before = static_cast<int>(m_before->lanes.size());
    const int lanes = before + static_cast<int>(m_after->lanes.size());
    const int next = std::clamp((m_side == 0 ? m_lane : before + m_lane) + (key == Qt::Key_Up ? -1 : 1), 0, lanes - 1);
    const int number = next < before ? 0 : 1;
    const int lane = next < before ? next : next - before;
    // What runs there at the same time.
    const SimTime time = bars[at(m_bar)].begin;
    const auto& there = side(number).lanes[at(lane)].bars;
    int bar = 0;
    while (bar + 1 < static_cast<int>(there.size()) && there[at(bar)].end <= time)
        ++bar;
    setCurrent(number, lane, bar);
    return true;
}

void RewriteChart::keyPressEvent(QKeyEvent* event)
{
    if (!m_before)
        return QWidget::keyPressEvent(event);
    const double span = m_end - m_begin;
    const double middle = m_begin + span / 2;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        if (event->modifiers() == Qt::NoModifier && moveCurrent(event->key()))
            return;
        break;
    case Qt::Key_W: return showRange(middle - span / 4, middle + span / 4);
    case Qt::Key_S: return showRange(middle - span, middle + span);
    case Qt::Key_A: return showRange(m_begin - span / 4, m_end - span / 4);
    case Qt::Key_D: return showRange(m_begin + span / 4, m_end + span / 4);
    case Qt::Key_0:
        if (event->modifiers() == Qt::ControlModifier)
            return showRange(0, 1);
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void RewriteChart::mousePressEvent(QMouseEvent* event)
{
    if (!m_before)
        return;
    for (int number = 0; number < 2; ++number) {
        for (int lane = 0; lane < static_cast<int>(side(number).lanes.size()); ++lane) {
            if (!laneRect(number, lane).contains(event->position()))
                continue;
            const int bars = static_cast<int>(side(number).lanes[at(lane)].bars.size());
            for (int bar = bars; bar-- > 0;) {
                if (barRect(number, lane, bar).adjusted(-2, 0, 2, 0).contains(event->position()))
                    return setCurrent(number, lane, bar);
            }
        }
    }
    m_side = -1;
    describe();
    update();
}

void RewriteChart::wheelEvent(QWheelEvent* event)
{
    if (!m_before || !event->modifiers().testFlag(Qt::ControlModifier))
        return event->ignore();
    const QRectF place = plot();
    const double at = m_begin + (m_end - m_begin) * std::clamp((event->position().x() - place.left()) / place.width(), 0.0, 1.0);
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
    showRange(at - (at - m_begin) * factor, at + (m_end - at) * factor);
}

QString RewriteChart::footText() const
{
    if (!m_before)
        return {};
    if (m_side >= 0) {
        const LaneBar& bar = side(m_side).lanes[at(m_lane)].bars[at(m_bar)];
        return tr("%1, %2: from %3 to %4, %5").arg(m_side == 0 ? tr("Before") : tr("After"), bar.label, texts::timeIn(bar.begin, longest(), 3), texts::timeIn(bar.end, longest(), 3), texts::time(bar.end - bar.begin));
    }
    const auto sum = [](const std::vector<LaneSpan>& spans) {
        SimTime time;
        for (const LaneSpan& span : spans)
            time += span.end - span.begin;
        return time;
    };
    return tr("Communication beside which nothing is computed: %1 before, %2 after").arg(texts::time(sum(m_before->exposed)), texts::time(sum(m_after->exposed)));
}

void RewriteChart::describe()
{
    setAccessibleName(tr("Before and after over time"));
    setAccessibleDescription(m_before ? footText() : m_why);
}

void RewriteChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_before) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, m_why);
        return;
    }
    paintAxis(painter);
    for (int number = 0; number < 2; ++number)
        paintSide(painter, number);
    paintGain(painter);
    painter.setPen(m_theme.color(Role::Text2));
    painter.setFont(m_theme.font(TextStyle::Hint));
    const QRectF foot(m_theme.scaled(12), height() - m_theme.scaled(kFootText) - 2, width() - m_theme.scaled(24), m_theme.scaled(kFootText));
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(footText(), Qt::ElideRight, foot.width()));
    paintLegend(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

/// What colours and lines mean, as far as they occur.
void RewriteChart::paintLegend(QPainter& painter) const
{
    const double mark = m_theme.scaled(10);
    double x = m_theme.scaled(12);
    const double middle = height() - m_theme.scaled(kFoot) + m_theme.scaled(kLegendRow) / 2.0;
    painter.setFont(m_theme.font(TextStyle::Hint));
    const QFontMetricsF metrics(painter.font());
    const auto label = [&](const QString& text) {
        painter.setPen(m_theme.color(Role::Text2));
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(x + mark + 5, middle - metrics.height() / 2, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += mark + 5 + width + m_theme.scaled(12);
    };
    const QRectF box(0, middle - mark / 2, mark, mark);
    for (const Activity kind : kinds()) {
        painter.fillRect(box.translated(x, 0), m_theme.activity(kind));
        label(texts::activity(kind));
    }
    if (m_before->exposed.empty() && m_after->exposed.empty())
        return;
    painter.setPen(QPen(m_theme.color(Role::Wait), 1));
    painter.setBrush(QBrush(m_theme.color(Role::Wait), Qt::BDiagPattern));
    painter.drawRect(box.translated(x, 0));
    label(tr("Waiting"));
    painter.fillRect(QRectF(x, middle, mark, 2), m_theme.color(Role::Exposed));
    label(tr("Exposed"));
}

void RewriteChart::paintAxis(QPainter& painter) const
{
    const QRectF place = plot();
    const double axis = m_theme.scaled(kAxisHeight);
    painter.fillRect(QRectF(0, 0, width(), axis), m_theme.color(Role::Panel));
    const double whole = static_cast<double>(longest().ps);
    const auto span = static_cast<std::int64_t>(whole * (m_end - m_begin));
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const double wide = metrics.horizontalAdvance(QStringLiteral("0000.00 ms")) + m_theme.scaled(24);
    const std::int64_t step = niceStep(std::max<std::int64_t>(span, 1), std::max<std::int64_t>(1, static_cast<std::int64_t>(place.width() / wide)));
    const double bottom = height() - m_theme.scaled(kFoot);
    painter.setFont(m_theme.font(TextStyle::Label));
    // As many decimals as tell the ticks apart.
    int decimals = 0;
    for (std::int64_t unit = longest().ps >= 1'000'000'000 ? 1'000'000'000 : longest().ps >= 1'000'000 ? 1'000'000 : 1'000; unit > step && decimals < 6; unit /= 10)
        ++decimals;
    for (std::int64_t tick = static_cast<std::int64_t>(std::ceil(whole * m_begin / static_cast<double>(step))) * step; static_cast<double>(tick) <= whole * m_end; tick += step) {
        const double x = xOf({tick});
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(x, axis), QPointF(x, bottom));
        const QString label = texts::timeIn({tick}, longest(), decimals);
        const double width = metrics.horizontalAdvance(label);
        if (x + width / 2 > this->width() - 2)
            continue;
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(QRectF(x - width / 2 - 2, 0, width + 4, axis), Qt::AlignCenter, label);
    }
    painter.setPen(m_theme.color(Role::Line));
    for (const double y : {axis, sideTop(1), bottom})
        painter.drawLine(QPointF(0, y), QPointF(width(), y));
}

void RewriteChart::paintSide(QPainter& painter, int number) const
{
    const QRectF place = plot();
    const double margin = m_theme.scaled(12);
    const QRectF head(margin, sideTop(number), width() - 2 * margin, m_theme.scaled(kSideHead));
    painter.setFont(m_theme.font(TextStyle::BodyStrong));
    painter.setPen(m_theme.color(Role::Text));
    const QString title = number == 0 ? tr("Before") : tr("After");
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, title);
    const double after = QFontMetricsF(painter.font()).horizontalAdvance(title) + m_theme.scaled(10);
    painter.setFont(m_theme.font(TextStyle::Table));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(head.adjusted(after, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, texts::timeIn(side(number).total, longest(), 3));
    for (int lane = 0; lane < static_cast<int>(side(number).lanes.size()); ++lane) {
        const RewriteLane& row = side(number).lanes[at(lane)];
        const QRectF area = laneRect(number, lane);
        painter.setFont(m_theme.font(TextStyle::Table));
        painter.setPen(m_theme.color(Role::Text2));
        const double room = place.left() - margin - 6;
        painter.drawText(QRectF(margin, area.top(), room, area.height()), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(row.name, Qt::ElideRight, room));
        painter.save();
        painter.setClipRect(QRectF(place.left() - 1, area.top(), place.width() + 2, area.height()));
        const bool computes = !row.bars.empty() && (row.bars.front().activity == Activity::Compute || row.bars.front().activity == Activity::Memory);
        paintSpans(painter, area, computes ? side(number).waiting : row.exposed, computes);
        for (int bar = 0; bar < static_cast<int>(row.bars.size()); ++bar) {
            const QRectF box = barRect(number, lane, bar);
            if (box.right() < place.left() || box.left() > place.right())
                continue;
            paintBar(painter, box, row.bars[at(bar)], (number == m_side && lane == m_lane && bar == m_bar) || (!m_stage.isEmpty() && row.bars[at(bar)].stage == m_stage));
        }
        painter.restore();
    }
}

/// Waiting as hatch in a lane of computation; exposed communication as a line below its bars.
void RewriteChart::paintSpans(QPainter& painter, const QRectF& lane, const std::vector<LaneSpan>& spans, bool hatch) const
{
    const double tall = m_theme.scaled(kBarTall);
    for (const LaneSpan& span : spans) {
        const QRectF box(xOf(span.begin), lane.center().y() - tall / 2, xOf(span.end) - xOf(span.begin), tall);
        if (box.width() < 1)
            continue;
        if (!hatch) {
            painter.fillRect(QRectF(box.left(), box.bottom() + 1, box.width(), 2), m_theme.color(Role::Exposed));
            continue;
        }
        painter.setPen(QPen(m_theme.color(Role::Wait), 1));
        painter.setBrush(QBrush(m_theme.color(Role::Wait), Qt::BDiagPattern));
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5);
    }
}

void RewriteChart::paintBar(QPainter& painter, const QRectF& bar, const LaneBar& what, bool current) const
{
    const QColor fill = m_theme.activity(what.activity);
    // A slit tells chunks apart where there is room for one.
    const QRectF box = bar.width() > 4 ? bar.adjusted(0, 0, -1, 0) : bar;
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(box, 1.5, 1.5);
    if (m_theme.patterns()) {
        QColor ink = m_theme.ink(fill);
        ink.setAlphaF(0.35F);
        painter.setBrush(QBrush(ink, m_theme.pattern(what.activity)));
        painter.drawRoundedRect(box, 1.5, 1.5);
    }
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const QRectF shown = box.intersected(QRectF(plot().left(), box.top(), plot().width(), box.height()));
    for (const QString& text : {what.label, what.stage}) {
        if (metrics.horizontalAdvance(text) + 8 <= shown.width()) {
            painter.setPen(m_theme.ink(fill));
            painter.drawText(shown.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
            break;
        }
    }
    if (current) {
        painter.setPen(QPen(m_theme.color(Role::Critical), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, 2, 2);
    }
}

/// The end of each and a bracket between them.
void RewriteChart::paintGain(QPainter& painter) const
{
    if (m_before->total == m_after->total)
        return;
    const QRectF place = plot();
    const double left = xOf(std::min(m_before->total, m_after->total));
    const double right = xOf(std::max(m_before->total, m_after->total));
    if (right < place.left() || left > place.right())
        return;
    const bool shorter = m_after->total < m_before->total;
    const double top = sideTop(1) + m_theme.scaled(kSideHead) + static_cast<double>(m_after->lanes.size()) * m_theme.scaled(kLaneHeight);
    const double y = top + m_theme.scaled(6);
    painter.setPen(QPen(m_theme.color(Role::Text3), 1, Qt::DashLine));
    painter.drawLine(QPointF(xOf(m_before->total), m_theme.scaled(kAxisHeight)), QPointF(xOf(m_before->total), y + 4));
    painter.setPen(QPen(m_theme.color(Role::Critical), 1));
    painter.drawLine(QPointF(xOf(m_after->total), sideTop(1) + m_theme.scaled(kSideHead)), QPointF(xOf(m_after->total), y + 4));
    const QColor color = m_theme.color(shorter ? Role::Ok : Role::Err);
    painter.setPen(QPen(color, 2));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4));
    const SimTime gain = shorter ? m_before->total - m_after->total : m_after->total - m_before->total;
    const QString text = (shorter ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + texts::time(gain);
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 4;
    const double x = std::clamp((left + right) / 2 - width / 2, place.left(), place.right() - width);
    painter.drawText(QRectF(x, y + 4, width, m_theme.scaled(18)), Qt::AlignCenter, text);
}

} // namespace fabricscope
