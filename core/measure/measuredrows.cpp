#include "core/measure/measuredrows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::size_t kMostRows = 100'000;

Error rowError(const std::string& file, int line, std::string message, std::string expected)
{
    Place place;
    place.file = file;
    place.line = line;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

/// Cells of one line; false: a quote is not closed.
bool splitCells(std::string_view line, std::vector<std::string>& cells)
{
    cells.assign(1, {});
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += c;
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return !quoted;
}

} // namespace

std::int32_t MeasuredTable::column(std::string_view name) const
{
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? -1 : static_cast<std::int32_t>(found - header.begin());
}

const std::string& MeasuredTable::cell(const Row& row, std::string_view name) const
{
    static const std::string kNone;
    const std::int32_t at = column(name);
    return at < 0 ? kNone : row.cells[static_cast<std::size_t>(at)];
}

std::optional<double> MeasuredTable::number(const Row& row, std::string_view name) const
{
    const std::string& text = cell(row, name);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
        return std::nullopt;
    return value;
}

Result<std::int64_t> MeasuredTable::whole(const Row& row, std::string_view name) const
{
    const std::optional<double> value = number(row, name);
    constexpr double kMost = 2147483648.0;
    if (value && *value <= kMost && std::floor(*value) == *value)
        return static_cast<std::int64_t>(*value);
    return rowError(file, row.line, "\"" + cell(row, name) + "\" in column " + std::string(name) + " is not possible", "a whole number of 1 or more");
}

Result<MeasuredTable> readMeasuredRows(std::string_view text, const std::string& file)
{
    MeasuredTable table;
    table.file = file;
    constexpr std::string_view kMark = "\xEF\xBB\xBF"; // Of UTF-8, as spreadsheets write it.
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        if (line.empty())
            continue;
        std::vector<std::string> cells;
        if (!splitCells(line, cells))
            return rowError(file, number, "a quote is not closed", "cells between commas, on one line");
        if (table.header.empty()) {
            table.header = std::move(cells);
            continue;
        }
        if (cells.size() != table.header.size())
            return rowError(file, number, std::to_string(cells.size()) + " cells", std::to_string(table.header.size()) + ", as many as the header has");
        if (table.rows.size() == kMostRows)
            return rowError(file, number, "more than " + std::to_string(kMostRows) + " rows", "fewer");
        table.rows.push_back({number, std::move(cells)});
    }
    if (table.header.empty() || table.rows.empty())
        return rowError(file, number, "no rows", "a header, and a row for each measurement");
    return table;
}

} // namespace fabricscope
