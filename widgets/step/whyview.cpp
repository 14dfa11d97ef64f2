#include "widgets/step/whyview.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/moveroutes.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace fabricscope {

void MoveWhyPanel::paintPart(QPainter& painter, const QRectF& rect, Row::Kind kind, const Theme& theme, const QColor& phase)
{
    switch (kind) {
    case Row::Kind::Waiting: steppaint::waiting(painter, rect, theme); break;
    case Row::Kind::Sending: painter.fillRect(rect, phase); break;
    case Row::Kind::Latency: painter.fillRect(rect, theme.color(Role::Outline)); break;
    case Row::Kind::Reduction: painter.fillRect(rect, theme.activity(Activity::Memory)); break;
    }
}

/// The stacked bar.
class MoveWhyPanel::Bar : public QWidget
{
public:
    explicit Bar(const MoveWhyPanel& panel) : m_panel(panel)
    {
        setFixedHeight(14);
        setAccessibleName(MoveWhyPanel::tr("Parts of the time"));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        std::int64_t total = 0;
        for (const Row& row : m_panel.m_rows)
            total += row.ps;
        if (total <= 0)
            return;
        std::int64_t done = 0;
        for (const Row& row : m_panel.m_rows) {
            const double left = static_cast<double>(done) / static_cast<double>(total) * width();
            done += row.ps;
            const double right = static_cast<double>(done) / static_cast<double>(total) * width();
            if (row.ps > 0)
                paintPart(painter, QRectF(left, 0, std::max(1.0, right - left - (done < total ? 1 : 0)), height()), row.kind, m_panel.m_theme, phase());
        }
    }

private:
    QColor phase() const
    {
        const ReplayStep* step = m_panel.m_player->currentStep();
        return steptexts::phaseColor(m_panel.m_theme, step ? step->kind : PhaseKind::AllReduce);
    }
    const MoveWhyPanel& m_panel;
};

/// The square before a row.
class MoveWhyPanel::Mark : public QWidget
{
public:
    Mark(const MoveWhyPanel& panel, std::size_t row) : m_panel(panel), m_row(row)
    {
        setFixedSize(10, 10);
        setAccessibleName(MoveWhyPanel::tr("Colour of the part"));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const ReplayStep* step = m_panel.m_player ? m_panel.m_player->currentStep() : nullptr;
        if (m_row < m_panel.m_rows.size())
            paintPart(painter, rect(), m_panel.m_rows[m_row].kind, m_panel.m_theme, steptexts::phaseColor(m_panel.m_theme, step ? step->kind : PhaseKind::AllReduce));
    }

private:
    const MoveWhyPanel& m_panel;
    std::size_t m_row;
};

MoveWhyPanel::MoveWhyPanel(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Selected move"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_empty = new QLabel(tr("No move is selected. Click a token or a row of the list."));
    m_empty->setProperty("role", QStringLiteral("secondary"));
    m_empty->setWordWrap(true);
    m_empty->setContentsMargins(12, 8, 12, 8);
    outer->addWidget(m_empty);
    m_content = new QWidget;
    outer->addWidget(m_content);
    outer->addStretch(1);

    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(8);
    auto* head = new QHBoxLayout;
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("title"));
    m_span = new QLabel;
    m_span->setProperty("role", QStringLiteral("secondary"));
    m_span->setAlignment(Qt::AlignRight | Qt::AlignTop);
    for (QLabel* label : {m_title, m_span})
        label->setWordWrap(true); // Large text is broken, not cut.
    head->addWidget(m_title, 1, Qt::AlignTop);
    head->addWidget(m_span, 0, Qt::AlignTop);
    column->addLayout(head);
    m_bar = new Bar(*this);
    column->addWidget(m_bar);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    for (int row = 0; row < 4; ++row) {
        auto* mark = new Mark(*this, static_cast<std::size_t>(row));
        auto* label = new QLabel;
        auto* value = new QLabel;
        label->setWordWrap(true);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(mark, row, 0, Qt::AlignVCenter);
        grid->addWidget(label, row, 1);
        grid->addWidget(value, row, 2);
        m_marks.push_back(mark);
        m_labels.push_back(label);
        value->setObjectName(QStringLiteral("value"));
        m_values.push_back(value);
    }
    auto* rule = new QFrame;
    rule->setProperty("rule", true);
    grid->addWidget(rule, 4, 0, 1, 3);
    m_sumLabel = new QLabel;
    m_sumLabel->setWordWrap(true);
    m_sum = new QLabel;
    m_sum->setObjectName(QStringLiteral("sum"));
    m_sum->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    grid->addWidget(m_sumLabel, 5, 0, 1, 2);
    grid->addWidget(m_sum, 5, 2);
    column->addLayout(grid);
    m_note = new QLabel;
    m_note->setProperty("role", QStringLiteral("hint"));
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    auto* show = new QPushButton(tr("Show on timeline"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(show);
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(show, &QPushButton::clicked, this, &MoveWhyPanel::showOnTimelineRequested);
    m_content->hide();
    followTheme(this, &MoveWhyPanel::setTheme);
}

void MoveWhyPanel::setPlayer(StepPlayer* player)
{
    if (m_player)
        m_player->disconnect(this);
    m_player = player;
    connect(player, &StepPlayer::selectionChanged, this, &MoveWhyPanel::refresh);
    connect(player, &StepPlayer::replayChanged, this, &MoveWhyPanel::refresh);
    connect(player, &StepPlayer::timeChanged, this, &MoveWhyPanel::stateChanged);
    refresh();
}

void MoveWhyPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font(TextStyle::BodyStrong));
    m_sumLabel->setFont(theme.font(TextStyle::BodyStrong));
    m_sum->setFont(theme.font(TextStyle::BodyStrong));
    m_bar->setFixedHeight(theme.scaled(14));
    for (Mark* mark : m_marks)
        mark->setFixedSize(theme.scaled(10), theme.scaled(10));
    m_bar->update();
    update();
}

void MoveWhyPanel::refresh()
{
    m_rows.clear();
    const qint64 selected = m_player->selectedMove();
    m_content->setVisible(selected >= 0);
    m_empty->setVisible(selected < 0);
    if (selected < 0) {
        emit stateChanged();
        return;
    }
    const CollectiveReplay& replay = *m_player->replay();
    const ReplayMove& move = replay.moves()[at(selected)];
    const MoveWhy why = replay.why(static_cast<std::uint32_t>(selected));

    QString waiting = tr("Waiting");
    if (why.waitedFor >= 0) {
        const ReplayMove& other = replay.moves()[at(why.waitedFor)];
        waiting = other.chunk == move.chunk ? tr("Waiting for %1 on the same link").arg(steptexts::move(replay, other))
                                            : tr("Waiting for %1 of chunk %2").arg(steptexts::move(replay, other)).arg(other.chunk + 1);
    } else if (why.waiting > 0) {
        waiting = tr("Waiting for busy links on the way");
    }
    const QString sending = why.slowestRate > 0 ? tr("Sending %1 at %2").arg(steptexts::buffer(move.bytes, replay.bytes()), texts::rate(static_cast<double>(why.slowestRate)))
                                                : tr("Sending %1").arg(steptexts::buffer(move.bytes, replay.bytes()));
    const std::int64_t perHop = why.hops > 0 ? why.latency / why.hops : 0;
    const QString latency = why.hops == 1 ? tr("Latency of the link")
                            : perHop * why.hops == why.latency ? tr("Latency, %1 hops of %2").arg(why.hops).arg(texts::time(SimTime{perHop}, perHop % 1000 == 0 && perHop % 100'000 != 0 ? 3 : 1))
                                                               : tr("Latency, %1 hops").arg(why.hops);
    const QString reduction = !move.reduces ? tr("Reduction: none, the part is only copied") : why.reduction == 0 ? tr("Reduction, overlaps with arrival") : tr("Reduction after arrival");
    const auto add = [this](Row::Kind kind, const QString& label, std::int64_t ps) { m_rows.push_back({kind, label, steptexts::exactNs(ps), ps}); };
    add(Row::Kind::Waiting, waiting, why.waiting);
    add(Row::Kind::Sending, sending, why.serialisation);
    add(Row::Kind::Latency, latency, why.latency);
    add(Row::Kind::Reduction, reduction, why.reduction);

    m_title->setText(title());
    m_span->setText(span());
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        m_labels[row]->setText(m_rows[row].label);
        m_values[row]->setText(m_rows[row].value);
    }
    m_sumLabel->setText(tr("Why %1").arg(texts::time(SimTime{why.duration()})));
    m_sum->setText(sumText());
    const double share = why.duration() > 0 ? static_cast<double>(why.waiting) / static_cast<double>(why.duration()) : 0;
    m_note->setText(why.waiting > 0 ? tr("On an idle path it would take %1. %2 of its time is waiting.").arg(texts::time(SimTime{why.duration() - why.waiting}), texts::percent(share, 0))
                                    : tr("It waits for nothing: this is the time of an idle path."));
    setAccessibleDescription(tr("%1, %2, %3").arg(title(), span(), sumText()));
    m_bar->update();
    for (Mark* mark : m_marks)
        mark->update();
    emit stateChanged();
}

QString MoveWhyPanel::title() const
{
    if (!m_player || m_player->selectedMove() < 0)
        return {};
    const CollectiveReplay& replay = *m_player->replay();
    const ReplayMove& move = replay.moves()[at(m_player->selectedMove())];
    if (move.partCount == 1)
        return tr("%1, chunk part %2").arg(steptexts::move(replay, move), steptexts::parts(replay, move));
    return tr("%1, %2").arg(steptexts::move(replay, move), steptexts::partsPhrase(replay, move));
}

QString MoveWhyPanel::span() const
{
    if (!m_player || m_player->selectedMove() < 0)
        return {};
    const ReplayMove& move = m_player->replay()->moves()[at(m_player->selectedMove())];
    const SimTime begin{move.readyPs - m_player->originPs()};
    const SimTime end{move.donePs - m_player->originPs()};
    // One unit for both, said once.
    const QString first = begin.ps == 0 ? texts::number(0, 3) : texts::timeIn(begin, end, 3).section(QChar(0x202F), 0, -2);
    return tr("%1 to %2").arg(first, texts::timeIn(end, end, 3));
}

QString MoveWhyPanel::sumText() const
{
    std::int64_t sum = 0;
    for (const Row& row : m_rows)
        sum += row.ps;
    return m_rows.empty() ? QString() : steptexts::exactNs(sum) + QChar(0x202F) + QStringLiteral("ns");
}

QString MoveWhyPanel::stateText() const
{
    if (!m_player || m_player->selectedMove() < 0)
        return {};
    switch (m_player->routes()->progress(static_cast<std::uint32_t>(m_player->selectedMove()), m_player->timePs()).state) {
    case MoveProgress::State::NotReady: return tr("not yet");
    case MoveProgress::State::Waiting: return tr("waiting");
    case MoveProgress::State::Sending:
    case MoveProgress::State::Arriving: return tr("in flight");
    case MoveProgress::State::Done: break;
    }
    return tr("done");
}

} // namespace fabricscope
