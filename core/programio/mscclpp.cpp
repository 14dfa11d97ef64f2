#include "core/programio/mscclpp.h"

#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/programio/mscclpplowering.h"
#include "core/programio/mscclppplan.h"

namespace fabricscope {

namespace {

Result<ProgramPtr> parse(std::string text, const std::string& file, Diagnostics* notes, const std::stop_token& stop)
{
    auto document = parseJson(std::move(text), file, stop);
    if (!document)
        return std::move(document).error();
    const nlohmann::json& root = document.value().root;
    if (!root.is_object() || !root.contains("gpus") || !root.contains("collective"))
        return invalidInput("not an execution plan of MSCCL++", document.value().placeOf("gpus"), "\"collective\" and \"gpus\"");
    auto plan = readMscclppPlan(root, file, stop);
    if (!plan)
        return std::move(plan).error();
    auto program = MscclppLowering(plan.value(), stop).run();
    if (program && notes)
        notes->insert(notes->end(), plan.value().notes.begin(), plan.value().notes.end());
    return program;
}

} // namespace

Result<ProgramPtr> parseMscclppPlan(std::string text, const std::string& file, Diagnostics* notes, const std::stop_token& stop)
{
    return untilStopped([&] { return parse(std::move(text), file, notes, stop); });
}

} // namespace fabricscope
