#include "core/base/stop.h"
#include "core/transform/executeprogram.h"
#include "core/transform/transformed.h"

namespace fabricscope::transform {

Error refusalError(const RefusedStep& refused)
{
    const Refusal& refusal = refused.refusal;
    std::string message = "step " + std::to_string(refused.step) + " \"" + refused.words.text() + "\" is refused: " + refusal.reason;
    message += " (condition " + std::string(keyOf(kConditions, refusal.condition));
    message += refusal.stage.empty() ? "" : ", stage " + refusal.stage;
    message += refusal.tensor.empty() ? ")" : ", tensor " + refusal.tensor + ")";
    return invalidInput(std::move(message), refused.words.place);
}

Result<Transformed> transformed(const TransformFile& file, const Schedule& schedule, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<Transformed> {
        Transformed made;
        StepHistory history(file.program);
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            checkStop(stop);
            if (auto refusal = history.apply(schedule[i])) {
                made.refused = RefusedStep{i + 1, schedule[i], *std::move(refusal)};
                break;
            }
        }
        CommTimes comm(file.timing, file.program.ranks, file.program.groups, stop);
        KernelTimer timer(file.timing, comm);
        for (const auto& [program, times] : {std::pair{&history.first(), &made.beforeTimes}, {&history.program(), &made.afterTimes}}) {
            auto taken = timesOf(*program, timer, file.timing);
            if (!taken)
                return taken.error();
            *times = std::move(taken).value();
        }
        made.before = history.first();
        made.after = history.program();
        made.applied = history.applied();
        return made;
    });
}

Status execute(Transformed& made, const std::stop_token& stop)
{
    auto compared = compareRuns(made.before, made.after, stop);
    if (!compared)
        return compared.error();
    made.equal = compared.value().equal;
    made.difference = std::move(compared.value().difference);
    return {};
}

} // namespace fabricscope::transform
