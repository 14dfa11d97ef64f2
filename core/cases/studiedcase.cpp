#include "core/cases/studiedcase.h"

#include "core/base/decimal.h"
#include "core/base/quantity.h"
#include "core/base/shellword.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace fabricscope {

namespace {

/// With this many decimals, halves away from 0.
std::string fixed(double value, int decimals)
{
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

/// "3.651 M$": thousands, millions and so on, four digits.
std::string withPrefix(double value, std::string_view unit)
{
    static constexpr std::array<std::pair<double, const char*>, 5> kPrefixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
    const double size = std::fabs(value);
    for (const auto& [scale, prefix] : kPrefixes) {
        if (size < scale && scale > 1)
            continue;
        const double scaled = value / scale;
        const int decimals = std::fabs(scaled) >= 100 ? 1 : std::fabs(scaled) >= 10 ? 2 : 3;
        return fixed(scaled, size == std::floor(size) && scale == 1 ? 0 : decimals) + ' ' + prefix + std::string(unit);
    }
    return {};
}

std::string shownNanoseconds(double ns)
{
    constexpr double kMost = 9e15; // Of ns, so that they fit as picoseconds.
    if (!(std::fabs(ns) < kMost))
        return decimal(ns) + " ns";
    return (ns < 0 ? "-" : "") + showTime(SimTime{std::llround(std::fabs(ns) * 1000)});
}

} // namespace

std::string shownNumber(double value, CaseUnit unit)
{
    switch (unit) {
    case CaseUnit::Nanoseconds: return shownNanoseconds(value);
    case CaseUnit::Seconds: return shownNanoseconds(value * 1e9);
    case CaseUnit::Bytes: return withPrefix(value, "B");
    case CaseUnit::BytesPerSecond: return withPrefix(value, "B/s");
    case CaseUnit::Count: return value == std::floor(value) ? decimal(value) : fixed(value, 2);
    case CaseUnit::Share: return fixed(value * 100, 1) + " %";
    case CaseUnit::Times: return fixed(value, 2) + " times";
    case CaseUnit::Dollars: return withPrefix(value, "$");
    case CaseUnit::Watts: return withPrefix(value, "W");
    case CaseUnit::Hours: return fixed(value, 1) + " h";
    case CaseUnit::TokensPerSecond: return fixed(value, value < 100 ? 1 : 0) + " tokens/s";
    case CaseUnit::Word: break;
    }
    return {};
}

std::vector<std::string> CaseRun::arguments(const std::string& folder) const
{
    std::vector<std::string> out = command;
    for (const std::string& file : files)
        out.push_back(folder + file);
    for (const auto& [field, value] : sets) {
        out.emplace_back("--set");
        out.push_back(field + '=' + value);
    }
    for (const auto& [option, value] : options) {
        out.push_back(option);
        if (!value.empty())
            out.push_back(value);
    }
    out.emplace_back("--json");
    return out;
}

std::string CaseRun::commandLine() const
{
    std::string typed = "fabricscope-cli";
    for (const std::string& word : arguments())
        typed += ' ' + shellWord(word);
    return typed;
}

} // namespace fabricscope
