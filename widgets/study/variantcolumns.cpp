#include "widgets/study/variantcolumns.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "widgets/base/showntexts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr double kColumnLogAbove = 50; ///< Largest to smallest.
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// Of a parameter with choices. A label that stands for two choices is its first one.
VariantColumn variantsOfChoices(const StudySpec& space, std::size_t parameter, const StudyTable& table, const VariantAxis& axis)
{
    const std::vector<ParameterChoice>& choices = space.parameters[parameter].choices;
    const bool numbers = std::all_of(choices.begin(), choices.end(), [](const ParameterChoice& choice) { return choice.named.number.has_value(); });
    std::vector<std::size_t> order(choices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (numbers)
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *choices[a].named.number < *choices[b].named.number; });
    std::unordered_map<std::string_view, std::size_t> placeOf;
    std::vector<double> values;
    std::vector<QString> labels;
    for (const std::size_t choice : order) {
        // Two ways to write a number are one value.
        if (!numbers || values.empty() || *choices[choice].named.number != values.back()) {
            values.push_back(numbers ? *choices[choice].named.number : static_cast<double>(values.size()));
            labels.push_back(texts::shown(choices[choice].label));
        }
        placeOf.emplace(choices[choice].label, values.size() - 1);
    }
    std::vector<std::size_t> places;
    places.reserve(table.rows.size());
    for (const StudyTableRow& row : table.rows) {
        const auto place = placeOf.find(row.labels[parameter]);
        places.push_back(place == placeOf.end() ? values.size() : place->second);
    }
    return {axis, places, std::move(values), std::move(labels)};
}

VariantColumn variantsAlong(const StudySpec& space, const StudyTable& table, const VariantAxis& axis)
{
    if (!axis.figure && !space.parameters[axis.parameter].choices.empty())
        return variantsOfChoices(space, axis.parameter, table, axis);
    std::vector<double> values;
    values.reserve(table.rows.size());
    for (const StudyTableRow& row : table.rows)
        values.push_back(axis.of(space, row).value_or(kNoValue));
    return {axis, std::move(values)};
}

} // namespace

VariantColumn::VariantColumn(VariantAxis axis, std::vector<double> values) : m_axis(std::move(axis)), m_values(std::move(values))
{
    bool any = false;
    for (const double value : m_values) {
        if (std::isnan(value))
            continue;
        m_least = any ? std::min(m_least, value) : value;
        m_most = any ? std::max(m_most, value) : value;
        any = true;
    }
    m_log = any && m_least > 0 && m_most / m_least > kColumnLogAbove;
    findParts();
}

VariantColumn::VariantColumn(VariantAxis axis, const std::vector<std::size_t>& places, std::vector<double> numbers, std::vector<QString> labels)
    : m_axis(std::move(axis)), m_numbers(std::move(numbers)), m_labels(std::move(labels)), m_least(m_numbers.front()), m_most(m_numbers.back())
{
    m_values.reserve(places.size());
    for (const std::size_t place : places)
        m_values.push_back(place < m_numbers.size() ? m_numbers[place] : kNoValue);
    findParts();
}

void VariantColumn::findParts()
{
    m_parts.reserve(m_values.size());
    for (const double value : m_values)
        m_parts.push_back(static_cast<float>(std::isnan(value) ? value : partOf(value)));
}

double VariantColumn::partOf(double value) const
{
    if (std::isinf(value))
        return value < 0 ? 0 : 1;
    if (!m_numbers.empty()) {
        const auto count = static_cast<double>(m_numbers.size());
        if (m_numbers.size() == 1)
            return value < m_least ? 0 : value > m_most ? 1 : 0.5;
        // Between two values as between their places, beyond them as far again.
        const auto above = std::clamp(std::upper_bound(m_numbers.begin(), m_numbers.end(), value), m_numbers.begin() + 1, m_numbers.end() - 1);
        const double low = *(above - 1);
        return (static_cast<double>(above - m_numbers.begin()) - 0.5 + (value - low) / (*above - low)) / count;
    }
    if (!(m_most > m_least))
        return value < m_least ? 0 : value > m_most ? 1 : 0.5;
    if (m_log)
        return value <= 0 ? -1 : std::log(value / m_least) / std::log(m_most / m_least);
    return (value - m_least) / (m_most - m_least);
}

double VariantColumn::valueAt(double part) const
{
    if (!m_numbers.empty()) {
        const double place = part * static_cast<double>(m_numbers.size()) - 0.5;
        if (m_numbers.size() == 1)
            return m_least + place;
        const auto below = static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, static_cast<double>(m_numbers.size() - 2)));
        return m_numbers[below] + (place - static_cast<double>(below)) * (m_numbers[below + 1] - m_numbers[below]);
    }
    if (!(m_most > m_least))
        return m_least + part - 0.5;
    return m_log ? m_least * std::pow(m_most / m_least, part) : m_least + part * (m_most - m_least);
}

QString VariantColumn::text(double value) const
{
    const auto named = std::find(m_numbers.begin(), m_numbers.end(), value);
    return named == m_numbers.end() ? m_axis.text(value) : m_labels[at(named - m_numbers.begin())];
}

QString VariantColumn::text(const VariantInterval& interval) const
{
    const auto between = [](const QString& low, const QString& high) { return low == high ? low : low + QStringLiteral(" – ") + high; };
    const auto holds = [&](double number) { return interval.holds(number); };
    const auto first = std::find_if(m_numbers.begin(), m_numbers.end(), holds);
    if (first == m_numbers.end())
        return between(m_axis.text(interval.low), m_axis.text(interval.high));
    const auto last = std::find_if(m_numbers.rbegin(), m_numbers.rend(), holds);
    return between(text(*first), text(*last));
}

const VariantColumn* VariantColumns::find(const VariantAxis& axis) const
{
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const VariantColumn& column) { return column.axis().isSame(axis); });
    return found == columns.end() ? nullptr : &*found;
}

VariantColumns::VariantColumns(StudyTablePtr of, std::vector<VariantColumn> with, std::size_t ofNumbers) : table(std::move(of)), columns(std::move(with)), numeric(ofNumbers)
{
    spread.reserve(table->rows.size());
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
        if (table->rows[row].state == StudyTableRow::State::Done)
            done.push_back(static_cast<std::uint32_t>(row));
        spread.push_back(static_cast<float>(static_cast<double>(seededHash(0, {table->rows[row].number}) >> 11) / 9007199254740992.0 - 0.5));
    }
}

VariantColumnsPtr variantColumns(const VariedStudyPtr& study, const StudyTablePtr& table)
{
    std::vector<VariantColumn> columns;
    for (const VariantAxis& axis : variantAxes(study->space, *table))
        columns.push_back(variantsAlong(study->space, *table, axis));
    const std::size_t numeric = columns.size();
    for (std::size_t i = 0; i < study->space.parameters.size(); ++i) {
        const VariantAxis axis{texts::shown(study->space.parameters[i].name), Measure::Count, std::nullopt, i};
        if (std::none_of(columns.begin(), columns.end(), [&](const VariantColumn& column) { return column.axis().isSame(axis); }))
            columns.push_back(variantsAlong(study->space, *table, axis));
    }
    return std::make_shared<const VariantColumns>(table, std::move(columns), numeric);
}

const VariantInterval* VariantBrush::of(const VariantAxis& axis) const
{
    const auto side = std::find_if(m_sides.begin(), m_sides.end(), [&](const Side& other) { return other.first.isSame(axis); });
    return side == m_sides.end() ? nullptr : &side->second;
}

void VariantBrush::set(const VariantAxis& axis, const VariantInterval& interval)
{
    remove(axis);
    m_sides.emplace_back(axis, interval);
}

void VariantBrush::remove(const VariantAxis& axis)
{
    std::erase_if(m_sides, [&](const Side& side) { return side.first.isSame(axis); });
}

BrushedRows brushedRows(const VariantColumns& columns, const VariantBrush& brush)
{
    if (brush.isEmpty())
        return nullptr;
    std::vector<char> inside(columns.table->rows.size(), 1);
    for (const auto& [axis, interval] : brush.sides()) {
        const VariantColumn* const column = columns.find(axis);
        for (std::size_t row = 0; row < inside.size(); ++row)
            inside[row] = static_cast<char>(inside[row] != 0 && column && interval.holds(column->value(row)));
    }
    return std::make_shared<const std::vector<char>>(std::move(inside));
}

} // namespace fabricscope
