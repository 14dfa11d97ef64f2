#include "core/measure/fabricfit.h"

#include "core/base/quantity.h"
#include "core/base/stop.h"
#include "core/measure/librarytable.h"
#include "core/measure/relativefit.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace fabricscope {

namespace {

constexpr double kEnoughPct = 2;     ///< An error that one size of figures leaves without another one being looked for.
constexpr double kWorthIt = 0.6;     ///< Share of that error that two sizes of figures may leave to be taken.
constexpr std::size_t kRowsOfPart = 2;
constexpr double kLeastPerByte = 1e-15; ///< As fast as a design may say: rows that take no longer by their bytes.
constexpr std::size_t kMostSplits = 64;
constexpr std::size_t kLibraryNumbers = 5;

/// Whole messages of an NPU where nothing is cut further: what protocols are chosen by.
std::int64_t messageOf(const MeasuredTransfer& transfer)
{
    if (transfer.message || transfer.op == CollectiveOp::Broadcast)
        return transfer.bytes;
    return (transfer.bytes + transfer.gpus - 1) / transfer.gpus;
}

/// The same as fitRelative() of rows that have their first two columns or their last two: each half has its own numbers.
RelativeFit fitApart(const std::vector<std::vector<double>>& rows, const std::vector<double>& targets)
{
    RelativeFit both;
    for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
        std::vector<std::vector<double>> half;
        std::vector<double> halfTargets;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (rows[r][first] <= 0 && rows[r][first + 1] <= 0)
                continue;
            half.push_back({rows[r][first], rows[r][first + 1]});
            halfTargets.push_back(targets[r]);
        }
        const RelativeFit fit = fitRelative(half, halfTargets);
        both.values.insert(both.values.end(), fit.values.begin(), fit.values.end());
        both.meanLog += fit.meanLog * static_cast<double>(half.size()) / static_cast<double>(rows.size());
    }
    return both;
}

double errorPct(double meanLog)
{
    return (std::exp(meanLog) - 1) * 100;
}

/// All-reduces of one number of GPUs and nodes, which a library's table is about.
bool ofOneKind(const std::vector<MeasuredTransfer>& rows)
{
    const MeasuredTransfer& first = rows.front();
    return first.gpus > 1 && std::all_of(rows.begin(), rows.end(), [&](const MeasuredTransfer& row) { return !row.message && row.op == CollectiveOp::AllReduce && row.gpus == first.gpus && row.nodes == first.nodes; });
}

const LibraryWay& wayOf(const std::vector<LibraryWay>& ways, std::int64_t bytes)
{
    return *std::find_if(ways.begin(), ways.end(), [bytes](const LibraryWay& way) { return bytes <= way.upTo; });
}

/// A ring of so many steps, whose bytes one after another are a share of the all-reduce.
struct RingShape {
    double steps = 0;
    double perByte = 0; ///< Bytes of the all-reduce for each of them.
};

/// `scales`: launch in seconds, factors of latencies and of bytes, and of bytes above `upTo`.
FittedFigures scaledWays(const std::vector<LibraryWay>& ways, const std::vector<double>& scales, std::int64_t upTo, const RingShape& ring, std::int32_t gpus)
{
    FittedFigures figures;
    figures.launch = scales[0];
    const auto messages = [gpus](std::int64_t bytes) { return bytes == INT64_MAX ? INT64_MAX : (bytes + gpus - 1) / gpus; };
    const auto add = [&](const LibraryWay& way, std::int64_t to, double scale) {
        if (figures.parts.empty() || messages(to) > figures.parts.back().upTo)
            figures.parts.push_back({messages(to), scales[1] * way.latency / ring.steps, std::max(kLeastPerByte, scale * way.perByte * ring.perByte)});
    };
    std::int64_t from = 0;
    for (const LibraryWay& way : ways) {
        if (from <= upTo)
            add(way, std::min(way.upTo, upTo), scales[2]);
        if (way.upTo > upTo)
            add(way, way.upTo, scales[3]);
        from = way.upTo == INT64_MAX ? INT64_MAX : way.upTo + 1;
    }
    return figures;
}

} // namespace

Result<FabricFitter::Shape> FabricFitter::shapeOf(const MeasuredTransfer& transfer, bool network)
{
    const Key key{transfer.gpus, transfer.nodes, transfer.message, transfer.op, transfer.bytes, network};
    if (const auto known = m_shapes.find(key); known != m_shapes.end())
        return known->second;
    // Times are linear in these figures as long as steps follow one another: two of each tell how.
    constexpr double kMessage = 1e-6, kByte = 1e-11, kMore = 3e-6;
    FittedFigures base;
    base.parts = {{INT64_MAX, kMessage, kByte}};
    const bool several = network && transfer.nodes > 1;
    if (several) {
        base.hasNetwork = true;
        base.networkPerMessage = kMessage;
        base.networkPerByte = kByte;
    }
    const auto timed = [&](double message, double byte, double networkMessage) -> Result<double> {
        FittedFigures figures = base;
        figures.parts.front() = {INT64_MAX, message, byte};
        if (several)
            figures.networkPerMessage = networkMessage;
        return predicted(figures, transfer);
    };
    const Result<double> first = timed(kMessage, kByte, kMessage);
    const Result<double> slower = first ? timed(kMore, kByte, kMessage) : first;
    if (!slower)
        return slower.error();
    Shape shape;
    shape.message = messageOf(transfer);
    shape.steps = std::round((slower.value() - first.value()) / (kMore - kMessage));
    double left = first.value() - shape.steps * kMessage;
    if (several) {
        const Result<double> network1 = timed(kMessage, kByte, kMore);
        const Result<double> fewer = network1 ? timed(kMessage, kByte * 2, kMessage) : network1;
        if (!fewer)
            return fewer.error();
        shape.networkSteps = std::round((network1.value() - first.value()) / (kMore - kMessage));
        shape.bytes = (fewer.value() - first.value()) / kByte;
        left -= shape.networkSteps * kMessage + shape.bytes * kByte;
        shape.networkBytes = std::max(0.0, left / kByte);
    } else {
        shape.bytes = left / kByte;
    }
    m_shapes.emplace(key, shape);
    return shape;
}

FabricFit FabricFitter::fitParts(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes, std::int64_t split, bool launch, bool network) const
{
    // Columns: two of each part, two of the network, one of starts.
    const std::size_t parts = split > 0 ? 2 : 1;
    const std::size_t networkAt = 2 * parts;
    const std::size_t launchAt = networkAt + (network ? 2 : 0);
    std::vector<std::vector<double>> columns;
    std::vector<double> targets;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<double> row(launchAt + (launch ? 1 : 0), 0);
        const std::size_t part = split > 0 && shapes[i].message > split ? 2 : 0;
        row[part] = shapes[i].steps;
        row[part + 1] = shapes[i].bytes;
        if (network) {
            row[networkAt] = shapes[i].networkSteps;
            row[networkAt + 1] = shapes[i].networkBytes;
        }
        if (launch)
            row[launchAt] = rows[i].message ? 0 : 1;
        columns.push_back(std::move(row));
        targets.push_back(rows[i].seconds);
    }
    const RelativeFit found = parts == 2 && !network && !launch ? fitApart(columns, targets) : fitRelative(columns, targets);
    FabricFit fit;
    fit.inSamplePct = errorPct(found.meanLog);
    for (std::size_t part = 0; part < parts; ++part)
        fit.figures.parts.push_back({parts == 2 && part == 0 ? split : INT64_MAX, found.values[2 * part], std::max(found.values[2 * part + 1], kLeastPerByte)});
    fit.fitted = {"latency", "bandwidth"};
    if (parts == 2)
        fit.fitted.insert(fit.fitted.end(), {"latency of small messages", "bandwidth of small messages"});
    if (network) {
        fit.figures.hasNetwork = true;
        fit.figures.networkPerMessage = found.values[networkAt];
        fit.figures.networkPerByte = std::max(found.values[networkAt + 1], kLeastPerByte);
        fit.fitted.insert(fit.fitted.end(), {"network latency", "network bandwidth"});
    }
    if (launch) {
        fit.figures.launch = found.values[launchAt];
        fit.fitted.emplace_back("launch");
    }
    return fit;
}

/// Two sizes of figures, split between the messages where they come closest. \pre `one` is the fit of one
FabricFit FabricFitter::fitSplit(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes, const FabricFit& one, bool launch) const
{
    std::set<std::int64_t> messages;
    for (const Shape& shape : shapes)
        messages.insert(shape.message);
    FabricFit split = one;
    const std::vector<std::int64_t> sizes(messages.begin(), messages.end());
    const std::size_t stride = sizes.size() / kMostSplits + 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); i += stride) {
        checkStop(m_stop);
        const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(i);
        const auto below = static_cast<std::size_t>(std::count_if(shapes.begin(), shapes.end(), [&](const Shape& shape) { return shape.message <= *at; }));
        if (below < kRowsOfPart || shapes.size() - below < kRowsOfPart)
            continue;
        // Between two sizes that were measured, in the middle by ratio.
        const auto middle = static_cast<std::int64_t>(std::sqrt(static_cast<double>(*at) * static_cast<double>(*std::next(at))));
        FabricFit found = fitParts(rows, shapes, middle, launch, false);
        const bool possible = std::all_of(found.figures.parts.begin(), found.figures.parts.end(), [](const FittedFigures::Part& part) { return part.perByte > kLeastPerByte; });
        if (possible && found.inSamplePct < split.inSamplePct)
            split = std::move(found);
    }
    return split;
}

/// Launch, latencies and bandwidth of the ways of the library's table, scaled; above one of the measured sizes with another bandwidth. \pre ofOneKind(rows)
FabricFit FabricFitter::fitLibrary(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes) const
{
    std::set<std::int64_t> distinct;
    for (const MeasuredTransfer& row : rows)
        distinct.insert(row.bytes);
    const std::vector<std::int64_t> sizes(distinct.begin(), distinct.end());
    FabricFit best;
    best.inSamplePct = INFINITY;
    for (const LibraryConstants& constants : libraryConstants()) {
        const std::vector<LibraryWay> ways = libraryWays(constants, rows.front().gpus, rows.front().nodes);
        for (std::size_t i = kRowsOfPart; i < sizes.size(); ++i) {
            checkStop(m_stop);
            std::vector<std::vector<double>> columns;
            std::vector<double> targets;
            for (const MeasuredTransfer& row : rows) {
                const LibraryWay& way = wayOf(ways, row.bytes);
                const double moving = way.perByte * static_cast<double>(row.bytes);
                const bool above = row.bytes >= sizes[i];
                columns.push_back({1, way.latency, above ? 0 : moving, above ? moving : 0});
                targets.push_back(row.seconds);
            }
            const RelativeFit found = fitRelative(columns, targets);
            if (errorPct(found.meanLog) >= best.inSamplePct)
                continue;
            // The library changes over as early as it pays, as far as the rows allow.
            const std::int64_t upTo = found.values[3] < found.values[2] ? sizes[i - 1] : sizes[i] - 1;
            best.figures = scaledWays(ways, found.values, upTo, {shapes.front().steps, static_cast<double>(rows.front().bytes) / shapes.front().bytes}, rows.front().gpus);
            best.inSamplePct = errorPct(found.meanLog);
            best.fitted = {"launch", "latencies of the library's table", "bandwidth", "bandwidth above " + showBytes({upTo}), "that size"};
        }
    }
    return best;
}

/// Told to stop: throws StopRequested.
Result<FabricFit> FabricFitter::fit(const std::vector<MeasuredTransfer>& rows)
{
    const bool one = std::any_of(rows.begin(), rows.end(), [](const MeasuredTransfer& row) { return row.nodes == 1; });
    const bool several = std::any_of(rows.begin(), rows.end(), [](const MeasuredTransfer& row) { return row.nodes > 1; });
    const bool network = one && several;
    std::vector<Shape> shapes;
    std::set<double> steps;
    for (const MeasuredTransfer& row : rows) {
        const Result<Shape> shape = shapeOf(row, network);
        if (!shape)
            return shape.error();
        shapes.push_back(shape.value());
        if (!row.message)
            steps.insert(shape.value().steps);
    }
    const bool launch = steps.size() > 1;
    FabricFit best = fitParts(rows, shapes, 0, launch, network);
    if (best.inSamplePct <= kEnoughPct || network)
        return best;
    FabricFit split = fitSplit(rows, shapes, best, launch);
    if (split.inSamplePct < best.inSamplePct * kWorthIt)
        best = std::move(split);
    if (best.inSamplePct > kEnoughPct && ofOneKind(rows) && rows.size() > kLibraryNumbers) {
        FabricFit library = fitLibrary(rows, shapes);
        if (library.inSamplePct < best.inSamplePct * kWorthIt)
            best = std::move(library);
    }
    return best;
}

Result<double> FabricFitter::predicted(const FittedFigures& figures, const MeasuredTransfer& transfer)
{
    // All messages of a row are of one size, and a collective alone takes its launch longer: so the figures of that size, without a launch, say the same, and engines that are quicker follow them.
    FittedFigures plain = figures;
    const std::int64_t bytes = messageOf(transfer);
    plain.parts = {*std::find_if(figures.parts.begin(), figures.parts.end(), [bytes](const FittedFigures::Part& part) { return bytes <= part.upTo; })};
    plain.parts.front().upTo = INT64_MAX;
    plain.launch = 0;
    const Result<Design> design = fabricDesign(plain, transfer.gpus, figures.hasNetwork ? transfer.nodes : 1);
    if (!design)
        return design.error();
    const Result<double> seconds = simulatedSeconds(design.value(), transfer, m_stop);
    if (!seconds)
        return seconds;
    return seconds.value() + (transfer.message ? 0 : figures.launch);
}

} // namespace fabricscope
