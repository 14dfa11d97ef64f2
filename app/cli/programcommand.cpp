// fabricscope-cli program: a collective from a script or a generator, checked, drawn and written.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/output/programoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/savedprograms.h"
#include "app/cli/values.h"
#include "core/base/files/textfile.h"
#include "core/draw/programdrawing.h"
#include "core/draw/svg.h"
#include "core/formats/programload.h"
#include "core/generate/generate.h"
#include "core/report/outputfile.h"

#include <charconv>
#include <filesystem>
#include <memory>

namespace fabricscope::cli {

namespace {

struct ProgramFlags {
    std::string script;
    std::vector<std::string> parameters;
    std::string algorithm;
    std::string op = "all_reduce";
    std::string axes;
    std::int32_t chunks = 1;
    std::int32_t root = 0;
    std::int32_t radix = 2;
    std::string out;
    std::string graphs;
    std::string size;
    std::string draw;
    bool json = false;
};

/// A program and what its script said besides.
struct Made {
    ProgramPtr program;
    std::vector<ScriptParameter> parameters;
    Diagnostics notes;
    std::vector<std::string> phases;
};

Result<Made> fromScript(const ProgramFlags& flags, std::stop_token stop)
{
    Result<std::string> text = readTextFile(flags.script);
    if (!text)
        return std::move(text).error();
    ProgramReadOptions options;
    options.stop = std::move(stop);
    for (const std::string& parameter : flags.parameters) {
        const std::size_t equals = parameter.find('=');
        const char* end = parameter.data() + parameter.size();
        double value = 0;
        if (equals == std::string::npos || equals == 0)
            return usageError("\"" + parameter + "\" is no parameter", "--param", "NAME=NUMBER");
        const auto [last, error] = std::from_chars(parameter.data() + equals + 1, end, value);
        if (error != std::errc() || last != end)
            return usageError("\"" + parameter.substr(equals + 1) + "\" is no number", "--param", "NAME=NUMBER");
        if (!options.parameters.emplace(parameter.substr(0, equals), value).second)
            return usageError("\"" + parameter.substr(0, equals) + "\" is given twice", "--param");
    }
    Diagnostics notes;
    Result<LoadedProgram> script = parseProgram(ProgramForm::Script, std::move(text).value(), flags.script, notes, options);
    if (!script)
        return std::move(script).error();
    LoadedProgram& made = script.value();
    return Made{std::move(made.program), std::move(made.parameters), std::move(notes), std::move(made.phases)};
}

/// "8x8" as {8, 8}.
Result<std::vector<std::int32_t>> parseAxes(const std::string& text)
{
    std::vector<std::int32_t> out;
    const char* at = text.data();
    const char* end = at + text.size();
    while (true) {
        std::int32_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 1 || (next != end && *next != 'x'))
            return usageError("\"" + text + "\" is no group", "--axes", "a number of ranks, or extents such as 8x8, the fastest first");
        out.push_back(extent);
        if (next == end)
            return out;
        at = next + 1;
    }
}

Result<Made> fromGenerator(const ProgramFlags& flags, const std::stop_token& stop)
{
    GenerateRequest request;
    request.stop = stop;
    request.algorithm = flags.algorithm;
    const Result<CollectiveOp> op = collectiveNamed(flags.op, "--op");
    if (!op)
        return op.error();
    request.op = op.value();
    Result<std::vector<std::int32_t>> axes = parseAxes(flags.axes);
    if (!axes)
        return std::move(axes).error();
    request.axes = std::move(axes).value();
    request.chunks = flags.chunks;
    request.root = flags.root;
    request.radix = flags.radix;
    Result<ProgramPtr> program = generateProgram(request);
    if (!program) {
        Error error = std::move(program).error();
        if (!error.place.field.empty())
            error.place.field.insert(0, "--");
        return error;
    }
    return Made{std::move(program).value(), {}, {}, {}};
}

/// PREFIX of graphs PREFIX.0.et, ...; of a folder FOLDER/program.0.et, ...
std::string graphPrefix(const std::string& out)
{
    std::error_code ignored;
    const std::filesystem::path path(out);
    return std::filesystem::is_directory(path, ignored) ? (path / "program").string() : out;
}

Status writeGraphs(const ProgramPtr& program, const std::string& prefix, std::int64_t bytes, Session& session)
{
    const Result<Diagnostics> notes = writeProgramTo(program, prefix, "et", {bytes, false, 1, session.outputs()});
    if (!notes)
        return notes.error();
    for (const Diagnostic& lost : notes.value())
        session.say(lost.text());
    return {};
}

/// What is given and not read: settings of generators beside a script, a radix where none is.
Status checkGiven(const ProgramFlags& flags, const Command& command)
{
    OptionsRead use{"with a script", {"--script", "--param", "--out", "--et", "--size", "--draw", "--json"}, "the script says it; --param for its parameters"};
    if (!flags.script.empty())
        return command.checkRead(use);
    const GeneratorInfo* const generator = findGenerator(flags.algorithm);
    if (!generator)
        return {}; // The generators refuse the name.
    const std::string with = "by " + std::string(generator->key);
    use.with = with;
    use.instead = "a generator that takes it (program list)";
    use.names.insert(use.names.end(), {"--algorithm", "--op", "--axes", "--chunks", "--root"});
    if (generator->hasRadix)
        use.names.push_back("--radix");
    return command.checkRead(use);
}

void run(const ProgramFlags& flags, const Command& command, Session& session)
{
    if (flags.script.empty() == flags.algorithm.empty())
        return session.fail(usageError("a program comes of a script or of a generator", "--script, --algorithm", "one of the two"));
    if (!flags.algorithm.empty() && flags.axes.empty())
        return session.fail(usageError("a generator needs to know the group", "--axes", "a number of ranks, or extents such as 8x8"));
    if (flags.script.empty() && !flags.parameters.empty())
        return session.fail(usageError("only scripts have parameters", "--param"));
    if (flags.graphs.empty() && !flags.size.empty())
        return session.fail(usageError("only graphs have sizes", "--size", "--et PREFIX with it"));
    if (const Status status = checkGiven(flags, command); !status)
        return session.fail(status);
    const Result<std::int64_t> bytes = readSize(flags.size);
    if (!bytes)
        return session.fail(bytes.error());
    const std::vector<NamedFile> outputs{{"--draw", flags.draw}, {"--out", flags.out}, {"--et", graphPrefix(flags.graphs), true}};
    if (const Status status = claimOutputs(session, outputs, {{"--script", flags.script}}, flags.json); !status)
        return session.fail(status);
    Result<Made> made = flags.script.empty() ? fromGenerator(flags, session.stopToken()) : fromScript(flags, session.stopToken());
    static constexpr std::string_view kScripts[] = {programFormRow(ProgramForm::Script).text};
    if (!made)
        return session.fail(flags.script.empty() ? made.error() : withKindNamed(made.error(), flags.script, {"a script in Lua (--script)", kScripts}));
    const ProgramPtr& program = made.value().program;
    const Result<ProgramPtr> expanded = expandTemplate(program, session.stopToken());
    ProgramFacts facts = programFacts(program, expanded ? expanded.value() : nullptr, session.stopToken());
    if (facts.verification.cancelled)
        return session.fail(Error{ErrorCode::Cancelled, "stopped while the program was verified", {}, {}});
    facts.parameters = made.value().parameters;
    facts.notes = made.value().notes;
    for (const Diagnostic& note : facts.notes)
        session.say(note.text());
    session.print(flags.json ? programJson(facts) : programText(facts));
    if (!facts.verification.valid)
        session.setExit(1);
    if ((!flags.draw.empty() || !flags.out.empty() || !flags.graphs.empty()) && !expanded)
        return session.fail(expanded.error());
    if (!flags.draw.empty()) {
        ProgramLayoutOptions options;
        options.phases = made.value().phases;
        const ProgramLayout layout = layoutProgram(*expanded.value(), options);
        if (!layout.note.empty())
            session.say(flags.draw + ": " + layout.note);
        if (Status status = writeOutputFile(flags.draw, svgText(programFigure(*expanded.value(), layout), {false, true}), session.outputs()); !status)
            return session.fail(status);
    }
    if (!flags.out.empty()) {
        if (Status status = writeProgram(expanded.value(), flags.out, session); !status)
            return session.fail(status);
    }
    if (!flags.graphs.empty())
        session.fail(writeGraphs(program, graphPrefix(flags.graphs), bytes.value(), session));
}

} // namespace

void addProgram(Command& program, Session& session)
{
    auto flags = std::make_shared<ProgramFlags>();
    Command& command = *program.add_subcommand("program", "Make a collective from a script or a generator; check, draw and write it");
    command.add_option("--script", flags->script, "A script in Lua (section PROGRAMS of the manual page)");
    command.add_option("--param", flags->parameters, "NAME=NUMBER for the script, as often as needed")->allow_extra_args(false);
    command.add_option("--algorithm", flags->algorithm, "A generator; program list names them");
    command.add_option("--op", flags->op, "Collective of the generator (default all_reduce)");
    command.add_option("--axes", flags->axes, "Group of the generator: 16, or extents such as 8x8, the fastest first");
    command.add_option("--chunks", flags->chunks, "Pieces the vector is cut in (default 1)");
    command.add_option("--root", flags->root, "Root of rooted collectives (default 0)");
    command.add_option("--radix", flags->radix, "Of k-nomial trees and Bruck (default 2)");
    command.add_option("--out", flags->out, "Write it to this file: .xml (MSCCL) or .json");
    command.add_option("--et", flags->graphs, "Write it as Chakra graphs PREFIX.0.et, PREFIX.1.et, ...; into a folder as FOLDER/program.0.et, ...");
    command.add_option("--size", flags->size, "Large side of the graphs, which fixes the bytes of every message (default: left open)");
    command.add_option("--draw", flags->draw, "Draw ranks, steps and messages into this SVG file");
    command.add_flag("--json", flags->json, "As JSON");
    Command& list = *command.add_subcommand("list", "List the generators and what they take");
    auto asJson = std::make_shared<bool>(false);
    list.add_flag("--json", *asJson, "As JSON");
    list.callback([asJson, &command, &session] {
        if (const Status status = command.checkRead({"by program list", {}}); !status)
            return session.fail(status);
        session.print(*asJson ? generatorJson() : generatorTable());
    });
    command.callback([flags, &command, &session] {
        if (!command.hasGivenSubcommand())
            run(*flags, command, session);
    });
}

} // namespace fabricscope::cli
