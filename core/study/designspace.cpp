#include "core/study/designspace.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/seededhash.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace fabricscope {

namespace {

/// Nine digits, so that no machine rounds it otherwise.
double rounded(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    return std::strtod(text, nullptr);
}

/// What seeds of the sampling are for.
constexpr std::int64_t kWithin = 1;
constexpr std::int64_t kShift = 2;
constexpr std::int64_t kDrawn = 3;

/// Of the sequence while it has enough dimensions, else drawn.
double saltelliNumber(const StudySampling& sampling, std::int64_t row, std::int64_t dimension, std::int64_t dimensions)
{
    if (dimensions > static_cast<std::int64_t>(kSobolDimensions))
        return static_cast<double>(seededHash(sampling.seed, {kDrawn, dimension, row}) >> 11) / 9007199254740992.0;
    const auto shift = sampling.seed == 0 ? 0U : static_cast<std::uint32_t>(seededHash(sampling.seed, {kShift, dimension}) >> 32);
    return sobolNumber(static_cast<std::uint32_t>(row), at(dimension), shift);
}

} // namespace

ParameterChoice StudyParameter::at(double share) const
{
    if (!range)
        return choices[std::min(static_cast<std::size_t>(share * static_cast<double>(choices.size())), choices.size() - 1)];
    const double value = rounded(range->logarithmic ? range->from * std::pow(range->to / range->from, share) : range->from + (range->to - range->from) * share);
    ParameterChoice choice;
    choice.value = decimal(value) + (range->unit.empty() ? "" : " " + range->unit);
    choice.label = choice.value;
    choice.place = place;
    choice.named.measure = range->measure;
    if (const Result<Quantity> quantity = parseQuantity(choice.value, range->measure))
        choice.named.number = range->measure == Measure::Time ? static_cast<double>(toSimTime(quantity.value()).ps) : quantity.value().base();
    return choice;
}

std::int64_t StudySpec::mostDesigns() const
{
    return !sampling.search ? kMostDesigns : *sampling.search == StudySampling::Search::SuccessiveHalving ? kMostHalved : kMostSearched;
}

std::int64_t StudySpec::designCount() const
{
    if (sampling.kind == StudySampling::Kind::Saltelli)
        return sampling.points * static_cast<std::int64_t>(parameters.size() + 2);
    if (sampling.kind != StudySampling::Kind::Grid)
        return sampling.points;
    const std::int64_t most = mostDesigns();
    std::int64_t count = 1;
    for (const StudyParameter& parameter : parameters) {
        const auto size = static_cast<std::int64_t>(parameter.choices.size());
        count = count > most / size ? most + 1 : count * size;
    }
    return count;
}

std::vector<ParameterChoice> StudySpec::choicesOf(std::int64_t number) const
{
    std::vector<ParameterChoice> out;
    out.reserve(parameters.size());
    std::int64_t rest = designCount();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const StudyParameter& parameter = parameters[i];
        const auto dimension = static_cast<std::int64_t>(i);
        if (sampling.kind == StudySampling::Kind::Grid) { // The first varies slowest.
            const auto size = static_cast<std::int64_t>(parameter.choices.size());
            rest /= size;
            out.push_back(parameter.choices[fabricscope::at(number / rest % size)]);
        } else if (sampling.kind == StudySampling::Kind::LatinHypercube) {
            const double within = static_cast<double>(seededHash(sampling.seed, {kWithin, dimension, number}) >> 11) / 9007199254740992.0;
            out.push_back(parameter.at((static_cast<double>(strata[i][fabricscope::at(number)]) + within) / static_cast<double>(sampling.points)));
        } else if (sampling.kind == StudySampling::Kind::Saltelli) { // A row: A, B, and A with one parameter of B.
            const auto all = static_cast<std::int64_t>(parameters.size());
            const std::int64_t design = number % (all + 2);
            const bool ofB = design == 1 || design == dimension + 2;
            out.push_back(parameter.at(saltelliNumber(sampling, number / (all + 2), ofB ? all + dimension : dimension, 2 * all)));
        } else {
            const auto shift = sampling.seed == 0 ? 0U : static_cast<std::uint32_t>(seededHash(sampling.seed, {kShift, dimension}) >> 32);
            out.push_back(parameter.at(sobolNumber(static_cast<std::uint32_t>(number), i, shift)));
        }
    }
    return out;
}

std::vector<PlacedField> StudySpec::fieldsOf(const std::vector<ParameterChoice>& choices) const
{
    assert(choices.size() == parameters.size());
    std::vector<PlacedField> out;
    for (const auto& [parameter, field] : fields)
        out.push_back({{field, choices[parameter].value}, "parameter " + parameters[parameter].name});
    return out;
}

NamedValue StudySpec::valueOf(std::string_view asked, const std::vector<ParameterChoice>& choices, const PointFigures& figures) const
{
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == asked)
            return choices[i].named;
    }
    const std::optional<PointFigure> figure = pointFigureNamed(asked);
    assert(figure);
    return {false, rowOf(*figure).measure, figures[*figure], {}};
}

bool StudySpec::usesParts() const
{
    if (std::any_of(objectives.begin(), objectives.end(), [](const StudyObjective& objective) { return needsParts(objective.figure); }))
        return true;
    return std::any_of(constraints.begin(), constraints.end(), [](const StudyConstraint& constraint) {
        return std::any_of(constraint.condition.names().begin(), constraint.condition.names().end(), [](const std::string& word) {
            const auto figure = pointFigureNamed(word);
            return figure && needsParts(*figure);
        });
    });
}

} // namespace fabricscope
