#include "widgets/step/lanesview.h"

#include "core/base/index.h"

#include "widgets/base/texts.h"
#include "widgets/step/moveroutes.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope {

namespace {
constexpr int kRuler = 22;
constexpr int kLabel = 108;
constexpr int kRight = 12;
constexpr std::size_t kMaxArrivals = 512;
constexpr std::size_t kMaxMovesForLinks = 100'000;
} // namespace

StepLanes::StepLanes(QWidget* parent) : PlayerView(tr("Time of the chunk"), parent)
{
}

void StepLanes::follow(StepPlayer& player)
{
    connect(&player, &StepPlayer::replayChanged, this, &StepLanes::rebuild);
    connect(&player, &StepPlayer::selectionChanged, this, &StepLanes::rebuild);
    connect(&player, &StepPlayer::timeChanged, this, [this] {
        describe();
        update();
    });
    rebuild();
}

void StepLanes::themeChanged()
{
    if (player())
        rebuild();
}

QSize StepLanes::minimumSizeHint() const
{
    return QSize(300, theme().scaled(kRuler) + static_cast<int>(m_lanes.size()) * theme().scaled(14));
}

void StepLanes::rebuild()
{
    m_lanes.clear();
    if (player()->step() >= 0) {
        addDimensions();
        addSourceLink();
        addTarget();
    }
    layoutTime();
    describe();
    updateGeometry();
    update();
}

void StepLanes::describe()
{
    setAccessibleDescription(player()->step() < 0 ? QString()
                                                  : tr("%1 of %2").arg(texts::time(SimTime{player()->timePs() - player()->originPs()}),
                                                                       texts::time(SimTime{player()->endPs() - player()->originPs()})));
}

void StepLanes::addDimensions()
{
    std::map<int, std::set<LinkId>> links;
    std::map<int, Lane> lanes;
    std::map<int, QString> names;
    std::size_t moves = 0;
    int number = 0;
    for (const ReplayStep& step : player()->steps()) {
        const int line = step.dimension >= 0 ? step.dimension : step.level;
        Lane& lane = lanes[line];
        names[line] = QString::fromStdString(player()->replay()->lineName(step));
        // What the next step of the same dimension covers is its own.
        if (!lane.spans.empty() && lane.spans.back().beginPs < step.beginPs)
            lane.spans.back().endPs = std::min(lane.spans.back().endPs, step.beginPs);
        Span span{step.beginPs, step.endPs, QString::number(number + 1), steptexts::phaseColor(theme(), step.kind)};
        span.step = number++;
        lane.spans.push_back(span);
        moves += step.moveCount;
        if (moves <= kMaxMovesForLinks)
            for (const LinkId link : player()->routes()->linksOf(step))
                links[line].insert(link);
    }
    for (auto& [line, lane] : lanes) {
        const QString name = names[line];
        const QString count = texts::count(static_cast<std::int64_t>(links[line].size()));
        lane.label = moves > kMaxMovesForLinks ? (name.isEmpty() ? tr("All links") : name) : tr("%1, %2 links").arg(name.isEmpty() ? tr("All") : name, count);
        m_lanes.push_back(std::move(lane));
    }
}

QString StepLanes::linkText(LinkId link) const
{
    const Platform& platform = player()->replay()->scenario().structure->platform;
    const LinkInfo info = platform.linkInfo(link);
    if (info.dimension >= 0 && (info.from < 0 || info.to < 0))
        return tr("%1 → D%2 switch").arg(info.owner).arg(info.dimension);
    return QStringLiteral("%1 → %2").arg(info.from).arg(info.to);
}

void StepLanes::addSourceLink()
{
    if (player()->selectedMove() < 0)
        return;
    const CollectiveReplay& replay = *player()->replay();
    const std::uint32_t selected = static_cast<std::uint32_t>(player()->selectedMove());
    const std::vector<LinkId> route = player()->routes()->route(selected);
    if (route.empty())
        return;
    std::map<std::pair<int, int>, PhaseKind> kinds;
    for (int chunk = 0; chunk < replay.chunks(); ++chunk)
        for (const ReplayStep& step : replay.steps(chunk))
            kinds.emplace(std::pair(chunk, step.phase), step.kind);
    Lane lane{linkText(route.front()), {}};
    for (const std::uint32_t index : player()->routes()->movesFrom(replay.moves()[selected].source)) {
        const ReplayMove& move = replay.moves()[index];
        const std::vector<LinkId>& of = player()->routes()->route(index);
        if (of.empty() || of.front() != route.front())
            continue;
        Span span{player()->routes()->sendBegin(index), move.leftPs, tr("to %1").arg(replay.nodeAt(move.target)),
                  steptexts::phaseColor(theme(), kinds[{move.chunk, move.phase}])};
        span.other = move.chunk != player()->chunk();
        span.marked = index == selected;
        lane.spans.push_back(span);
    }
    m_lanes.push_back(std::move(lane));
}

void StepLanes::addTarget()
{
    if (player()->selectedMove() < 0)
        return;
    const CollectiveReplay& replay = *player()->replay();
    const ReplayMove& selected = replay.moves()[at(player()->selectedMove())];
    Lane lane{(selected.reduces ? tr("Reducer of %1") : tr("Arrivals at %1")).arg(replay.nodeAt(selected.target)), {}};
    for (const std::uint32_t index : player()->routes()->movesTo(selected.target, player()->chunk())) {
        const ReplayMove& move = replay.moves()[index];
        if (move.reduces != selected.reduces)
            continue;
        if (lane.spans.size() >= kMaxArrivals)
            break;
        Span span{move.donePs, move.donePs, {}, theme().activity(Activity::Memory)};
        span.tick = true;
        span.marked = static_cast<qint64>(index) == player()->selectedMove();
        lane.spans.push_back(span);
    }
    m_lanes.push_back(std::move(lane));
}

void StepLanes::layoutTime()
{
    const qint64 end = std::max<qint64>(1, player()->endPs() - player()->originPs());
    m_geometry.run = m_geometry.visible = {0, end};
    m_geometry.left = theme().scaled(kLabel);
    m_geometry.width = std::max(1.0, width() - m_geometry.left - kRight);
}

double StepLanes::xOf(std::int64_t ps) const
{
    return m_geometry.xOf(ps - player()->originPs());
}

std::int64_t StepLanes::timeAt(double x) const
{
    return m_geometry.timeAt(x) + player()->originPs();
}

QRectF StepLanes::laneRect(int lane) const
{
    const double top = theme().scaled(kRuler) + 2;
    const double pitch = std::min<double>(theme().scaled(24), (height() - top) / std::max<double>(1, static_cast<double>(m_lanes.size())));
    return QRectF(m_geometry.left, top + lane * pitch, m_geometry.width, pitch);
}

void StepLanes::paintLane(QPainter& painter, int lane)
{
    const QRectF rect = laneRect(lane);
    const Lane& content = m_lanes[at(lane)];
    const QColor view = theme().color(Role::View);
    painter.setFont(theme().font(TextStyle::Hint));
    painter.setPen(theme().color(Role::Text2));
    const QRectF label(theme().scaled(12), rect.top(), m_geometry.left - theme().scaled(16), rect.height());
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(content.label, Qt::ElideRight, static_cast<int>(label.width())));
    painter.setFont(theme().font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const double inset = std::max(1.0, (rect.height() - theme().scaled(18)) / 2);
    // Other chunks may go on behind the end of this one.
    painter.setClipRect(QRectF(rect.left() - 2, rect.top(), rect.width() + 4, rect.height()));
    for (const Span& span : content.spans) {
        const double left = xOf(span.beginPs);
        const double right = xOf(span.endPs);
        if (span.tick) {
            painter.fillRect(QRectF(std::round(left) - 1, rect.top() + inset, span.marked ? 3 : 2, rect.height() - 2 * inset), span.marked ? theme().color(Role::Critical) : span.color);
            continue;
        }
        const QRectF bar(left, rect.top() + inset, std::max(1.0, right - left - (right - left > 3 ? 1 : 0)), rect.height() - 2 * inset);
        const QColor fill = span.other ? Theme::mix(view, span.color, 0.35) : span.color;
        const bool rounded = bar.width() > 6;
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.setRenderHint(QPainter::Antialiasing, rounded);
        painter.drawRoundedRect(bar, rounded ? 1.5 : 0, rounded ? 1.5 : 0);
        if (!span.other && metrics.horizontalAdvance(span.text) + 8 <= bar.width()) {
            painter.setPen(theme().ink(fill));
            painter.drawText(bar.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, span.text);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Span& span : content.spans)
        if (span.marked && !span.tick) {
            painter.setPen(QPen(theme().color(Role::Critical), 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(xOf(span.beginPs), rect.top() + inset, std::max(3.0, xOf(span.endPs) - xOf(span.beginPs) - 1), rect.height() - 2 * inset).adjusted(0, 0.5, 0, -0.5), 2, 2);
        }
    painter.setClipping(false);
}

void StepLanes::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::View));
    painter.fillRect(QRectF(0, 0, theme().scaled(kLabel), height()), theme().color(Role::Panel));
    const double ruler = theme().scaled(kRuler);
    painter.fillRect(QRectF(0, 0, width(), 1), theme().color(Role::Line));
    if (m_lanes.empty())
        return;
    layoutTime();
    painter.setFont(theme().font(TextStyle::Label));
    const std::int64_t step = m_geometry.tickStep(theme().scaled(84));
    // As many decimals as the distance of the labels needs in the unit of the whole.
    std::int64_t unit = 1;
    while (unit * 1000 <= m_geometry.run.endPs && unit < kPsPerSecond)
        unit *= 1000;
    const int decimals = step % unit == 0 ? 0 : step * 10 % unit == 0 ? 1 : step * 100 % unit == 0 ? 2 : 3;
    for (const TimelineTick& tick : m_geometry.ticks(step)) {
        const double x = std::round(m_geometry.xOf(tick.timePs));
        if (!tick.major)
            continue;
        painter.fillRect(QRectF(x, 4, 1, height() - 4), theme().color(Role::Grid));
        painter.setPen(theme().color(Role::Text2));
        const QString text = tick.timePs == 0 ? texts::number(0, 0) + QChar(0x202F) + texts::timeUnit(SimTime{m_geometry.run.endPs}) : texts::timeIn(SimTime{tick.timePs}, SimTime{m_geometry.run.endPs}, decimals);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
        if (x + 5 + width < this->width())
            painter.drawText(QPointF(x + 5, ruler - 7), text);
    }
    painter.fillRect(QRectF(0, ruler, width(), 1), theme().color(Role::Line));
    for (int lane = 0; lane < static_cast<int>(m_lanes.size()); ++lane)
        paintLane(painter, lane);

    const double x = xOf(player()->timePs());
    painter.setPen(QPen(theme().color(Role::Accent), 1.5));
    painter.drawLine(QPointF(x, ruler - 6), QPointF(x, height()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().color(Role::Accent));
    painter.drawPolygon(QPolygonF({QPointF(x - 5, ruler - 14), QPointF(x + 5, ruler - 14), QPointF(x + 5, ruler - 8), QPointF(x, ruler - 3), QPointF(x - 5, ruler - 8)}));
    paintFocus(painter);
}

void StepLanes::resizeEvent(QResizeEvent*)
{
    if (player())
        layoutTime();
}

void StepLanes::mousePressEvent(QMouseEvent* event)
{
    if (!player() || player()->step() < 0 || event->button() != Qt::LeftButton || event->position().x() < m_geometry.left - 6)
        return;
    player()->pause();
    player()->setTime(timeAt(event->position().x()));
}

void StepLanes::mouseMoveEvent(QMouseEvent* event)
{
    if (player() && player()->step() >= 0 && (event->buttons() & Qt::LeftButton))
        player()->setTime(timeAt(event->position().x()));
}

void StepLanes::keyPressEvent(QKeyEvent* event)
{
    const bool later = event->key() == Qt::Key_PageDown;
    if (!player() || player()->step() < 0 || (!later && event->key() != Qt::Key_PageUp)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const qint64 by = std::max<qint64>(1, (player()->endPs() - player()->beginPs()) / 100);
    player()->pause();
    player()->setTime(player()->timePs() + (later ? by : -by));
}

QString StepLanes::tipAt(const QPoint& position)
{
    if (!player() || player()->step() < 0)
        return {};
    for (int lane = 0; lane < static_cast<int>(m_lanes.size()); ++lane) {
        const QRectF rect = laneRect(lane);
        if (position.y() < rect.top() || position.y() >= rect.bottom())
            continue;
        for (const Span& span : m_lanes[at(lane)].spans)
            if (position.x() >= xOf(span.beginPs) - 2 && position.x() <= xOf(span.endPs) + 2) {
                const QString what = span.step >= 0 ? tr("Step %1").arg(span.step + 1) : m_lanes[at(lane)].label + QLatin1Char(' ') + span.text;
                return tr("<b>%1</b><br>%2 to %3").arg(what.toHtmlEscaped(), texts::time(SimTime{span.beginPs - player()->originPs()}), texts::time(SimTime{span.endPs - player()->originPs()}));
            }
    }
    return {};
}

} // namespace fabricscope
