// fabricscope-cli simulate: a design file, or ASTRA-sim inputs.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "core/design/file/astrainputs.h"
#include "core/design/file/readdesign.h"
#include "core/design/joinjobs.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct SimulateFlags {
    std::string design;
    AstraInputs astra;
    std::vector<std::string> sets;
    std::int32_t bytesPerElement = 0; ///< 0: as the design says.
    std::string ctrlDeps;
    std::string job;                  ///< Empty: all jobs.
    RunFlags run;
};

Result<LoadedDesign> load(const SimulateFlags& flags, const std::stop_token& stop)
{
    const AstraInputs& astra = flags.astra;
    const bool anyAstra = !astra.network.empty() || !astra.system.empty() || !astra.memory.empty() || !astra.commGroups.empty() || !astra.workload.empty();
    if (!flags.design.empty() && anyAstra)
        return usageError("a design file and ASTRA-sim inputs cannot be mixed",
                          !astra.network.empty()      ? "--network"
                          : !astra.system.empty()     ? "--system"
                          : !astra.memory.empty()     ? "--memory"
                          : !astra.commGroups.empty() ? "--comm-group"
                                                      : "--workload",
                          "either DESIGN.yaml, or --network, --system and --workload");
    if (!flags.design.empty()) {
        Result<std::vector<FieldOverride>> overrides = overridesOf(flags.sets, "platform.dimensions.0.bandwidth=\"100 GB/s\"");
        if (!overrides)
            return std::move(overrides).error();
        return readDesignOnly(flags.design, overrides.value(), stop);
    }
    if (!anyAstra)
        return usageError("nothing to simulate", "simulate", "DESIGN.yaml, or --network, --system and --workload");
    for (const auto& [value, name] : {std::pair{&astra.network, "--network"}, {&astra.system, "--system"}, {&astra.workload, "--workload"}}) {
        if (value->empty())
            return usageError(std::string("ASTRA-sim inputs also need ") + name, name);
    }
    if (!flags.sets.empty())
        return usageError("--set changes fields of a design file; there is none here", "--set");
    return readAstraInputs(astra);
}

/// --bytes-per-element and --ctrl-deps, which belong to trace workloads.
Status adjustTrace(const SimulateFlags& flags, Design& design)
{
    if (flags.bytesPerElement == 0 && flags.ctrlDeps.empty())
        return {};
    const auto* trace = design.workload ? std::get_if<TraceWorkload>(design.workload.get()) : nullptr;
    if (!trace)
        return usageError("the workload of this design is no trace", flags.ctrlDeps.empty() ? "--bytes-per-element" : "--ctrl-deps");
    TraceWorkload changed = *trace;
    if (flags.bytesPerElement != 0)
        changed.bytesPerElement = flags.bytesPerElement;
    if (!flags.ctrlDeps.empty()) {
        const int choice = indexOf(flags.ctrlDeps, {"auto", "use", "ignore"});
        if (choice < 0)
            return usageError("\"" + flags.ctrlDeps + "\" is no choice", "--ctrl-deps", "auto, use or ignore");
        changed.ctrlDeps = static_cast<CtrlDeps>(choice);
    }
    design.workload = std::make_shared<const WorkloadSpec>(std::move(changed));
    return {};
}

/// --job: the design with this job only.
Status chooseJob(const std::string& name, Design& design)
{
    if (name.empty())
        return {};
    auto alone = onlyJob(design, name);
    if (!alone) {
        Error error = std::move(alone).error();
        return usageError(error.message, "--job", error.expected);
    }
    design = std::move(alone).value();
    return {};
}

void run(const SimulateFlags& flags, const Command& command, Session& session)
{
    const Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    Result<LoadedDesign> loaded = load(flags, session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    const OptionsRead use = flags.design.empty()
                                ? OptionsRead{"with ASTRA-sim inputs", withRunFlags({"--network", "--system", "--memory", "--comm-group", "--workload", "--queues", "--bytes-per-element", "--ctrl-deps", "--job"})}
                                : OptionsRead{"with a design", withRunFlags({"--set", "--bytes-per-element", "--ctrl-deps", "--job"}), "--set collectives.queues=N"};
    if (const Status status = command.checkRead(use); !status)
        return session.fail(status);
    if (const Status status = adjustTrace(flags, loaded.value().design); !status)
        return session.fail(status);
    if (const Status status = chooseJob(flags.job, loaded.value().design); !status)
        return session.fail(status);
    runDesign(session, std::move(loaded).value(), request.value());
}

} // namespace

void addSimulate(Command& program, Session& session)
{
    auto flags = std::make_shared<SimulateFlags>();
    Command& command = *program.add_subcommand("simulate", "Simulate a design, or the inputs of ASTRA-sim");
    command.add_option("DESIGN", flags->design, "Design file (YAML)");
    command.add_option("--set", flags->sets, "Replace a field of the design, e.g. platform.dimensions.0.bandwidth=\"100 GB/s\"")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
    command.add_option("--network", flags->astra.network, "ASTRA-sim network file (YAML); a topology file of ns-3 or HTSim, or a configuration of ns-3, is read too")->group("ASTRA-sim inputs");
    command.add_option("--system", flags->astra.system, "ASTRA-sim system file (JSON)")->group("ASTRA-sim inputs");
    command.add_option("--memory", flags->astra.memory, "ASTRA-sim remote memory file (JSON)")->group("ASTRA-sim inputs");
    command.add_option("--comm-group", flags->astra.commGroups, "Communicator groups (JSON)")->group("ASTRA-sim inputs");
    command.add_option("--workload", flags->astra.workload, "Chakra traces PREFIX.RANK.et")->group("ASTRA-sim inputs");
    command.add_option("--queues", flags->astra.queues, "Queues per dimension (astra-* models)")->range(1, 1 << 20)->group("ASTRA-sim inputs");
    command.add_option("--bytes-per-element", flags->bytesPerElement, "Factor on the sizes of a trace that counts elements")->range(1, 64);
    command.add_option("--job", flags->job, "Of several jobs run this one alone, in its place");
    command.add_option("--ctrl-deps", flags->ctrlDeps, "Control dependencies of a trace: auto, use or ignore");
    addRunFlags(command, flags->run);
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
