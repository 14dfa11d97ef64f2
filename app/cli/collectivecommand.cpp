// fabricscope-cli collective: one collective by all NPUs of a fabric given in a few words.
#include "app/cli/collectiveflags.h"
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/output/sizessweep.h"
#include "app/cli/values.h"
#include "core/program/nativerule.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct Flags {
    CollectiveFlags collective;
    RunFlags run;
    std::string sizes; ///< Instead of collective.size; empty: that one.
};

/// One size, or several, of which only times are printed.
Status checkSizes(const Flags& flags, const Command& command)
{
    if (flags.sizes.empty())
        return flags.collective.size.empty() ? Status(usageError("no size is given", "--size", "a size such as 64MiB, or --sizes 1KiB..1GiB")) : Status();
    return command.checkRead({"with --sizes",
                              {"--topology", "--bandwidth", "--npu-bandwidth", "--latency", "--collective", "--sizes", "--algorithm", "--program", "--chunks", "--window", "--active-chunks", "--queues",
                               "--scheduler", "--optimization", "--endpoint-delay", "--local-mem-bw", "--model", "--engine", "--seed", "--threads", "--strict", "--json"},
                              "--size with it"});
}

void run(const Flags& flags, const Command& command, Session& session)
{
    const Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    if (const Status status = checkSizes(flags, command); !status)
        return session.fail(status);
    if (const Status status = checkFileKind(flags.collective.program, wantedProgram()); !status)
        return session.fail(status);
    if (!flags.sizes.empty())
        return runSizes(flags.collective, flags.sizes, request.value(), session);
    Result<LoadedDesign> loaded = designOf(flags.collective, request.value().model.value_or(Model::Links));
    if (!loaded)
        return session.fail(loaded.error());
    runDesign(session, std::move(loaded).value(), request.value());
}

} // namespace

void addCollective(Command& program, Session& session)
{
    auto flags = std::make_shared<Flags>();
    CollectiveFlags& f = flags->collective;
    Command& command = *program.add_subcommand("collective", "Simulate one collective by all NPUs of a fabric");
    addFabricFlags(command, f, "Dimensions, the first is the fastest part of the NPU number: Ring(4)_Switch(8); figures may stand in the brackets, and several sizes: FullyConnected(4,6)_Switch(2, 50 GB/s, 1 us). Or a generated fabric, routed by balanced: hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1")->required();
    command.add_option("--collective", f.collective, collectiveList(kDesignCollectives))->required();
    command.add_option("--size", f.size, "The large side, e.g. 64MiB: what all-gather gives, what reduce-scatter takes");
    command.add_option("--sizes", flags->sizes, "Several instead: 1KiB..1GiB for every doubling, or a list; prints the columns of nccl-tests");
    command.add_option("--algorithm", f.algorithm, "One per dimension, or one for all: standard, " + algorithmList() + "; for the whole group a generator (swing, ...); auto simulates all of them and takes the fastest (default standard)");
    command.add_option("--program", f.program, "A program to run instead: an MSCCL XML file, a script (.lua) or the prefix of Chakra traces (links, ideal, flow)");
    command.add_option("--chunks", f.chunks, "Parts that travel on their own (default 1)");
    command.add_option("--window", f.window, "Chunks in a phase at once; 0: all (links, ideal)");
    command.add_option("--active-chunks", f.activeChunks, "Chunks in a dimension at once (astra-* models)");
    command.add_option("--queues", f.queues, "Queues per dimension (astra-* models)");
    command.add_option("--scheduler", f.scheduler, "Order of the dimensions (links, ideal): baseline, local_bw, themis or exact");
    command.add_option("--optimization", f.optimization, "baseline or localBWAware (astra-* models)");
    command.add_option("--endpoint-delay", f.endpointDelay, "Per message: 10 (ns), or with unit (default 0; astra-*: 10 ns)");
    command.add_option("--local-mem-bw", f.localMemory, "Memory bandwidth of an NPU: 1600 (GB/s), or with unit (default 1600 GB/s); 0: reductions are free");
    addRunFlags(command, flags->run);
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
