// fabricscope-cli tune: the fastest algorithm of a collective for every size, and NCCL's tuner table of it.
#include "app/cli/collectiveflags.h"
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/tunedoutputs.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/design/file/readdesign.h"
#include "core/choose/tuner.h"
#include "core/design/modelversions.h"
#include "core/design/referencedfiles.h"
#include "core/report/runtext.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct TuneFlags {
    std::string design;
    CollectiveFlags collective;
    std::string sizes = "1KiB..1GiB";
    std::string out;
    std::string programs;
    RunFlags run;
};

Result<LoadedDesign> designOf(const TuneFlags& flags, Model model, const std::stop_token& stop)
{
    if (flags.design.empty() == flags.collective.topology.empty())
        return usageError("a platform is needed", "--topology", "either a design or --topology");
    if (!flags.design.empty())
        return readDesignOnly(flags.design, {}, stop);
    CollectiveFlags one = flags.collective;
    one.size = "1 MiB"; // Any: tuneSizes() sets it.
    return designOf(one, model);
}

std::string tableText(const std::vector<CollectiveChoice>& choices)
{
    std::string out = "      size  fastest                                           time  next\n";
    const auto padded = [](std::string text, std::size_t width, bool right) {
        const std::string space(text.size() < width ? width - text.size() : 0, ' ');
        return right ? space + text : text + space;
    };
    for (const CollectiveChoice& choice : choices) {
        const bool timed = !choice.candidates.empty() && choice.candidates.front().timePs >= 0;
        out += padded(showBytes({choice.bytes}), 10, true) + "  " + padded(choice.chosen, 36, false) + padded(timed ? (choice.candidates.front().isEstimate() ? "about " : "") + showTime({choice.candidates.front().timePs}) : "not simulated", 18, true);
        if (choice.candidates.size() > 1 && choice.candidates[1].timePs >= 0)
            out += "  " + choice.candidates[1].name + (choice.candidates[1].isEstimate() ? " about " : " ") + showTime({choice.candidates[1].timePs});
        out += '\n';
    }
    return out;
}

void run(const TuneFlags& flags, const Command& command, Session& session)
{
    const Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    if (!flags.design.empty() && flags.collective.topology.empty()) {
        const OptionsRead use{"with a design", {"--collective", "--sizes", "--model", "--threads", "--out", "--programs", "--json"}, "the design says it; or --topology instead of a design"};
        if (const Status status = command.checkRead(use); !status)
            return session.fail(status);
    }
    const auto sizes = parseSizes(flags.sizes);
    if (!sizes) {
        Error error = sizes.error();
        error.place.field = "--sizes";
        return session.fail(error);
    }
    Result<LoadedDesign> loaded = designOf(flags, request.value().model.value_or(Model::Links), session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    Design& design = loaded.value().design;
    if (const Status status = checkPrefix("--programs", flags.programs); !status)
        return session.fail(status);
    if (const Status status = claimOutputs(session, {{"--out", flags.out}}, referencedFiles(design), flags.run.json); !status)
        return session.fail(status);
    if (request.value().model && *request.value().model != design.model.model) {
        design.model.model = *request.value().model;
        design.model.version = versionFor(design.model.model, design.model.version);
    }
    if (!traitsOf(design.model.model).ownCollectives)
        return session.fail(Error{ErrorCode::Unsupported, "the models astra-* do not compare algorithms", {}, modelsWith(&ModelTraits::ownCollectives) + " (--model)"});
    const auto op = collectiveNamed(flags.collective.collective, "--collective", kDesignCollectives);
    if (!op)
        return session.fail(op.error());
    if (session.failOn(loaded.value().diagnostics))
        return;
    TuneRequest tune;
    tune.op = op.value();
    tune.sizes = sizes.value();
    tune.threads = request.value().threads;
    tune.stop = session.stopToken();
    tune.progress = [&session](std::size_t done, std::size_t of) { session.progress().tell({"trying sizes", static_cast<double>(done) / static_cast<double>(of)}); };
    const auto choices = tuneSizes(design, tune);
    if (!choices)
        return session.fail(choices.error());
    if (Status status = writeTuned(design, choices.value(), {flags.out, flags.programs}, session); !status)
        return session.fail(status);
    if (flags.run.json) {
        JsonWriter json;
        json.beginObject();
        json.member("schema", kRunJsonSchema);
        json.member("model", modelName(design.model.model));
        json.key("choices");
        writeChoices(json, choices.value());
        json.endObject();
        session.print(json.text() + "\n");
    } else {
        session.print(tableText(choices.value()));
    }
}

} // namespace

void addTune(Command& program, Session& session)
{
    auto flags = std::make_shared<TuneFlags>();
    CollectiveFlags& f = flags->collective;
    Command& command = *program.add_subcommand("tune", "Find the fastest algorithm of a collective for every size, and write NCCL's tuner table");
    command.add_option("DESIGN", flags->design, "A design: its platform, model and candidates");
    addFabricFlags(command, f, "Dimensions instead of a design: Ring(4)_Switch(8); figures may stand in the brackets");
    command.add_option("--collective", f.collective, collectiveList(kDesignCollectives))->required();
    command.add_option("--sizes", flags->sizes, "Large sides: 1KiB..1GiB for every doubling, or a list (default 1KiB..1GiB)");
    command.add_option("--chunks", f.chunks, "Parts that travel on their own (default 1; a design says its own)");
    command.add_option("--endpoint-delay", f.endpointDelay, "Per message: 10 (ns), or with unit (default 0)");
    command.add_option("--local-mem-bw", f.localMemory, "Memory bandwidth of an NPU: 1600 (GB/s), or with unit (default 1600 GB/s); 0: reductions are free");
    command.add_option("--model", flags->run.model, modelsWith(&ModelTraits::ownCollectives) + " (default: the design's, else links)");
    command.add_option("--threads", flags->run.threads, "Sizes at once (default: one per processor)");
    command.add_option("--out", flags->out, "Write NCCL's tuner table (NCCL_TUNER_CONFIG_FILE) to this file");
    command.add_option("--programs", flags->programs, "Write the fastest programs as MSCCL XML: PREFIX.COLLECTIVE.BYTES.xml, a file from every size on from which another one is fastest");
    command.add_flag("--json", flags->run.json, "As JSON, with the time of every candidate");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
