#include "core/program/windowturns.h"

#include "core/base/index.h"
#include "core/program/phaserules.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kBytes = std::int64_t{1} << 40;
constexpr std::int64_t kAxisTime = std::int64_t{1} << 20;

/// [chunk * phases + phase]: how long it takes.
std::vector<std::int64_t> phaseTimes(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    const std::vector<std::int64_t> sizes = chunkSizes(program, kBytes);
    std::vector<std::int64_t> times;
    std::vector<std::int64_t> sums(body.axes.size(), 0);
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        const std::vector<PhaseTemplate>& phases = body.phasesOf(chunk);
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
            const auto axis = static_cast<std::size_t>(phases[phase].axis);
            const std::int64_t held = heldBytes(body.axes, phases, phase, sizes[at(chunk)], origin);
            times.push_back(held - held / body.axes[axis] - (held % body.axes[axis] != 0 ? 1 : 0)); // floor(H (n - 1) / n)
            sums[axis] += times.back();
        }
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::vector<PhaseTemplate>& phases = body.phasesOf(static_cast<std::int32_t>(i / body.phases.size()));
        const std::int64_t sum = sums[at(phases[i % body.phases.size()].axis)];
        times[i] = 1 + (sum > 0 ? times[i] * kAxisTime / sum : 0);
    }
    return times;
}

} // namespace

std::vector<std::vector<WindowTurn>> windowTurns(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    const bool alike = body.orderOfChunk.empty() && body.chunkWeights.empty();
    if (alike || body.phases.empty() || program.window <= 0 || program.window >= program.chunks)
        return {};
    struct Axis {
        std::int64_t free = 0;
        std::set<std::tuple<std::int64_t, std::int32_t, std::int32_t>> waiting; ///< Since when, chunk, phase.
    };
    const std::vector<std::int64_t> times = phaseTimes(program);
    std::vector<Axis> axes(body.axes.size());
    std::vector<std::vector<WindowTurn>> turns(2 * body.axes.size());
    const auto wait = [&](std::int64_t since, std::int32_t chunk, std::int32_t phase) {
        axes[at(body.phasesOf(chunk)[at(phase)].axis)].waiting.emplace(since, chunk, phase);
    };
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk)
        wait(0, chunk, 0);
    for (std::size_t left = times.size(); left > 0; --left) {
        const auto begin = [](const Axis& axis) { return axis.waiting.empty() ? INT64_MAX : std::max(axis.free, std::get<0>(*axis.waiting.begin())); };
        Axis& axis = *std::min_element(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) { return begin(a) < begin(b); });
        assert(!axis.waiting.empty());
        const std::int64_t now = begin(axis);
        const std::int32_t chunk = std::get<1>(*axis.waiting.begin());
        const std::int32_t phase = std::get<2>(*axis.waiting.begin());
        axis.waiting.erase(axis.waiting.begin());
        const std::vector<PhaseTemplate>& phases = body.phasesOf(chunk);
        turns[at(windowPlace(phases[at(phase)]))].push_back({chunk, phase});
        axis.free = now + times[static_cast<std::size_t>(chunk) * body.phases.size() + static_cast<std::size_t>(phase)];
        if (phase + 1 < static_cast<std::int32_t>(phases.size()))
            wait(axis.free, chunk, phase + 1);
    }
    return turns;
}

} // namespace fabricscope
