#include "core/insight/effectrange.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::array<std::int32_t, 4> kSteps{1, 5, 20, EffectRange::kMost};

/// Does the finish stay on the line with the number changed by so many per cent? Nothing: not possible to say.
Result<std::optional<bool>> isOnLine(const Explanation& explanation, const ParameterEffect& effect, std::int32_t change, const RunOptions& run, const std::stop_token& stop)
{
    const std::int32_t percent = 100 + change;
    const double factor = effect.isRate ? percent / 100.0 : 100.0 / percent;
    const std::optional<Scenario> changed = withParameter(*explanation.run->scenario, effect.parameter, effect.resourceClass, factor);
    if (!changed)
        return std::optional<bool>();
    const Result<RunRecord> record = simulate(*changed, run, stop);
    if (!record && record.error().code == ErrorCode::Unsupported)
        return std::optional<bool>();
    if (!record)
        return record.error();
    const std::int64_t line = finishOnLine(explanation.run->record().finish.ps, effect, percent);
    return std::optional<bool>(record.value().complete && std::abs(record.value().finish.ps - line) <= lineTolerance(explanation.path, effect));
}

/// The largest change that way up to which the finish stays on the line. Nothing: not possible to say.
Result<std::optional<std::int32_t>> reach(const Explanation& explanation, const ParameterEffect& effect, std::int32_t sign, const RunOptions& run, const std::stop_token& stop)
{
    std::int32_t holds = 0;
    std::int32_t breaks = 0;
    const auto tried = [&](std::int32_t change) -> Result<std::optional<bool>> {
        Result<std::optional<bool>> on = isOnLine(explanation, effect, sign * change, run, stop);
        if (on && on.value())
            (*on.value() ? holds : breaks) = change;
        return on;
    };
    for (const std::int32_t step : kSteps) {
        const Result<std::optional<bool>> on = tried(step);
        if (!on)
            return on.error();
        if (!on.value())
            return std::optional<std::int32_t>();
        if (breaks > 0)
            break;
    }
    while (breaks - holds > 1) {
        const Result<std::optional<bool>> on = tried(holds + (breaks - holds) / 2);
        if (!on)
            return on.error();
        if (!on.value())
            return std::optional<std::int32_t>(); // Else it would be tried for ever.
    }
    return std::optional<std::int32_t>(holds);
}

} // namespace

std::int64_t finishOnLine(std::int64_t finishPs, const ParameterEffect& effect, std::int32_t percent)
{
    const double share = effect.isRate ? 100.0 / percent : percent / 100.0;
    return finishPs - effect.ps + std::llround(static_cast<double>(effect.ps) * share);
}

std::int64_t lineTolerance(const CriticalPath& path, const ParameterEffect& effect)
{
    constexpr std::int64_t kRounding = 1'000'000;
    return static_cast<std::int64_t>(path.pieces.size()) + effect.ps / kRounding;
}

RunOptions finishOnly(const ExplainOptions& options)
{
    RunOptions run;
    run.engine = options.engine;
    run.seed = options.seed;
    run.memoryLimit = options.memoryLimit;
    run.taskTimes = false;
    run.busyOverTime = false;
    return run;
}

Status findRanges(Explanation& explanation, const ExplainOptions& options, const std::function<void(std::size_t, std::size_t)>& found, const std::stop_token& stop)
{
    const RunOptions run = finishOnly(options);
    const std::size_t most = std::min(options.mostConfirmed, explanation.parameters.size());
    for (std::size_t i = 0; i < most; ++i) {
        ParameterEffect& effect = explanation.parameters[i];
        const Result<std::optional<std::int32_t>> down = reach(explanation, effect, -1, run, stop);
        if (!down)
            return down.error();
        const Result<std::optional<std::int32_t>> up = down.value() ? reach(explanation, effect, 1, run, stop) : down;
        if (!up)
            return up.error();
        if (down.value() && up.value())
            effect.range = EffectRange{*down.value(), *up.value()};
        if (found)
            found(i + 1, most);
    }
    return {};
}

} // namespace fabricscope
