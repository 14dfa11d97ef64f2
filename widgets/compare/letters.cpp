#include "widgets/compare/letters.h"

#include "core/insight/designset.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <cstdlib>

namespace fabricscope::comparing {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::comparing", text);
}

QString partText(const ResultColumnRow& row)
{
    switch (row.part.kind) {
    case ResultPart::Kind::Compute: return tr("Compute");
    case ResultPart::Kind::Host: return tr("Host");
    case ResultPart::Kind::Waiting: return tr("Waiting or idle");
    case ResultPart::Kind::Exposed: break;
    }
    const QString activity = texts::activity(row.part.activity);
    return row.group.empty() ? tr("%1, exposed").arg(activity) : tr("%1 in %2, exposed").arg(activity, texts::shown(row.group));
}

} // namespace

QString letter(std::size_t number)
{
    return QString(QLatin1Char(DesignSet::letter(number)));
}

QString difference(SimTime delta)
{
    if (delta.ps == 0)
        return QStringLiteral("0");
    return (delta.ps < 0 ? QStringLiteral("\u25bc ") : QStringLiteral("\u25b2 ")) + texts::time({std::abs(delta.ps)});
}

QString rowText(const ResultColumnRow& row)
{
    const QString dimension = row.group.empty() ? tr("dimension %1").arg(row.dimension) : texts::shown(row.group);
    switch (row.kind) {
    case ResultColumnRow::Kind::Part: return partText(row);
    case ResultColumnRow::Kind::StepTime: return tr("Step time, sum");
    case ResultColumnRow::Kind::LowerBound: return tr("Lower bound");
    case ResultColumnRow::Kind::BoundShare: return tr("Lower bound, of the step");
    case ResultColumnRow::Kind::Exposed: return tr("Exposed communication");
    case ResultColumnRow::Kind::Busy: return tr("Busy, %1").arg(dimension);
    case ResultColumnRow::Kind::Traffic: return tr("Traffic, %1").arg(dimension);
    case ResultColumnRow::Kind::Memory: break;
    }
    return tr("Memory of a rank, most");
}

} // namespace fabricscope::comparing
