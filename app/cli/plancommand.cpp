// fabricscope-cli plan: what the ranks of a plan hold, send and compute, without simulating it.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/placeoutput.h"
#include "app/cli/output/planoutput.h"
#include "app/cli/plansearchcommand.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/design/file/readdesign.h"
#include "core/planner/designplacement.h"
#include "core/scenario/designplan.h"

#include <algorithm>
#include <memory>

namespace fabricscope::cli {

namespace {

struct PlanFlags {
    std::string design;
    std::vector<std::string> sets;
    bool json = false;
    bool strict = false;
};

/// placement: hap: what the search finds.
void runPlaced(const PlanFlags& flags, const Design& design, Session& session)
{
    if (session.failOn(validate(design, session.stopToken())))
        return;
    const Result<DesignPlacement> placed = placeDesign(design, session.stopToken());
    if (!placed)
        return session.fail(placed.error());
    const DesignPlacement& made = placed.value();
    session.print(flags.json ? placementJson(made.problem, made.placement, made.times) : placementText(made.problem, made.placement, made.times));
}

void runPlan(const PlanFlags& flags, Session& session)
{
    const Result<std::vector<FieldOverride>> changes = overridesOf(flags.sets, "workload.plan.tensor.sequence_parallel=true");
    if (!changes)
        return session.fail(changes.error());
    const Result<LoadedDesign> loaded = readDesignOnly(flags.design, changes.value(), session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    if (session.failOn(loaded.value().diagnostics))
        return;
    if (isPlacedByHap(loaded.value().design))
        return runPlaced(flags, loaded.value().design, session);
    const Result<DesignPlan> plan = analyseDesign(loaded.value().design, session.stopToken());
    if (!plan)
        return session.fail(plan.error());
    const Diagnostics& findings = plan.value().analysis.findings;
    for (const Diagnostic& entry : findings)
        session.say(entry.text());
    const auto isError = [](const Diagnostic& entry) { return entry.severity == Severity::Error; };
    session.print(flags.json ? planJson(plan.value().analysis, plan.value().estimate, designHash(loaded.value().design, session.stopToken()).hex()) : planText(plan.value().analysis, plan.value().estimate));
    const bool warned = !findings.empty() || !loaded.value().diagnostics.empty();
    if (std::any_of(findings.begin(), findings.end(), isError) || (flags.strict && warned))
        session.setExit(1);
}

} // namespace

void addPlan(Command& program, Session& session)
{
    auto flags = std::make_shared<PlanFlags>();
    Command& command = *program.add_subcommand("plan", "What the ranks of a design with a plan hold, send and compute, and an estimate of the step; nothing is simulated");
    command.add_option("DESIGN", flags->design, "Design file (YAML) whose workload is a plan");
    command.add_option("--set", flags->sets, "Replace a field of the design, e.g. workload.plan.tensor.sequence_parallel=true")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--json", flags->json, "As JSON");
    command.add_flag("--strict", flags->strict, "Exit code 1 if there are warnings");
    addPlanSearch(command, session);
    command.callback([flags, &command, &session] {
        if (command.hasGivenSubcommand())
            return;
        if (flags->design.empty())
            return session.fail(usageError("no design is given", "DESIGN", "a design file, or search DESIGN"));
        runPlan(*flags, session);
    });
}

} // namespace fabricscope::cli
