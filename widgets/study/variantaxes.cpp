#include "widgets/study/variantaxes.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace fabricscope {

namespace {

/// In the order of PointFigure.
constexpr std::array<const char*, kPointFigures> kFigureTitles{
    QT_TRANSLATE_NOOP("fabricscope::Figures", "Step time"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Exposed communication"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Compute"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Communication"),
    QT_TRANSLATE_NOOP("fabricscope::Figures", "Tokens a second"), QT_TRANSLATE_NOOP("fabricscope::Figures", "MFU"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Memory per rank"), QT_TRANSLATE_NOOP("fabricscope::Figures", "NPUs"),
    QT_TRANSLATE_NOOP("fabricscope::Figures", "Switches"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Cables"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Cost"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Cost per year"),
    QT_TRANSLATE_NOOP("fabricscope::Figures", "Cost per million tokens"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Power"), QT_TRANSLATE_NOOP("fabricscope::Figures", "MTBF"), QT_TRANSLATE_NOOP("fabricscope::Figures", "Goodput")};

ColumnUnit prefixed(double largest, const QString& suffix)
{
    constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    double divisor = 1;
    while (step + 1 < kPrefixes.size() && std::abs(largest) / divisor >= 999.95) {
        divisor *= 1000;
        ++step;
    }
    return {QString::fromLatin1(kPrefixes[step]) + suffix, divisor, 0};
}

ColumnUnit unitOfCount(const std::optional<PointFigure>& figure, double largest)
{
    switch (figure.value_or(PointFigure::Npus)) {
    case PointFigure::Cost:
    case PointFigure::CostPerYear: return prefixed(largest, QStringLiteral("$"));
    case PointFigure::CostPerToken: return {QStringLiteral("$"), 1e-6, 0};
    case PointFigure::Power: return prefixed(largest, QStringLiteral("W"));
    case PointFigure::Mtbf: return {QStringLiteral("h"), 1, 0};
    case PointFigure::Mfu:
    case PointFigure::Goodput: return {QStringLiteral("%"), 0.01, 0};
    default: return {{}, 1, 0};
    }
}

} // namespace

QString figureTitle(PointFigure figure)
{
    return QCoreApplication::translate("fabricscope::Figures", kFigureTitles[static_cast<std::size_t>(figure)]);
}

std::optional<double> VariantAxis::of(const StudySpec& space, const StudyTableRow& row) const
{
    return figure ? row.figures[*figure] : space.choicesOf(row.number)[parameter].named.number;
}

ColumnUnit VariantAxis::unit(double largest) const
{
    switch (measure) {
    case Measure::Time: return ColumnUnit::ofTime(std::llround(largest));
    case Measure::Size: return ColumnUnit::ofBytes(std::llround(largest));
    case Measure::Bandwidth: return prefixed(largest, QStringLiteral("B/s"));
    case Measure::Operations: return prefixed(largest, QStringLiteral("FLOP"));
    case Measure::ComputeRate: return prefixed(largest, QStringLiteral("FLOP/s"));
    case Measure::Count: break;
    }
    return unitOfCount(figure, largest);
}

QString VariantAxis::text(double value) const
{
    const ColumnUnit in = unit(value);
    return in.name.isEmpty() ? number(value, in) : number(value, in) + QChar(0x202f) + in.name;
}

QString VariantAxis::number(double value, const ColumnUnit& in)
{
    constexpr double kDigits = 4;
    const double shown = value / in.divisor;
    int decimals = 0;
    if (shown != 0 && (std::abs(shown) < 1e4 || std::floor(shown) != shown))
        decimals = std::clamp(static_cast<int>(kDigits - 1 - std::floor(std::log10(std::abs(shown)))), 0, 6);
    QString text = texts::number(shown, decimals);
    const QString mark = texts::number(0.5, 1).mid(1, 1);
    while (text.contains(mark) && (text.endsWith(QLatin1Char('0')) || text.endsWith(mark)))
        text.chop(1);
    return text;
}

std::vector<VariantAxis> variantAxes(const StudySpec& space, const StudyTable& table)
{
    std::vector<VariantAxis> axes;
    std::set<PointFigure> seen;
    for (const StudyObjective& objective : space.objectives) {
        axes.push_back({figureTitle(objective.figure), rowOf(objective.figure).measure, objective.figure, 0, objective.sense, true});
        seen.insert(objective.figure);
    }
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        const StudyParameter& parameter = space.parameters[i];
        const bool numbers = parameter.range || std::all_of(parameter.choices.begin(), parameter.choices.end(), [](const ParameterChoice& choice) { return choice.named.number.has_value(); });
        if (!numbers)
            continue;
        const Measure measure = parameter.range ? parameter.range->measure : parameter.choices.front().named.measure;
        axes.push_back({texts::shown(parameter.name), measure, std::nullopt, i});
    }
    for (std::size_t i = 0; i < kPointFigures; ++i) {
        const auto figure = static_cast<PointFigure>(i);
        if (!seen.contains(figure) && std::any_of(table.rows.begin(), table.rows.end(), [figure](const StudyTableRow& row) { return row.figures[figure].has_value(); }))
            axes.push_back({figureTitle(figure), rowOf(figure).measure, figure, 0});
    }
    return axes;
}

} // namespace fabricscope
