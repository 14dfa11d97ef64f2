#include "widgets/results/statusstrip.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

const QChar kThin(0x202F);

QString eventsPerSecond(double rate)
{
    static constexpr const char* kPrefixes[] = {"", "k", "M", "G"};
    std::size_t prefix = 0;
    for (; rate >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix)
        rate /= 1000;
    const int decimals = prefix > 0 && rate < 9.95 ? 1 : 0;
    const QString number = texts::number(rate, decimals);
    return prefix == 0 ? number : number + kThin + QString::fromLatin1(kPrefixes[prefix]);
}

QString secondsLeft(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole < 100)
        return StatusStrip::tr("%1 s left").arg(whole);
    if (whole < 6000)
        return StatusStrip::tr("%1 min left").arg((whole + 30) / 60);
    return StatusStrip::tr("%1 h left").arg((whole + 1800) / 3600);
}

/// "simulated in 38 ms".
QString wallTime(std::int64_t microseconds)
{
    return texts::time(SimTime{microseconds * kPsPerUs}, microseconds >= 1'000'000 ? 1 : 0);
}

std::int64_t assumedValues(const RunSummary& summary)
{
    return std::count_if(summary.parameters.begin(), summary.parameters.end(), [](const Parameter& parameter) { return parameter.assumed; });
}

} // namespace

QString progressText(const RunProgress& progress)
{
    if (progress.stage == RunProgress::Stage::Preparing)
        return StatusStrip::tr("Preparing");
    QStringList parts{texts::percent(progress.share, 0)};
    if (progress.eventsPerSecond > 0)
        parts.append(StatusStrip::tr("%1 events/s").arg(eventsPerSecond(progress.eventsPerSecond)));
    if (progress.secondsLeft >= 0)
        parts.append(secondsLeft(progress.secondsLeft));
    return parts.join(QStringLiteral(", "));
}

QString shortFingerprint(const Digest& fingerprint)
{
    const QString digits = QString::fromStdString(fingerprint.hex());
    return digits.size() <= 9 ? digits : digits.left(4) + QLatin1Char('-') + digits.right(4);
}

StatusStrip::StatusStrip(QWidget* parent)
    : QWidget(parent), m_headline(new QLabel(this)), m_outdatedChip(new QLabel(this)), m_progress(new QLabel(this)), m_model(new QLabel(this)), m_engine(new QLabel(this)),
      m_fingerprint(new QPushButton(this)), m_messageIcon(new QLabel(this)), m_message(new ElidedLabel(this)), m_tip(new QLabel(this)), m_coordinates(new QLabel(this)), m_accuracy(new ElidedLabel(this)), m_assumed(new QPushButton(this))
{
    setAccessibleName(tr("Status"));
    auto* row = new QHBoxLayout(this);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_headline, m_outdatedChip, m_progress, m_model, m_engine, m_fingerprint, m_messageIcon, m_message, m_tip})
        row->addWidget(widget);
    setChip(*m_outdatedChip, "warn", texts::earlierInputs());
    m_outdatedChip->setToolTip(texts::earlierInputsExplained());
    row->addStretch(1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_coordinates, m_accuracy, m_assumed})
        row->addWidget(widget);
    const std::initializer_list<std::pair<QWidget*, const char*>> parts{
        {m_headline, "headline"}, {m_progress, "progress"}, {m_model, "model"}, {m_engine, "engine"}, {m_fingerprint, "fingerprint"}, {m_message, "message"},
        {m_tip, "tip"}, {m_coordinates, "coordinates"}, {m_accuracy, "accuracy"}, {m_assumed, "assumed"}};
    for (const auto& [widget, name] : parts)
        widget->setObjectName(QString::fromUtf8(name));
    for (QPushButton* button : {m_fingerprint, m_assumed}) {
        button->setProperty("link", true);
        button->setFlat(true);
    }
    m_fingerprint->setToolTip(tr("Fingerprint of the result: equal inputs give equal fingerprints. Click to copy."));
    m_assumed->setToolTip(tr("Values nobody gave. Click to list them."));
    connect(m_fingerprint, &QPushButton::clicked, this, [this] {
        if (!m_result)
            return;
        const QString digits = QString::fromStdString(m_result->record().fingerprint.hex());
        QApplication::clipboard()->setText(digits);
        setMessage(tr("Copied the fingerprint %1").arg(digits));
    });
    connect(m_assumed, &QPushButton::clicked, this, &StatusStrip::assumedClicked);
    followTheme(this, &StatusStrip::setTheme);
}

void StatusStrip::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    refresh();
}

void StatusStrip::setProgress(std::optional<RunProgress> progress)
{
    m_running = progress;
    refresh();
}

void StatusStrip::setOutdated(bool outdated)
{
    m_outdated = outdated;
    fit();
}

void StatusStrip::setCoordinates(const QString& text)
{
    const QString harmless = texts::shown(text);
    m_coordinates->setText(harmless);
    m_coordinates->setAccessibleName(harmless);
    fit();
}

void StatusStrip::setTip(const QString& text)
{
    m_tip->setText(texts::shown(text));
    fit();
}

void StatusStrip::say(Severity severity, const QString& text)
{
    m_severity = severity;
    m_message->setText(texts::shown(text));
    m_message->setTextFormat(Qt::PlainText);
    colourMessage();
    fit();
}

void StatusStrip::colourMessage()
{
    const bool error = m_severity == Severity::Error;
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(m_severity == Severity::Note ? Role::Text2 : error ? Role::Err : Role::Warn));
    m_message->setPalette(palette);
    const int size = m_theme.scaled(14);
    m_messageIcon->setPixmap(icon(error ? "error" : "warning", IconColors::plain(m_theme.color(error ? Role::Err : Role::Warn))).pixmap(QSize(size, size), devicePixelRatioF()));
    m_messageIcon->setAccessibleName(error ? tr("Error") : tr("Warning"));
}

void StatusStrip::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (QWidget* widget : findChildren<QWidget*>())
        widget->setFont(theme.font(widget == m_headline ? TextStyle::BodyStrong : TextStyle::Hint));
    layout()->setContentsMargins(theme.scaled(12), 0, theme.scaled(12), 0);
    layout()->setSpacing(theme.scaled(16));
    for (QPushButton* button : {m_fingerprint, m_assumed})
        button->setMaximumHeight(theme.scaled(24));
    colourMessage();
    m_outdatedChip->setFixedHeight(theme.scaled(20));
    setMinimumHeight(theme.scaled(24));
    refresh();
}

void StatusStrip::refresh()
{
    m_progress->setText(m_running ? progressText(*m_running) : QString());
    if (m_result) {
        const RunRecord& record = m_result->record();
        m_headline->setText(record.complete || record.cutAt ? texts::time(record.cutAt.value_or(record.finish)) : tr("Stuck"));
        m_model->setText(texts::model(record));
        QStringList engines;
        for (const EngineShare& engine : record.engines)
            engines.append(QString::fromStdString(engine.engine) + QLatin1Char(' ') + texts::percent(engine.share, 0));
        engines.append(tr("simulated in %1").arg(wallTime(m_result->cost.wallMicroseconds)));
        m_engine->setText(engines.join(QStringLiteral(", ")));
        m_fingerprint->setText(tr("fingerprint %1").arg(shortFingerprint(record.fingerprint)));
        const std::int64_t assumed = assumedValues(m_result->summary);
        m_assumed->setText(assumed == 1 ? tr("1 assumed value") : tr("%1 assumed values").arg(texts::count(assumed)));
        m_assumed->setEnabled(assumed > 0);
        showAccuracy();
    }
    fit();
}

void StatusStrip::showAccuracy()
{
    const std::optional<AccuracyFigures>& accuracy = m_result->summary.accuracy;
    const bool measured = accuracy && accuracy->errorPct;
    const bool outside = measured && !accuracy->outside.empty();
    m_accuracy->setText(outside    ? tr("Accuracy: outside of what was measured")
                        : measured ? tr("Accuracy: %1").arg(texts::shown(errorText(accuracy->errorPct)))
                                   : tr("Accuracy: no measurements for this fabric"));
    QStringList lines;
    if (measured)
        lines.append(texts::shown(accuracyText(*accuracy)));
    for (std::size_t i = 0; outside && i < accuracy->outside.size(); ++i)
        lines.append(tr("Not measured: %1").arg(texts::shown(accuracy->outside[i])));
    m_accuracy->setToolTip(lines.join(QLatin1Char('\n')));
    QPalette palette;
    if (outside)
        palette.setColor(QPalette::WindowText, m_theme.color(Role::Warn));
    m_accuracy->setPalette(palette);
}

void StatusStrip::fit()
{
    const bool shown = m_result != nullptr;
    m_headline->setVisible(shown);
    m_outdatedChip->setVisible(shown && m_outdated);
    m_accuracy->setVisible(shown);
    m_assumed->setVisible(shown);
    m_progress->setVisible(m_running.has_value());
    m_message->setVisible(!m_message->text().isEmpty());
    m_messageIcon->setVisible(m_severity != Severity::Note && !m_message->text().isEmpty());
    m_coordinates->setVisible(!m_coordinates->text().isEmpty());
    // Too narrow: what is least asked for goes first. A part of a run has no fingerprint.
    for (QWidget* widget : std::initializer_list<QWidget*>{m_model, m_engine})
        widget->setVisible(shown);
    const bool hasFingerprint = shown && !m_result->record().cutAt;
    m_fingerprint->setVisible(hasFingerprint);
    m_tip->setVisible(!m_tip->text().isEmpty());
    if (!m_tip->text().isEmpty()) {
        for (QWidget* widget : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (widget != m_tip)
                widget->hide();
        return;
    }
    const auto needed = [this] {
        int sum = layout()->contentsMargins().left() + layout()->contentsMargins().right();
        for (const QWidget* widget : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (!widget->isHidden())
                sum += widget->sizeHint().width() + layout()->spacing();
        return sum;
    };
    for (QWidget* widget : std::initializer_list<QWidget*>{m_engine, m_fingerprint, m_model}) {
        if (needed() <= width())
            break;
        widget->hide();
    }
}

void StatusStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace fabricscope
