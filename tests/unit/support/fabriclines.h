#pragma once

#include "core/platform/fabric/figures.h"
#include "core/platform/fabric/parseline.h"

#include <QString>

namespace fabricscope::test {

inline Result<Fabric> fabricOf(const std::string& line)
{
    return fabricOfLine(line);
}

inline QString counts(const std::vector<std::int64_t>& numbers)
{
    QString out;
    for (const std::int64_t number : numbers)
        out += (out.isEmpty() ? "" : "+") + QString::number(number);
    return out.isEmpty() ? QStringLiteral("-") : out;
}

inline QString tiersOf(const Fabric& fabric)
{
    std::vector<std::int64_t> numbers;
    for (const FabricTier& tier : fabric.tiers())
        numbers.push_back(tier.count);
    return counts(numbers);
}

inline QString textOf(const std::optional<Fraction>& value)
{
    if (!value)
        return QStringLiteral("none");
    return value->under == 1 ? QString::number(value->over) : QStringLiteral("%1/%2").arg(value->over).arg(value->under);
}

} // namespace fabricscope::test
