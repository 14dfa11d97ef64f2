#include "widgets/step/movecanvas.h"

#include "widgets/base/texts.h"
#include "widgets/step/movepainter.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace fabricscope {

namespace {
constexpr std::size_t kMaxMovesForLinks = 200'000;
constexpr std::size_t kMaxLinks = 4096;
constexpr double kTokenWidth = 20; ///< Of a token with words, as StepCanvasPainter draws it.
constexpr double kTokenHeight = 16;
} // namespace

StepCanvas::StepCanvas(QWidget* parent) : PlayerView(tr("Group of the collective"), parent)
{
}

void StepCanvas::follow(StepPlayer& player)
{
    connect(&player, &StepPlayer::replayChanged, this, &StepCanvas::reset);
    connect(&player, &StepPlayer::stepChanged, this, &StepCanvas::stepHasChanged);
    connect(&player, &StepPlayer::timeChanged, this, qOverload<>(&QWidget::update));
    connect(&player, &StepPlayer::selectionChanged, this, [this] {
        describe();
        update();
    });
    reset();
}

void StepCanvas::themeChanged()
{
    m_layoutValid = m_baseValid = false;
}

void StepCanvas::reset()
{
    m_layout = {};
    m_layoutValid = m_usedLinksValid = false;
    m_ownPart.clear();
    if (const CollectiveReplayPtr& replay = player()->replay()) {
        m_ownPart.assign(static_cast<std::size_t>(replay->size()), -1);
        for (PartIndex part = 0; part < replay->parts(); ++part)
            if (const std::int32_t owner = replay->ownerOf(part); owner >= 0 && m_ownPart[static_cast<std::size_t>(owner)] < 0)
                m_ownPart[static_cast<std::size_t>(owner)] = part;
        if (m_position >= replay->size())
            m_position = -1;
    } else {
        m_position = -1;
    }
    stepHasChanged();
}

void StepCanvas::stepHasChanged()
{
    m_activeLinksValid = m_baseValid = false;
    describe();
    update();
}

void StepCanvas::describe()
{
    QString text;
    if (const ReplayStep* step = player() ? player()->currentStep() : nullptr) {
        text = tr("Step %1 of %2, %3, %4 moves").arg(player()->step() + 1).arg(player()->stepCount()).arg(steptexts::phase(step->kind)).arg(step->moveCount);
        if (player()->selectedMove() >= 0)
            text += tr("; selected %1").arg(steptexts::move(*player()->replay(), player()->replay()->moves()[static_cast<std::size_t>(player()->selectedMove())]));
        if (m_position >= 0)
            text += tr("; NPU %1 holds %2").arg(player()->replay()->nodeAt(m_position)).arg(holding(m_position).text);
    }
    setAccessibleDescription(text);
}

void StepCanvas::layoutNow()
{
    if (m_layoutValid)
        return;
    m_layoutValid = true;
    m_baseValid = false;
    m_layout = {};
    if (!player() || !player()->replay())
        return;
    const double scale = theme().basePixels() / 13.0;
    const QRectF whole = QRectF(rect()).adjusted(14 * scale, 26 * scale, -34 * scale, -12 * scale);
    m_layout = StepLayout(*player()->replay(), whole, scale);
    // Captions of the switches stand left of their bars.
    const bool hasBars = std::any_of(m_layout.bars().begin(), m_layout.bars().end(), [](const StepLayout::Bar& bar) { return bar.dimension >= 0 && !bar.vertical; });
    if (hasBars)
        m_layout = StepLayout(*player()->replay(), whole.adjusted(92 * scale, 0, 0, 0), scale);
}

const StepLayout& StepCanvas::stepLayout()
{
    layoutNow();
    return m_layout;
}

const std::vector<LinkId>& StepCanvas::activeLinks()
{
    if (!m_activeLinksValid) {
        const ReplayStep* step = player() ? player()->currentStep() : nullptr;
        m_activeLinks = step && step->moveCount <= kMaxMovesForLinks ? player()->routes()->linksOf(*step) : std::vector<LinkId>();
        m_activeLinksValid = true;
    }
    return m_activeLinks;
}

StepCanvas::Holding StepCanvas::holding(int position) const
{
    const CollectiveReplay& replay = *player()->replay();
    const ReplayCursor& cursor = *player()->cursor();
    const std::int32_t all = replay.complete();
    const PartIndex own = m_ownPart[static_cast<std::size_t>(position)];
    if (all > 1 && own >= 0) {
        const std::int32_t contributions = cursor.part(position, own).contributions;
        if (contributions < all)
            return {static_cast<double>(contributions) / all, false, tr("%1 of %2").arg(contributions).arg(all)};
    }
    if (replay.parts() == 0)
        return {};
    std::int32_t parts = 0;
    for (PartIndex part = 0; part < replay.parts(); ++part)
        parts += cursor.part(position, part).contributions >= all;
    return {static_cast<double>(parts) / std::max(1, replay.parts()), true, parts == 1 ? tr("1 part") : tr("%1 parts").arg(parts)};
}

std::vector<StepToken> StepCanvas::tokens()
{
    std::vector<StepToken> result;
    layoutNow();
    if (!player() || !player()->cursor() || m_layout.size() == 0)
        return result;
    const CollectiveReplay& replay = *player()->replay();
    std::unordered_set<std::int32_t> busy;
    std::vector<StepToken> waiting;
    for (const std::uint32_t index : player()->cursor()->underWay()) {
        const ReplayMove& move = replay.moves()[index];
        StepToken token{index, {}, player()->routes()->progress(index, player()->timePs())};
        const QPolygonF path = m_layout.movePath(move.source, move.target, player()->routes()->route(index));
        token.at = pointAlong(path, token.progress.along);
        if (token.progress.state == MoveProgress::State::Waiting) {
            waiting.push_back(token);
        } else {
            busy.insert(move.source);
            result.push_back(token);
        }
    }
    for (const StepToken& token : waiting)
        if (busy.insert(replay.moves()[token.move].source).second)
            result.push_back(token);
    return result;
}

/// They are where they would hide boxes that are hardly larger, or stand in gaps that have no room for words.
bool StepCanvas::tokensAreDots(const std::vector<StepToken>& shown) const
{
    const double scale = theme().basePixels() / 13.0;
    if (shown.size() > kMaxTokens || m_layout.boxSide() < 22 * scale)
        return true;
    return std::ranges::any_of(shown, [&](const StepToken& token) {
        const ReplayMove& move = player()->replay()->moves()[token.move];
        const QRectF& from = m_layout.box(move.source);
        const QRectF& to = m_layout.box(move.target);
        const double across = std::max(to.left() - from.right(), from.left() - to.right());
        const double down = std::max(to.top() - from.bottom(), from.top() - to.bottom());
        return across > down ? across < kTokenWidth * scale : down < kTokenHeight * scale;
    });
}

void StepCanvas::drawBase(QPainter& painter)
{
    painter.fillRect(rect(), theme().color(Role::View));
    const CollectiveReplay& replay = *player()->replay();
    if (!m_usedLinksValid) {
        m_usedLinksValid = true;
        m_usedLinks.clear();
        std::set<LinkId> links;
        std::size_t moves = 0;
        for (const ReplayStep& step : player()->steps()) {
            moves += step.moveCount;
            if (moves > kMaxMovesForLinks || links.size() > kMaxLinks)
                break;
            const std::vector<LinkId> of = player()->routes()->linksOf(step);
            links.insert(of.begin(), of.end());
        }
        if (links.size() <= kMaxLinks)
            m_usedLinks.assign(links.begin(), links.end());
    }
    StepCanvasPainter parts(painter, m_layout, theme());
    parts.captions(replay.scenario().structure->platform);
    parts.links(m_usedLinks, theme().color(Role::Line2), 1.25);
    std::set<int> dimensions;
    for (const LinkId link : activeLinks())
        dimensions.insert(replay.scenario().structure->platform.linkInfo(link).dimension);
    parts.bars(std::vector<int>(dimensions.begin(), dimensions.end()), -1);
    if (m_activeLinks.size() <= kMaxLinks)
        parts.links(m_activeLinks, Theme::mix(theme().color(Role::View), stepColor(), 0.75), 1.75);
}

const QColor StepCanvas::stepColor() const
{
    const ReplayStep* step = player()->currentStep();
    return steptexts::phaseColor(theme(), step ? step->kind : PhaseKind::AllReduce);
}

void StepCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    layoutNow();
    if (!player() || !player()->replay() || m_layout.size() == 0) {
        painter.fillRect(rect(), theme().color(Role::View));
        return;
    }
    const double ratio = devicePixelRatioF();
    if (!m_baseValid || m_base.size() != size() * ratio) {
        m_base = QImage(size() * ratio, QImage::Format_RGB32);
        m_base.setDevicePixelRatio(ratio);
        QPainter base(&m_base);
        drawBase(base);
        m_baseValid = true;
    }
    painter.drawImage(QPointF(0, 0), m_base);

    const CollectiveReplay& replay = *player()->replay();
    const qint64 selected = player()->selectedMove();
    const ReplayMove* move = selected >= 0 ? &replay.moves()[static_cast<std::size_t>(selected)] : nullptr;
    std::vector<Holding> holdings(static_cast<std::size_t>(m_layout.size()));
    for (int i = 0; i < m_layout.size(); ++i)
        holdings[static_cast<std::size_t>(i)] = holding(i);
    StepCanvasPainter parts(painter, m_layout, theme());
    const QColor color = stepColor();
    parts.boxes(replay, holdings, color, move ? move->source : -1, move ? move->target : -1, m_position);

    QPolygonF path;
    if (move) {
        path = m_layout.movePath(move->source, move->target, player()->routes()->route(static_cast<std::uint32_t>(selected)));
        parts.arrow(path);
    }
    const std::vector<StepToken> shown = tokens();
    // Words of tokens would hide boxes that are hardly larger.
    const bool small = tokensAreDots(shown);
    const auto draw = [&](const StepToken& token) {
        const ReplayMove& of = replay.moves()[token.move];
        const ReplayStep* step = player()->currentStep();
        // Two steps overlap in time where one phase begins before the other has ended everywhere.
        QColor fill = color;
        if (step && of.phase != step->phase)
            for (const ReplayStep& each : player()->steps())
                if (each.phase == of.phase) {
                    fill = steptexts::phaseColor(theme(), each.kind);
                    break;
                }
        parts.token(token.at, steptexts::tokenText(replay, of), fill, token.progress.state == MoveProgress::State::Waiting, small, token.move == selected);
    };
    for (const StepToken& token : shown)
        if (token.move != selected)
            draw(token);
    for (const StepToken& token : shown)
        if (token.move == selected)
            draw(token);
    if (move) {
        const MoveProgress progress = player()->routes()->progress(static_cast<std::uint32_t>(selected), player()->timePs());
        parts.callout(pointAlong(path, std::clamp(progress.along, 0.25, 0.75)), QRectF(rect()).adjusted(4, 4, -4, -4), steptexts::move(replay, *move),
                      tr("%1, %2").arg(steptexts::partsPhrase(replay, *move), steptexts::state(progress)));
    }
    paintFocus(painter);
}

void StepCanvas::resizeEvent(QResizeEvent*)
{
    m_layoutValid = false;
}

void StepCanvas::selectPosition(int position)
{
    if (position == m_position)
        return;
    m_position = position;
    describe();
    update();
    emit positionSelected(position);
}

void StepCanvas::mousePressEvent(QMouseEvent* event)
{
    if (!player() || !player()->replay() || event->button() != Qt::LeftButton)
        return;
    const QPointF at = event->position();
    double nearest = 12 * theme().basePixels() / 13.0;
    qint64 found = -1;
    for (const StepToken& token : tokens())
        if (const double away = QLineF(token.at, at).length(); away < nearest) {
            nearest = away;
            found = token.move;
        }
    if (found >= 0)
        player()->selectMove(found);
    else
        selectPosition(m_layout.positionAt(at));
}

void StepCanvas::keyPressEvent(QKeyEvent* event)
{
    const ReplayStep* step = player() ? player()->currentStep() : nullptr;
    if (!step) {
        QWidget::keyPressEvent(event);
        return;
    }
    const qint64 first = step->firstMove;
    const auto nextMove = [&](qint64 by) {
        const qint64 at = player()->selectedMove();
        player()->selectMove(at < first || at >= first + step->moveCount ? first : std::clamp<qint64>(at + by, first, first + step->moveCount - 1));
    };
    const bool control = event->modifiers() & Qt::ControlModifier;
    layoutNow();
    switch (event->key()) {
    case Qt::Key_Up: selectPosition(m_layout.neighbour(m_position, 0, -1)); break;
    case Qt::Key_Down: selectPosition(m_layout.neighbour(m_position, 0, 1)); break;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (!control) {
            QWidget::keyPressEvent(event);
            return;
        }
        selectPosition(m_layout.neighbour(m_position, event->key() == Qt::Key_Left ? -1 : 1, 0));
        break;
    case Qt::Key_Period: nextMove(1); break;
    case Qt::Key_Comma: nextMove(-1); break;
    case Qt::Key_Escape: selectPosition(-1); break;
    default: QWidget::keyPressEvent(event); return;
    }
    event->accept();
}

QString StepCanvas::tipAt(const QPoint& position)
{
    if (!player() || !player()->replay())
        return {};
    const CollectiveReplay& replay = *player()->replay();
    for (const StepToken& token : tokens())
        if (QLineF(token.at, position).length() < 10) {
            const ReplayMove& move = replay.moves()[token.move];
            return tr("<b>%1</b><br>%2, %3<br>%4").arg(steptexts::move(replay, move).toHtmlEscaped(), steptexts::partsPhrase(replay, move).toHtmlEscaped(), steptexts::buffer(move.bytes, replay.bytes()),
                                                          steptexts::state(token.progress));
        }
    const int at = m_layout.positionAt(position);
    if (at < 0)
        return {};
    const Holding held = holding(at);
    const PartIndex own = m_ownPart[static_cast<std::size_t>(at)];
    QString text = tr("<b>NPU %1</b><br>rank %2").arg(replay.nodeAt(at)).arg(replay.rankAt(at));
    if (held.complete)
        text += tr("<br>holds %1 of %2 parts").arg(held.text.section(QLatin1Char(' '), 0, 0)).arg(replay.parts());
    else
        text += tr("<br>its part %1 sums %2").arg(own).arg(held.text == QStringLiteral("1") ? tr("1 rank") : tr("%1 ranks").arg(held.text));
    return text;
}

} // namespace fabricscope
