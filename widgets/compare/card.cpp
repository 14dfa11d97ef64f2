#include "widgets/compare/card.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/icons.h"
#include "widgets/base/partsbar.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/compare/letters.h"
#include "widgets/results/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kShownFields = 3; ///< And a line that says how many there are more.
constexpr int kScale = 10'000; ///< Parts of the width of a bar.

QString changeOf(const RunRecord& record, const RunRecord& baseline)
{
    const SimTime delta = record.finish - baseline.finish;
    const double share = baseline.finish.ps > 0 ? static_cast<double>(delta.ps) / static_cast<double>(baseline.finish.ps) : 0;
    const QString sign = share < 0 ? QString(QChar(0x2212)) : QStringLiteral("+");
    return delta.ps == 0 ? CompareCard::tr("as the baseline") : CompareCard::tr("%1 (%2)").arg(comparing::difference(delta), sign + texts::percent(std::abs(share)));
}

} // namespace

/// What differs, as many lines as there is room for; the last says how many there are more.
class CardLines : public QLabel
{
public:
    CardLines()
    {
        setWordWrap(true);
        setAlignment(Qt::AlignLeft | Qt::AlignTop);
    }
    void setLines(QStringList lines)
    {
        m_lines = std::move(lines);
        fit();
    }
    bool hasHeightForWidth() const override { return false; } // It would be that of what is shown now.
    QSize sizeHint() const override { return {QLabel::sizeHint().width(), (kShownFields + 1) * fontMetrics().lineSpacing()}; }
    QSize minimumSizeHint() const override { return {QLabel::minimumSizeHint().width(), fontMetrics().lineSpacing()}; }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QLabel::resizeEvent(event);
        fit();
    }
    void showEvent(QShowEvent* event) override
    {
        QLabel::showEvent(event);
        fit();
    }

private:
    void fit()
    {
        const qsizetype room = isVisible() ? std::clamp(height() / fontMetrics().lineSpacing(), 1, kShownFields + 1) : kShownFields + 1;
        const bool all = m_lines.size() <= std::min<qsizetype>(room, kShownFields);
        QStringList shown = all ? m_lines : m_lines.mid(0, room - 1);
        if (room == 1 && !all)
            shown.append(CompareCard::tr("Fields that differ: %1").arg(m_lines.size()));
        else if (!all)
            shown.append(CompareCard::tr("and %1 more").arg(m_lines.size() - shown.size()));
        setText(shown.join(QLatin1Char('\n')));
    }

    QStringList m_lines;
};

CompareCard::CompareCard(QWidget* parent)
    : QFrame(parent), m_letter(new QLabel), m_name(new ElidedLabel), m_time(new QLabel), m_change(new QLabel), m_fields(new CardLines), m_bar(new PartsBar),
      m_scale(new QHBoxLayout), m_baseline(new QToolButton), m_remove(new QToolButton)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_letter->setFrameShape(QFrame::Box);
    m_letter->setAlignment(Qt::AlignCenter);
    m_baseline->setAutoRaise(true);
    m_baseline->setToolTip(tr("Make it the baseline"));
    m_remove->setAutoRaise(true);
    m_remove->setToolTip(tr("Take it out of the comparison"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_letter);
    head->addWidget(m_name, 1);
    head->addWidget(m_baseline);
    head->addWidget(m_remove);
    auto* figures = new QHBoxLayout;
    figures->addWidget(m_time);
    figures->addStretch();
    auto* change = new QHBoxLayout;
    change->addWidget(m_change);
    change->addStretch();
    m_scale->setSpacing(0);
    m_scale->addWidget(m_bar);
    m_scale->addStretch();
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(12, 8, 12, 8);
    all->setSpacing(4);
    all->addLayout(head);
    all->addLayout(figures);
    all->addLayout(change);
    all->addWidget(m_fields, 1);
    all->addLayout(m_scale);
    connect(m_baseline, &QToolButton::clicked, this, [this] { emit baselineWanted(m_number); });
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removalWanted(m_number); });
    followTheme(this, &CompareCard::setTheme);
}

void CompareCard::setTheme(const Theme& theme)
{
    m_letter->setFont(theme.font(TextStyle::LabelStrong));
    m_letter->setFixedSize(theme.scaled(20), theme.scaled(20));
    m_name->setFont(theme.font(TextStyle::BodyStrong));
    m_time->setFont(theme.font(TextStyle::Headline));
    m_baseline->setIcon(icon("baseline", theme));
    m_remove->setIcon(icon("delete", theme));
}

QString CompareCard::timeText() const
{
    return m_time->text();
}

QString CompareCard::changeText() const
{
    return m_change->text();
}

void CompareCard::setFigures(const CardContent& content)
{
    const RunRecord& record = content.run->record();
    m_time->setText(record.complete ? texts::time(record.finish) : tr("never ends"));
    if (!content.baseline)
        setChip(*m_change, "info", tr("baseline"));
    else if (!record.complete || !content.baseline->record().complete)
        setChip(*m_change, "warn", tr("not comparable"));
    else if (const std::string same = notDistinguishable(content.run->summary, content.baseline->summary); !same.empty() && record.finish != content.baseline->record().finish)
        setChip(*m_change, "info", texts::shown(same));
    else
        setChip(*m_change, record.finish <= content.baseline->record().finish ? "ok" : "err", changeOf(record, content.baseline->record()));
    std::vector<PartsBar::Part> parts;
    const WorkloadPtr& workload = content.run->scenario->structure->workload;
    if (record.complete && workload) {
        for (const ResultPart& part : resultParts(record, *workload, slowestClass(record)).parts) {
            const bool hatched = part.kind == ResultPart::Kind::Exposed && part.activity != Activity::Memory;
            const Activity activity = part.kind == ResultPart::Kind::Waiting ? Activity::Waiting : part.activity;
            parts.push_back({tr("%1 %2").arg(texts::part(part, *workload), texts::time({part.ps})), activity, hatched, part.ps});
        }
    }
    m_bar->setParts(std::move(parts));
    const double share = content.longest.ps > 0 ? static_cast<double>(record.finish.ps) / static_cast<double>(content.longest.ps) : 0;
    const int length = std::clamp(static_cast<int>(std::lround(share * kScale)), 1, kScale);
    m_scale->setStretch(0, length);
    m_scale->setStretch(1, kScale - length);
}

void CompareCard::setContent(const CardContent& content)
{
    m_number = content.number;
    const QString letter = comparing::letter(content.number);
    m_letter->setText(letter);
    m_name->setText(content.name);
    m_change->setVisible(content.run != nullptr);
    m_bar->setVisible(content.run != nullptr);
    m_time->setVisible(content.run != nullptr);
    m_baseline->setVisible(content.run && content.baseline);
    m_remove->setVisible(!content.current);
    m_baseline->setAccessibleName(tr("Make %1 the baseline").arg(letter));
    m_remove->setAccessibleName(tr("Take %1 out of the comparison").arg(letter));
    m_bar->setAccessibleName(tr("Parts of %1").arg(letter));
    setAccessibleName(tr("Design %1, %2").arg(letter, content.name));
    if (!content.run) {
        m_fields->setLines({content.message});
        return;
    }
    const QStringList fields = content.fields.isEmpty() ? QStringList(tr("No field differs")) : content.fields;
    m_fields->setLines(content.baseline ? fields : QStringList(texts::model(content.run->record())));
    setFigures(content);
}

} // namespace fabricscope
