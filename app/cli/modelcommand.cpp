// fabricscope-cli model: what a model consists of and what a pass of training or inference does.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/modelshown.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "core/model/loadmodel.h"
#include "core/model/presetmodels.h"
#include "core/model/writemodel.h"
#include "core/report/outputfile.h"
#include "core/run/inputkind.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct ModelFlags {
    std::string source;
    std::string out;
    std::string mode = "train";
    std::string recompute = "none";
    std::int64_t batch = 1;
    std::int64_t seq = 0;
    std::int64_t offset = 0;
    bool predict = false;
    bool json = false;
    bool strict = false;
};

bool looksLikeFile(const std::string& source)
{
    return source.find('/') != std::string::npos || source.ends_with(".json") || source.ends_with(".yaml") || source.ends_with(".yml");
}

/// A preset by name, or a file.
Result<CheckpointModel> modelFrom(const ModelFlags& flags, Session& session)
{
    if (!looksLikeFile(flags.source) && !isInputFile(flags.source)) {
        auto preset = presetModel(flags.source);
        if (!preset)
            return std::move(preset).error();
        if (flags.predict)
            return usageError("--predict-layers counts layers that a config.json names", "--predict-layers", "a config.json");
        return CheckpointModel{std::move(preset).value(), {}};
    }
    auto text = readTextFile(flags.source);
    if (!text)
        return std::move(text).error();
    Result<CheckpointModel> model = loadModelText(std::move(text).value(), flags.source, flags.predict, session.stopToken());
    if (model)
        return model;
    const std::string_view kinds[] = {inputKindText(InputKind::ModelFile), inputKindText(InputKind::CheckpointConfig), inputKindText(InputKind::Design)};
    return withKindNamed(std::move(model).error(), flags.source, {"a model file, the config.json of a checkpoint, or a design with a model", kinds});
}

/// Length of the sequences when none is asked for.
std::int64_t usualSeq(const ModelSpec& model)
{
    return model.family == ComputeFamily::Transformer ? model.transformer.seq : 1;
}

Result<PassShape> passFrom(const ModelFlags& flags, const Command& command, const ModelSpec& model)
{
    const auto mode = valueMeant(kPassModes, flags.mode);
    if (!mode)
        return usageError("mode \"" + flags.mode + "\" is not known", "--mode", keyList(kPassModes));
    const bool layered = model.family == ComputeFamily::Transformer;
    if (!layered && (command.isGiven("--seq") || *mode == PassMode::Decode))
        return usageError("a " + std::string(keyOf(kComputeFamilies, model.family)) + " has no sequences", command.isGiven("--seq") ? "--seq" : "--mode", "--batch alone");
    if (command.isGiven("--offset") && *mode != PassMode::Prefill)
        return usageError("--offset is of a chunk of a prompt", "--offset", "--mode prefill");
    if (command.isGiven("--recompute") && *mode != PassMode::Train)
        return usageError("--recompute is of training", "--recompute", "--mode train");
    const std::int64_t seq = command.isGiven("--seq") ? flags.seq : usualSeq(model);
    switch (*mode) {
    case PassMode::Train: return PassShape::train(flags.batch, seq);
    case PassMode::Prefill: return PassShape::prefill(flags.batch, seq, flags.offset);
    case PassMode::Decode: return PassShape::decode(flags.batch, seq);
    }
    return PassShape();
}

void showModel(const ModelFlags& flags, const Command& command, Session& session)
{
    const auto read = modelFrom(flags, session);
    if (!read)
        return session.fail(read.error());
    const auto pass = passFrom(flags, command, read.value().model);
    if (!pass)
        return session.fail(pass.error());
    const auto recompute = valueMeant(kLayerRecomputes, flags.recompute);
    if (!recompute)
        return session.fail(usageError("recomputation \"" + flags.recompute + "\" is not known", "--recompute", keyList(kLayerRecomputes)));
    auto shown = workOut(read.value().model, pass.value(), *recompute);
    if (!shown)
        return session.fail(shown.error());
    shown.value().notes = read.value().notes;
    for (const Diagnostic& entry : read.value().notes) {
        session.say(entry.text());
        if (flags.strict && entry.severity == Severity::Warning)
            session.setExit(1);
    }
    session.print(flags.json ? modelJson(shown.value(), session.stopToken()) : modelTable(shown.value(), session.stopToken()));
}

void importModel(const ModelFlags& flags, Session& session)
{
    if (const Status status = claimOutputs(session, {{"--out", flags.out}}, {{"FILE", flags.source}}, false); !status)
        return session.fail(status);
    const auto read = modelFrom(flags, session);
    if (!read)
        return session.fail(read.error());
    for (const Diagnostic& entry : read.value().notes)
        session.say(entry.text());
    const auto text = writeModelFile(read.value().model);
    if (!text)
        return session.fail(text.error());
    if (flags.out.empty())
        return session.print(text.value());
    session.fail(writeOutputFile(flags.out, text.value(), session.outputs()));
}

void addShow(Command& command, Session& session)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    auto flags = std::make_shared<ModelFlags>();
    Command& show = *command.add_subcommand("show", "Parameters, FLOPs, bytes and ops of a model for one pass");
    show.add_option("MODEL", flags->source, "Name of a preset, a model file or design of ours, or config.json of a checkpoint")->required();
    show.add_option("--batch", flags->batch, "Sequences (samples) of the pass (default 1)")->range(1, kMost);
    show.add_option("--seq", flags->seq, "Tokens: of a sequence, of a prompt or chunk, attended by the new one (default: the model's)")->range(1, kMost);
    show.add_option("--offset", flags->offset, "Tokens of the prompt in earlier chunks (default 0)")->range(0, kMost);
    show.add_option("--mode", flags->mode, "What the pass is: train, prefill or decode (default train)");
    show.add_option("--recompute", flags->recompute, "Done again in backward: none, selective or full (default none)");
    show.add_flag("--predict-layers", flags->predict, "Count layers of a config.json that predict further tokens");
    show.add_flag("--json", flags->json, "As JSON");
    show.add_flag("--strict", flags->strict, "Exit code 1 if there are warnings");
    show.callback([flags, &show, &session] { showModel(*flags, show, session); });
}

void addImport(Command& command, Session& session)
{
    auto flags = std::make_shared<ModelFlags>();
    Command& import = *command.add_subcommand("import", "Write config.json of a checkpoint, or a preset, as a model file");
    import.add_option("FILE", flags->source, "config.json of a checkpoint, or name of a preset")->required();
    import.add_option("--out", flags->out, "Write to this file (default: standard output)");
    import.add_flag("--predict-layers", flags->predict, "Count layers that predict further tokens");
    import.callback([flags, &session] { importModel(*flags, session); });
}

} // namespace

void addModel(Command& program, Session& session)
{
    Command& command = *program.add_subcommand("model", "What a model computes: presets, checkpoints, parameters, FLOPs, bytes");
    auto asJson = std::make_shared<bool>(false);
    Command& list = *command.add_subcommand("list", "List the models known by name");
    list.add_flag("--json", *asJson, "As JSON");
    list.callback([asJson, &session] { session.print(*asJson ? modelListJson(session.stopToken()) : modelListTable(session.stopToken())); });
    addShow(command, session);
    addImport(command, session);
    command.callback([&command, &session] {
        if (!command.hasGivenSubcommand())
            session.fail(usageError("nothing is asked for", "model", "list, show or import"));
    });
}

} // namespace fabricscope::cli
