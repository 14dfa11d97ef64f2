#include "core/planner/ratioprogram.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/synthesis/linearprogram.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

std::string wholeBytes(double bytes)
{
    return std::to_string(static_cast<std::int64_t>(std::ceil(std::min(bytes, 9e18) - 1e-6))) + " bytes";
}

/// One digit behind the point, none where it is 0.
std::string percentOf(double part, double whole)
{
    return shortDecimal(static_cast<std::int64_t>(std::llround(std::min(1000 * part / whole, 1e15))), 1) + " %";
}

Error shortOfMemory(const std::string& who, double needed, double there)
{
    const double missing = needed - there;
    return {ErrorCode::InvalidInput,
        "too little memory: " + who + " " + wholeBytes(needed) + " and " + (who.starts_with("device") ? "it has " : "they have ") + wholeBytes(there) + ", short by " + wholeBytes(missing) + " ("
            + percentOf(missing, needed) + " of what is needed, " + percentOf(missing, there) + " of what is there)",
        {"", 0, 0, -1, "place.cluster.devices", -1, -1, false}, {}};
}

double sharedOf(const HeldBytes& held, const std::vector<DeviceRatios>& ratios, std::size_t device)
{
    double bytes = held.whole;
    for (std::size_t s = 0; s < held.shared.size() && s < ratios.size(); ++s)
        bytes += held.shared[s] * ratios[s].ratios()[device];
    return bytes;
}

/// Rows of the linear program: sum of entries <= limit.
struct RatioRows {
    std::vector<double> limits;
    std::vector<LinearProgram::Column> columns;

    std::int32_t row(double limit)
    {
        limits.push_back(limit);
        return static_cast<std::int32_t>(limits.size()) - 1;
    }
    std::size_t column(double cost)
    {
        columns.push_back({cost, -1, false, {}});
        return columns.size() - 1;
    }
    void entry(std::size_t column, std::int32_t row, double value) { columns[column].entries.emplace_back(row, value); }
};

/// What the terms of one segment sum up to.
struct SegmentSums {
    double shared = 0;  ///< FLOP of terms that are by ratios alone.
    double perShare = 0; ///< Seconds of padded collectives for each unit of the largest ratio.
    std::vector<std::pair<double, double>> mixed;
};

SegmentSums sumsOf(const UnequalCluster& cluster, const std::vector<RatioTerm>& terms, int segment, const DeviceRatios& near)
{
    SegmentSums sums;
    const auto devices = static_cast<double>(cluster.devices());
    for (const RatioTerm& term : terms) {
        if (term.segment != segment)
            continue;
        if (term.kind == RatioTerm::Kind::Compute) {
            if (term.units > 0 && term.units < near.owners())
                continue; // By whole parts, which no small change of ratios moves.
            if (term.whole == 0)
                sums.shared += term.shared;
            else if (term.shared > 0)
                sums.mixed.emplace_back(term.shared, term.whole);
        } else if (isPadded(term.collective)) {
            sums.perShare += devices * term.bytes * cluster.time(term.collective).line(devices * near.largest() * term.bytes).second;
        }
    }
    return sums;
}

/// Columns and rows of one segment: ratios of the types (first), the slowest share, the largest share. `scale`: seconds that count as 1, so that numbers are near 1.
void addSegment(RatioRows& rows, std::vector<std::int32_t>& sumRows, const UnequalCluster& cluster, const SegmentSums& sums, double scale)
{
    std::vector<std::size_t> ratio;
    for (std::size_t i = 0; i < cluster.types.size(); ++i)
        ratio.push_back(rows.column(0));
    const auto devices = static_cast<double>(cluster.devices());
    const double speed = cluster.speedOfAll();
    // Ratios are counted in parts of 1 / devices.
    sumRows.push_back(rows.row(devices));
    for (std::size_t i = 0; i < ratio.size(); ++i)
        rows.entry(ratio[i], sumRows.back(), static_cast<double>(cluster.types[i].count));
    const std::size_t slowest = rows.column(sums.shared / speed / scale);
    const std::size_t largest = rows.column(sums.perShare / devices / scale);
    for (std::size_t i = 0; i < ratio.size(); ++i) {
        const std::int32_t share = rows.row(0);
        rows.entry(ratio[i], share, speed / cluster.types[i].speed / devices);
        rows.entry(slowest, share, -1);
        const std::int32_t size = rows.row(0);
        rows.entry(ratio[i], size, 1);
        rows.entry(largest, size, -1);
    }
    for (const auto& [shared, whole] : sums.mixed) {
        const std::size_t term = rows.column(1);
        for (std::size_t i = 0; i < ratio.size(); ++i) {
            const std::int32_t row = rows.row(-whole / cluster.types[i].speed / scale);
            rows.entry(ratio[i], row, shared / devices / cluster.types[i].speed / scale);
            rows.entry(term, row, -1);
        }
    }
}

/// The cluster with types that are alike as one, in the order of their first, and which one each type became.
std::pair<UnequalCluster, std::vector<std::size_t>> mergedTypes(const UnequalCluster& cluster)
{
    UnequalCluster merged{{}, cluster.times};
    std::vector<std::size_t> became;
    for (const DeviceType& type : cluster.types) {
        const auto same = std::find_if(merged.types.begin(), merged.types.end(), [&type](const DeviceType& each) { return each.speed == type.speed && each.memory == type.memory; });
        became.push_back(static_cast<std::size_t>(same - merged.types.begin()));
        if (same == merged.types.end())
            merged.types.push_back(type);
        else
            same->count += type.count;
    }
    return {std::move(merged), std::move(became)};
}

} // namespace

double secondsOf(const UnequalCluster& cluster, const std::vector<RatioTerm>& terms, const std::vector<DeviceRatios>& ratios)
{
    double sum = 0;
    for (const RatioTerm& term : terms) {
        const DeviceRatios& own = ratios[at(term.segment)];
        if (term.resplitFrom >= 0 && ratios[at(term.resplitFrom)].ratios() == own.ratios())
            continue;
        sum += term.kind == RatioTerm::Kind::Compute ? own.computeSeconds(term.shared, term.whole, term.units) : own.seconds(cluster, term.collective, term.bytes);
    }
    return sum;
}

Status checkMemory(const UnequalCluster& cluster, const HeldBytes& held, const std::vector<DeviceRatios>& ratios)
{
    std::size_t device = 0;
    for (const DeviceType& type : cluster.types) {
        for (std::int64_t i = 0; i < type.count; ++i, ++device) {
            const double needed = sharedOf(held, ratios, device);
            if (type.memory > 0 && needed > type.memory * (1 + 1e-9))
                return shortOfMemory("device " + std::to_string(device) + " (" + type.name + ") needs", needed, type.memory);
        }
    }
    return {};
}

/// A device holds what all have and any share of the rest up to its memory, and segments are shared out one by one: there is room where there is enough in all,
/// and no device is too small for what all have.
Status checkMemoryAtBest(const UnequalCluster& cluster, const HeldBytes& held)
{
    double needed = held.whole * static_cast<double>(cluster.devices());
    for (const double bytes : held.shared)
        needed += bytes;
    double there = 0;
    const DeviceType* tooSmall = nullptr;
    bool limited = true;
    for (const DeviceType& type : cluster.types) {
        limited = limited && type.memory > 0;
        there += type.memory * static_cast<double>(type.count);
        if (type.memory > 0 && held.whole > type.memory && (!tooSmall || type.memory < tooSmall->memory))
            tooSmall = &type;
    }
    // Of the two the one that more memory of one device would not mend.
    if (limited && needed > there * (1 + 1e-12)) {
        Error error = shortOfMemory("all devices together need", needed, there);
        for (const DeviceType& type : cluster.types)
            error.message += "; " + type.name + ": " + std::to_string(type.count) + " of " + wholeBytes(type.memory);
        return error;
    }
    return tooSmall ? Status(shortOfMemory("device " + tooSmall->name + " needs", held.whole, tooSmall->memory)) : Status();
}

Result<std::vector<DeviceRatios>> bestRatios(const UnequalCluster& given, const std::vector<RatioTerm>& terms, const HeldBytes& held, const std::vector<DeviceRatios>& near,
    const std::stop_token& stop)
{
    if (const Status status = checkMemoryAtBest(given, held); !status)
        return status.error();
    const auto [cluster, became] = mergedTypes(given);
    const double now = secondsOf(cluster, terms, near);
    const double scale = now > 0 ? now : 1;
    RatioRows rows;
    std::vector<std::int32_t> sumRows;
    std::vector<std::size_t> first;
    std::size_t mixed = 0;
    for (std::size_t s = 0; s < near.size(); ++s) {
        const SegmentSums sums = sumsOf(cluster, terms, static_cast<int>(s), near[s]);
        mixed += sums.mixed.size();
        if ((mixed + 2 * (s + 1)) * cluster.types.size() > kMostRatioRows)
            return Error{ErrorCode::Unsupported, "the linear program of the ratios has more than " + std::to_string(kMostRatioRows) + " rows", {}, "fewer segments, types of devices or sufficient factors"};
        first.push_back(rows.columns.size());
        addSegment(rows, sumRows, cluster, sums, scale);
    }
    for (std::size_t i = 0; i < cluster.types.size(); ++i) {
        if (cluster.types[i].memory == 0)
            continue;
        const std::int32_t row = rows.row((cluster.types[i].memory - held.whole) / cluster.types[i].memory);
        for (std::size_t s = 0; s < near.size() && s < held.shared.size(); ++s)
            rows.entry(first[s] + i, row, held.shared[s] / static_cast<double>(cluster.devices()) / cluster.types[i].memory);
    }
    LinearProgram program(rows.limits);
    for (LinearProgram::Column& column : rows.columns)
        program.add(std::move(column));
    for (const std::int32_t row : sumRows)
        program.fix(row);
    const LinearProgram::Solution solution = program.minimise(LinearProgram::kMostSteps, stop);
    if (!solution.found)
        return near; // Numbers too far apart for the solver: no step is better than a wrong one.
    std::vector<DeviceRatios> best;
    for (std::size_t s = 0; s < near.size(); ++s) {
        std::vector<double> own;
        for (const std::size_t type : became) {
            const double ratio = solution.x[first[s] + type];
            own.push_back(ratio > 1e-9 ? ratio : 0);
        }
        best.push_back(DeviceRatios::ofTypes(given, own));
    }
    return best;
}

} // namespace fabricscope
