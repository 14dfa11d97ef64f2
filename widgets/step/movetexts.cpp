#include "widgets/step/movetexts.h"

#include "core/draw/phaseactivity.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace fabricscope::steptexts {

namespace {

const QChar kThin(0x202F);

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::steptexts", text);
}

} // namespace

QString phase(PhaseKind kind)
{
    return texts::activity(activityOf(kind));
}

QColor phaseColor(const Theme& theme, PhaseKind kind)
{
    return theme.activity(activityOf(kind));
}

QString operation(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::Reduce: return tr("Reduce");
    case CollectiveOp::Gather: return tr("Gather");
    case CollectiveOp::Scatter: return tr("Scatter");
    case CollectiveOp::Broadcast: return tr("Broadcast");
    case CollectiveOp::Custom: return tr("Custom collective");
    default: return texts::activity(fabricscope::activityOf(op));
    }
}

QString buffer(std::int64_t bytes, std::int64_t whole)
{
    if (bytes < 1024 || (whole > 0 ? whole : bytes) % 1024 != 0)
        return texts::bytes(bytes, 2);
    static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (unit + 1 < std::size(kUnits) && value >= 1024) {
        value /= 1024;
        ++unit;
    }
    int decimals = 0;
    while (decimals < 2 && std::abs(value * std::pow(10, decimals) - std::round(value * std::pow(10, decimals))) > 1e-9)
        ++decimals;
    return texts::number(value, decimals) + kThin + QString::fromLatin1(kUnits[unit]);
}

QString exactNs(std::int64_t ps)
{
    const std::int64_t positive = ps < 0 ? -ps : ps;
    return (ps < 0 ? QString(QChar(0x2212)) : QString()) + texts::count(positive / 1000) + QLocale().decimalPoint()
           + QStringLiteral("%1").arg(positive % 1000, 3, 10, QLatin1Char('0'));
}

QString moment(std::int64_t ps, std::int64_t scale)
{
    const double whole = texts::timeIn(SimTime{scale}, SimTime{scale}, 0).section(kThin, 0, -2).remove(kThin).toDouble();
    const int decimals = whole >= 100 ? 1 : whole >= 10 ? 2 : 3;
    if (ps == 0)
        return texts::number(0, decimals) + kThin + texts::timeUnit(SimTime{scale});
    return texts::timeIn(SimTime{ps}, SimTime{scale}, decimals);
}

std::vector<PartIndex> sortedParts(const CollectiveReplay& replay, const ReplayMove& move)
{
    const auto of = replay.partsOf(move);
    std::vector<PartIndex> parts(of.begin(), of.end());
    std::sort(parts.begin(), parts.end());
    return parts;
}

QString parts(const CollectiveReplay& replay, const ReplayMove& move)
{
    if (move.partCount == 0)
        return QStringLiteral("–");
    const auto name = [&](PartIndex part) { return texts::shown(replay.partName(part)); };
    if (move.partCount == 1)
        return name(replay.partsOf(move).front());
    const std::vector<PartIndex> parts = sortedParts(replay, move);
    // The parts of an all-to-all are pairs, their numbers say nothing.
    if (replay.op() != CollectiveOp::AllToAll && parts.back() - parts.front() + 1 == static_cast<PartIndex>(parts.size()))
        return QStringLiteral("%1–%2").arg(name(parts.front()), name(parts.back()));
    if (parts.size() > 3)
        return tr("%1 parts").arg(texts::count(static_cast<std::int64_t>(parts.size())));
    QStringList list;
    for (const PartIndex part : parts)
        list += name(part);
    return list.join(QStringLiteral(", "));
}

QString partsPhrase(const CollectiveReplay& replay, const ReplayMove& move)
{
    const QString list = parts(replay, move);
    if (move.partCount == 0)
        return buffer(move.bytes, replay.bytes());
    if (move.partCount == 1)
        return tr("part %1").arg(list);
    // A count says so itself.
    return list.at(list.size() - 1).isDigit() ? tr("parts %1").arg(list) : list;
}

QString tokenText(const CollectiveReplay& replay, const ReplayMove& move)
{
    return move.partCount > 1 ? QChar(0x00D7) + texts::count(move.partCount) : parts(replay, move);
}

QString move(const CollectiveReplay& replay, const ReplayMove& move)
{
    return QStringLiteral("%1 → %2").arg(replay.nodeAt(move.source)).arg(replay.nodeAt(move.target));
}

QString state(const MoveProgress& progress)
{
    switch (progress.state) {
    case MoveProgress::State::NotReady: return tr("not yet");
    case MoveProgress::State::Waiting: return tr("waits for link");
    // Not rounded up: 100 % is said only of what has left.
    case MoveProgress::State::Sending: return tr("%1 sent").arg(texts::percent(std::floor(progress.sent * 100) / 100, 0));
    case MoveProgress::State::Arriving: return tr("arriving");
    case MoveProgress::State::Done: break;
    }
    return tr("done");
}

} // namespace fabricscope::steptexts
