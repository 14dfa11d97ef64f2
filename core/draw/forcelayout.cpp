#include "core/draw/forcelayout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace fabricscope {

namespace {

constexpr double kSpring = 112;             ///< Length at which a link of two parts alone rests, pixels.
constexpr double kRepelReach = 2.5 * kSpring;    ///< Parts further away do not repel one another.
constexpr double kFirstStep = 160;          ///< Longest way of a part in the first step,
constexpr double kLastStep = 2;             ///< and in the last.

PointF middleOf(const std::vector<PointF>& places)
{
    PointF sum;
    for (const PointF& place : places)
        sum += place;
    return sum / static_cast<double>(std::max<std::size_t>(places.size(), 1));
}

/// From one part away from another, of length 1 to 2; of two at one place by their numbers.
PointF awayFrom(const PointF& from, const PointF& to, std::size_t i, std::size_t j, double& distance)
{
    PointF d = to - from;
    distance = std::hypot(d.x(), d.y());
    if (distance < 1e-3) {
        const double angle = 2.399963 * static_cast<double>(i + j); // The golden angle: directions of many numbers differ.
        d = PointF(std::cos(angle), std::sin(angle)) * (i < j ? 1.0 : -1.0);
        distance = 1;
    }
    return d / distance;
}

using Cells = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>>;

std::pair<std::int64_t, std::int64_t> cellOf(const PointF& place)
{
    return {static_cast<std::int64_t>(std::floor(place.x() / kRepelReach)), static_cast<std::int64_t>(std::floor(place.y() / kRepelReach))};
}

void addRepulsion(const std::vector<PointF>& places, std::vector<PointF>& force)
{
    Cells cells;
    for (std::size_t i = 0; i < places.size(); ++i)
        cells[cellOf(places[i])].push_back(i);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [x, y] = cellOf(places[i]);
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                const auto cell = cells.find({x + dx, y + dy});
                if (cell == cells.end())
                    continue;
                for (const std::size_t j : cell->second) {
                    if (j == i)
                        continue;
                    double distance = 0;
                    const PointF away = awayFrom(places[j], places[i], j, i, distance);
                    if (distance < kRepelReach)
                        force[i] += away * (kSpring * kSpring / distance);
                }
            }
        }
    }
}

void addSprings(const std::vector<PointF>& places, std::span<const std::pair<std::size_t, std::size_t>> links, std::vector<PointF>& force)
{
    for (const auto& [a, b] : links) {
        if (a == b || a >= places.size() || b >= places.size())
            continue;
        double distance = 0;
        const PointF away = awayFrom(places[a], places[b], a, b, distance);
        const PointF pull = away * (distance * distance / kSpring);
        force[a] += pull;
        force[b] = force[b] - pull;
    }
}

} // namespace

std::vector<PointF> forceLayout(std::vector<PointF> places, std::span<const std::pair<std::size_t, std::size_t>> links, const std::stop_token& stop,
                                const std::function<void(const std::vector<PointF>&)>& shown)
{
    const PointF middle = middleOf(places);
    std::vector<PointF> force(places.size());
    for (int step = 0; step < kForceSteps && !stop.stop_requested() && places.size() > 1; ++step) {
        std::ranges::fill(force, PointF());
        addRepulsion(places, force);
        addSprings(places, links, force);
        const double longest = kFirstStep + (kLastStep - kFirstStep) * step / (kForceSteps - 1);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double length = std::hypot(force[i].x(), force[i].y());
            if (length > 0)
                places[i] += force[i] * (std::min(length, longest) / length);
        }
        const PointF back = middle - middleOf(places);
        for (PointF& place : places)
            place += back;
        if (shown)
            shown(places);
    }
    return places;
}

} // namespace fabricscope
