#include "widgets/compare/fieldnames.h"

#include <QFontMetrics>

#include <algorithm>

namespace fabricscope::comparing {

std::string endThatTellsApart(const std::vector<DesignChange>& changes, const std::string& field)
{
    std::size_t from = field.rfind('.');
    while (from != std::string::npos) {
        const std::string end = field.substr(from);
        const bool alone = std::ranges::none_of(changes, [&](const DesignChange& other) { return other.field != field && other.field.ends_with(end); });
        if (alone)
            return end.substr(1);
        from = from == 0 ? std::string::npos : field.rfind('.', from - 1);
    }
    return field;
}

QString elidedField(const QFontMetrics& metrics, const QString& field, const QString& end, int width)
{
    const QString dots(QChar(0x2026));
    const QString cut = end.size() < field.size() ? dots + end : end;
    if (metrics.horizontalAdvance(cut) <= width)
        return metrics.elidedText(field, Qt::ElideLeft, width);
    const auto dot = cut.indexOf(QLatin1Char('.'));
    const QString first = dot < 0 ? cut : cut.left(dot);
    const int room = width - metrics.horizontalAdvance(first);
    if (dot < 0 || room < metrics.horizontalAdvance(dots))
        return metrics.elidedText(first, Qt::ElideMiddle, width);
    return first + metrics.elidedText(cut.mid(dot), Qt::ElideLeft, room);
}

} // namespace fabricscope::comparing
