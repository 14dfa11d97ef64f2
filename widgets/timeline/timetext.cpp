#include "widgets/timeline/timetext.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

namespace fabricscope {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

QString asTooltip(const QString& title, const std::vector<TextLine>& lines)
{
    QString text = QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped());
    std::size_t shown = 0;
    for (const auto& [label, value] : lines) {
        if (++shown > 6)
            break;
        text += QStringLiteral("<br>%1&nbsp; %2").arg(label.toHtmlEscaped(), value.toHtmlEscaped());
    }
    return text;
}

} // namespace

QString eventTitle(const TimelineEvent& event)
{
    return event.name.empty() ? texts::activity(event.activity) : texts::shown(event.name);
}

std::vector<TextLine> eventDetails(const TimelineEvent& event)
{
    std::vector<TextLine> lines;
    QString kind = texts::activity(event.activity);
    if (event.peer)
        kind = event.isSend ? tr("Send") : tr("Receive");
    lines.emplace_back(tr("Kind"), kind);
    if (event.op)
        lines.emplace_back(tr("Operation"), QString::fromUtf8(collectiveKey(*event.op).data(), static_cast<qsizetype>(collectiveKey(*event.op).size())));
    lines.emplace_back(tr("Start"), texts::time(event.begin));
    lines.emplace_back(tr("Duration"), texts::time(event.end - event.begin));
    if (event.issue < event.begin)
        lines.emplace_back(tr("Queued"), texts::time(event.begin - event.issue));
    if (event.bytes > 0)
        lines.emplace_back(tr("Bytes"), texts::bytes(event.bytes));
    if (!event.group.empty())
        lines.emplace_back(tr("Group"), texts::shown(event.group));
    if (event.peer)
        lines.emplace_back(tr("Peer"), tr("Rank %1").arg(*event.peer));
    lines.emplace_back(tr("Step"), tr("%1 of %2").arg(texts::count(event.number), texts::count(event.ofTrack)));
    return lines;
}

QString eventTooltip(const TimelineEvent& event)
{
    return asTooltip(eventTitle(event), eventDetails(event));
}

QString bucketTooltip(const TimelineBucket& bucket, double busyShare, SimTime width)
{
    return asTooltip(tr("%1 intervals in %2").arg(texts::count(bucket.count), texts::time(width)),
                     {{tr("Mostly"), texts::activity(bucket.dominant)}, {tr("Busy"), texts::percent(busyShare)}});
}

std::vector<TextLine> sumDetails(const TimelineSums& sums)
{
    std::vector<TextLine> lines;
    lines.emplace_back(tr("Duration"), texts::time(sums.duration));
    if (sums.bytes > 0) {
        lines.emplace_back(tr("Bytes"), texts::bytes(sums.bytes));
        lines.emplace_back(tr("Mean bandwidth"), texts::rate(sums.bytesPerSecond()));
    }
    for (std::size_t k = 0; k < kActivityCount; ++k)
        if (sums.busyPs[k] > 0)
            lines.emplace_back(texts::activity(static_cast<Activity>(k)), texts::percent(sums.busyShare(static_cast<Activity>(k))));
    return lines;
}

} // namespace fabricscope
