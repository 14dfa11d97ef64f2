#include "widgets/step/storyboard.h"

#include "core/base/index.h"
#include "core/report/outputfile.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/paneheader.h"
#include "widgets/step/player.h"

#include <QAbstractButton>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace fabricscope {

/// One step.
class Storyboard::Card : public QAbstractButton
{
public:
    Card(const Storyboard& board, int step) : m_board(board), m_step(step)
    {
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
        const ReplayStep& of = board.m_player->steps()[at(step)];
        m_duration = texts::time(SimTime{of.endPs - of.beginPs}, 1);
        setAccessibleName(Storyboard::tr("Step %1, %2, %3").arg(step + 1).arg(steptexts::phase(of.kind), m_duration));
        setToolTip(accessibleName());
    }

    int step() const { return m_step; }
    void setCurrent(bool on)
    {
        m_current = on;
        update();
    }
    QSize sizeHint() const override { return QSize(m_board.m_theme.scaled(88), m_board.m_theme.scaled(100)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = m_board.m_theme;
        if (!m_loaded) {
            // Made when first seen: a long storyboard costs nothing until it is scrolled to.
            m_thumbnail = m_board.thumbnail(m_step);
            m_loaded = true;
        }
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
        painter.setBrush(theme.color(underMouse() && !m_current ? Role::Hover : Role::View));
        painter.setPen(m_current ? QPen(theme.color(Role::Accent), 2) : QPen(theme.color(Role::Line2), 1));
        painter.drawRoundedRect(m_current ? frame : frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter.setFont(theme.font(m_current ? TextStyle::LabelStrong : TextStyle::Label));
        painter.setPen(theme.color(m_current ? Role::Text : Role::Text2));
        const double line = theme.scaled(18);
        const QString number = m_board.m_stepsPerCard == 1 ? QString::number(m_step + 1)
                                                           : QStringLiteral("%1–%2").arg(m_step + 1).arg(std::min(m_board.m_player->stepCount(), m_step + m_board.m_stepsPerCard));
        painter.drawText(QRectF(frame.left() + 6, frame.top() + 2, frame.width() - 12, line), Qt::AlignLeft | Qt::AlignVCenter, number);
        painter.drawText(QRectF(frame.left(), frame.bottom() - line - 2, frame.width(), line), Qt::AlignCenter, m_duration);
        const QRectF area = frame.adjusted(12, line + 4, -12, -line - 6);
        const auto place = [&](const QPointF& unit) { return QPointF(area.left() + unit.x() * area.width(), area.top() + unit.y() * area.height()); };
        const ReplayStep& of = m_board.m_player->steps()[at(m_step)];
        painter.setPen(QPen(theme.color(Role::Line2), 1));
        for (const QLineF& each : m_thumbnail.others)
            painter.drawLine(place(each.p1()), place(each.p2()));
        painter.setPen(QPen(steptexts::phaseColor(theme, of.kind), m_thumbnail.active.size() > 100 ? 1 : 2));
        for (const QLineF& each : m_thumbnail.active)
            painter.drawLine(place(each.p1()), place(each.p2()));
        const double side = m_thumbnail.members.size() > 100 ? 2 : 4;
        for (const QPointF& member : m_thumbnail.members)
            painter.fillRect(QRectF(place(member) - QPointF(side / 2, side / 2), QSizeF(side, side)), theme.color(Role::Text2));
        if (hasFocus()) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.color(Role::Accent), 2));
            painter.drawRoundedRect(frame.adjusted(3, 3, -3, -3), 3, 3);
        }
    }

private:
    const Storyboard& m_board;
    int m_step;
    QString m_duration;
    StepThumbnail m_thumbnail;
    bool m_loaded = false;
    bool m_current = false;
};

/// Which colour is which phase.
class Storyboard::Legend : public QWidget
{
public:
    explicit Legend(const Storyboard& board) : m_board(board) { setAccessibleName(Storyboard::tr("Colours of the phases")); }

    std::vector<PhaseKind> kinds;
    QSize sizeHint() const override
    {
        const QFontMetrics metrics(m_board.m_theme.font(TextStyle::Hint));
        int width = 0;
        for (const PhaseKind kind : kinds)
            width += metrics.horizontalAdvance(steptexts::phase(kind)) + m_board.m_theme.scaled(28);
        return QSize(width, m_board.m_theme.scaled(20));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const Theme& theme = m_board.m_theme;
        painter.setFont(theme.font(TextStyle::Hint));
        double x = 0;
        const double square = theme.scaled(10);
        for (const PhaseKind kind : kinds) {
            const QString text = steptexts::phase(kind);
            if (x + square + 5 + painter.fontMetrics().horizontalAdvance(text) > width())
                break; // The list of steps has their names, too.
            painter.fillRect(QRectF(x, (height() - square) / 2, square, square), steptexts::phaseColor(theme, kind));
            painter.setPen(theme.color(Role::Text2));
            painter.drawText(QRectF(x + square + 5, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, text);
            x += painter.fontMetrics().horizontalAdvance(text) + theme.scaled(28);
        }
    }

private:
    const Storyboard& m_board;
};

Storyboard::Storyboard(StepPlayer* player, QWidget* parent) : QWidget(parent), m_player(player)
{
    setAccessibleName(tr("Storyboard"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = new StepHeader(tr("Storyboard"));
    m_legend = new Legend(*this);
    m_export = new QPushButton(tr("Export SVG"));
    m_export->setProperty("link", true);
    m_head->addControl(m_legend);
    m_head->addControl(m_export);
    column->addWidget(m_head);
    m_scroll = new QScrollArea;
    m_scroll->setAccessibleName(tr("Cards of the steps"));
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    auto* strip = new QWidget;
    strip->setAutoFillBackground(false);
    m_row = new QHBoxLayout(strip);
    m_row->setContentsMargins(12, 8, 12, 8);
    m_row->setSpacing(8);
    m_scroll->setWidget(strip);
    column->addWidget(m_scroll, 1);
    connect(m_export, &QPushButton::clicked, this, &Storyboard::askForFile);
    connect(player, &StepPlayer::replayChanged, this, &Storyboard::rebuild);
    connect(player, &StepPlayer::stepChanged, this, &Storyboard::followStep);
    followTheme(this, &Storyboard::setTheme);
    rebuild();
}

void Storyboard::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_export->setIcon(steppaint::icon(steppaint::Icon::Export, theme.color(Role::Accent), theme.scaled(16)));
    m_scroll->setMinimumHeight(theme.scaled(100));
    m_legend->updateGeometry();
    for (Card* card : m_cards) {
        card->updateGeometry();
        card->update();
    }
    update();
}

void Storyboard::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_theme.color(Role::Panel));
}

std::vector<QLineF> Storyboard::linesOf(int step) const
{
    const CollectiveReplay& replay = *m_player->replay();
    const ReplayStep& of = m_player->steps()[at(step)];
    std::set<std::pair<int, int>> pairs;
    for (std::uint32_t i = of.firstMove; i < of.firstMove + of.moveCount && pairs.size() < StepThumbnail::kMaxLines; ++i) {
        const ReplayMove& move = replay.moves()[i];
        pairs.insert({std::min(move.source, move.target), std::max(move.source, move.target)});
    }
    std::vector<QLineF> lines;
    for (const auto& [a, b] : pairs)
        lines.emplace_back(m_places[at(a)], m_places[at(b)]);
    return lines;
}

StepThumbnail Storyboard::thumbnail(int step) const
{
    StepThumbnail result;
    const std::size_t stride = (m_places.size() + StepThumbnail::kMaxMembers - 1) / StepThumbnail::kMaxMembers;
    for (std::size_t i = 0; i < m_places.size(); i += std::max<std::size_t>(1, stride))
        result.members.push_back(m_places[i]);
    result.others = m_allLines;
    result.active = linesOf(step);
    return result;
}

void Storyboard::rebuild()
{
    for (Card* card : m_cards) {
        card->hide(); // Until the event loop deletes it, its step may be one that is no longer there.
        card->deleteLater();
    }
    m_cards.clear();
    m_places.clear();
    m_allLines.clear();
    while (QLayoutItem* item = m_row->takeAt(0))
        delete item;
    m_legend->kinds.clear();
    m_export->setEnabled(m_player->step() >= 0);
    if (m_player->step() >= 0) {
        // The places of the canvas on a square, so that a thumbnail looks like it.
        const QRectF area(0, 0, 600, 600);
        const StepLayout layout(*m_player->replay(), area, 1);
        QRectF bounds;
        for (int i = 0; i < layout.size(); ++i)
            bounds |= QRectF(layout.box(i).center(), QSizeF(0.01, 0.01));
        for (int i = 0; i < layout.size(); ++i) {
            const QPointF centre = layout.box(i).center();
            m_places.emplace_back(bounds.width() > 1 ? (centre.x() - bounds.left()) / bounds.width() : 0.5, bounds.height() > 1 ? (centre.y() - bounds.top()) / bounds.height() : 0.5);
        }
        m_stepsPerCard = (m_player->stepCount() + kMaxCards - 1) / kMaxCards;
        // One step of every phase is enough to show the links that rest.
        std::set<int> phases;
        for (int step = 0; step < m_player->stepCount(); ++step) {
            const ReplayStep& of = m_player->steps()[at(step)];
            if (std::find(m_legend->kinds.begin(), m_legend->kinds.end(), of.kind) == m_legend->kinds.end())
                m_legend->kinds.push_back(of.kind);
            if (phases.insert(of.dimension).second && m_allLines.size() < StepThumbnail::kMaxLines) {
                const std::vector<QLineF> lines = linesOf(step);
                m_allLines.insert(m_allLines.end(), lines.begin(), lines.end());
            }
        }
        for (int step = 0; step < m_player->stepCount(); step += m_stepsPerCard) {
            auto* card = new Card(*this, step);
            connect(card, &QAbstractButton::clicked, this, [this, step] {
                m_player->pause();
                m_player->setStep(step);
            });
            m_row->addWidget(card);
            m_cards.push_back(card);
        }
    }
    m_row->addStretch(1);
    m_legend->updateGeometry();
    m_legend->update();
    followStep();
}

void Storyboard::followStep()
{
    for (Card* card : m_cards) {
        const bool current = m_player->step() >= card->step() && m_player->step() < card->step() + m_stepsPerCard;
        card->setCurrent(current);
        if (current)
            m_scroll->ensureWidgetVisible(card, m_theme.scaled(60), 0);
    }
}

QByteArray Storyboard::toSvg() const
{
    constexpr int kWidth = 120;
    constexpr int kHeight = 150;
    constexpr int kBetween = 10;
    constexpr int kPerRow = 8;
    const int count = m_player->stepCount();
    const int columns = std::clamp(count, 1, kPerRow);
    const int rows = std::max(1, (count + kPerRow - 1) / kPerRow);
    const int width = kBetween + columns * (kWidth + kBetween);
    const int height = kBetween + rows * (kHeight + kBetween);
    const Theme light; // A document: always the light theme.
    QString svg = QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\" font-family=\"sans-serif\" font-size=\"11\">\n").arg(width).arg(height);
    svg += QStringLiteral("<title>%1</title>\n").arg(tr("Storyboard").toHtmlEscaped());
    svg += QStringLiteral("<rect width=\"%1\" height=\"%2\" fill=\"%3\"/>\n").arg(width).arg(height).arg(light.color(Role::View).name());
    const auto number = [](double value) { return QString::number(std::round(value * 10) / 10, 'g', 6); };
    for (int step = 0; step < count; ++step) {
        const ReplayStep& of = m_player->steps()[at(step)];
        const StepThumbnail picture = thumbnail(step);
        const double left = kBetween + step % kPerRow * (kWidth + kBetween);
        const double top = kBetween + step / kPerRow * (kHeight + kBetween);
        const auto x = [&](const QPointF& unit) { return number(left + 16 + unit.x() * (kWidth - 32)); };
        const auto y = [&](const QPointF& unit) { return number(top + 30 + unit.y() * (kHeight - 64)); };
        const auto lines = [&](const std::vector<QLineF>& of2) {
            QString path;
            for (const QLineF& line : of2)
                path += QStringLiteral("M%1 %2L%3 %4").arg(x(line.p1()), y(line.p1()), x(line.p2()), y(line.p2()));
            return path;
        };
        svg += QStringLiteral("<g id=\"step-%1\">\n").arg(step + 1);
        svg += QStringLiteral("<rect x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" rx=\"4\" fill=\"none\" stroke=\"%5\"/>\n").arg(left).arg(top).arg(kWidth).arg(kHeight).arg(light.color(Role::Line2).name());
        svg += QStringLiteral("<text x=\"%1\" y=\"%2\" fill=\"%3\">%4</text>\n").arg(left + 8).arg(top + 17).arg(light.color(Role::Text).name(), tr("%1 %2").arg(step + 1).arg(steptexts::phase(of.kind)).toHtmlEscaped());
        svg += QStringLiteral("<path d=\"%1\" stroke=\"%2\" fill=\"none\"/>\n").arg(lines(picture.others), light.color(Role::Line2).name());
        svg += QStringLiteral("<path d=\"%1\" stroke=\"%2\" stroke-width=\"2\" fill=\"none\"/>\n").arg(lines(picture.active), steptexts::phaseColor(light, of.kind).name());
        QString squares;
        for (const QPointF& member : picture.members)
            squares += QStringLiteral("M%1 %2h4v4h-4z").arg(number(left + 14 + member.x() * (kWidth - 32)), number(top + 28 + member.y() * (kHeight - 64)));
        svg += QStringLiteral("<path d=\"%1\" fill=\"%2\"/>\n").arg(squares, light.color(Role::Text2).name());
        svg += QStringLiteral("<text x=\"%1\" y=\"%2\" fill=\"%3\" text-anchor=\"middle\">%4</text>\n</g>\n").arg(left + kWidth / 2).arg(top + kHeight - 10).arg(light.color(Role::Text2).name(), texts::time(SimTime{of.endPs - of.beginPs}, 1).toHtmlEscaped());
    }
    svg += QStringLiteral("</svg>\n");
    return svg.toUtf8();
}

bool Storyboard::exportSvg(const QString& path, QString* reason) const
{
    if (const Status target = checkExportTarget(path); !target) {
        if (reason)
            *reason = texts::shown(target.error().message);
        return false;
    }
    const Status written = writeOutputFile(QFile::encodeName(path).toStdString(), toSvg().toStdString());
    if (!written && reason)
        *reason = texts::shown(written.error().message);
    return static_cast<bool>(written);
}

void Storyboard::askForFile()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export storyboard"), QStringLiteral("storyboard.svg"), tr("SVG pictures (*.svg)"));
    QString reason;
    if (!path.isEmpty() && !exportSvg(path, &reason))
        QMessageBox::warning(this, tr("Not exported"), tr("%1 was not written: %2").arg(path, reason));
}

} // namespace fabricscope
