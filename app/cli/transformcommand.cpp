// fabricscope-cli transform: computations and collectives of a program split, reordered, sliced, fused and overlapped.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/rewriteoutput.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/report/outputfile.h"
#include "core/transform/partinstep.h"
#include "core/run/inputkind.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct TransformFlags {
    std::string file;
    std::string from;
    std::string part;
    std::string out;
    std::string schedule;
    std::vector<std::string> sets;
    bool run = false;
    bool tune = false;
    bool json = false;
};

Result<transform::Schedule> scheduleOf(const TransformFlags& flags, const transform::TransformFile& file)
{
    if (flags.schedule.empty())
        return file.schedule;
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    auto text = readTextFile(flags.schedule, kMostBytes);
    if (!text)
        return text.error();
    return transform::parseSchedule(text.value(), flags.schedule);
}

/// What flags do not go together.
Status checkTransformFlags(const TransformFlags& flags)
{
    if (flags.tune && !flags.schedule.empty())
        return usageError("a schedule is given and one is searched for", "--tune", "--apply or --tune");
    if (flags.file.empty() == flags.from.empty())
        return usageError(flags.file.empty() ? "no program is given" : "a program and a design are given", flags.file.empty() ? "FILE" : "--from", "FILE, or --from DESIGN with --part");
    if (flags.from.empty() != flags.part.empty())
        return usageError("--from and --part belong together", flags.from.empty() ? "--part" : "--from", "--from DESIGN --part " + keyList(transform::kModelParts));
    if (!flags.out.empty() && flags.from.empty())
        return usageError("--out is the program that --from cuts out", "--out", "--from DESIGN --part PART --out FILE.yaml");
    return {};
}

/// A part, and the design that it is of.
struct CutPart {
    Design design;
    StepOfPart step;
};

Result<CutPart> partOf(const TransformFlags& flags, Session& session)
{
    const auto part = valueOf(transform::kModelParts, flags.part);
    if (!part)
        return usageError("there is no part " + flags.part, "--part", keyList(transform::kModelParts));
    const auto overrides = overridesOf(flags.sets, "workload.plan.data.zero=0");
    if (!overrides)
        return overrides.error();
    auto loaded = readDesignOnly(flags.from, overrides.value(), session.stopToken());
    if (!loaded)
        return loaded.error();
    auto made = transform::partOfStep(loaded.value().design, *part, session.stopToken());
    if (!made)
        return made.error();
    if (!flags.out.empty()) {
        if (Status status = writeOutputFile(flags.out, made.value().text, session.outputs()); !status)
            return status.error();
    }
    return CutPart{std::move(loaded).value().design, {*part, std::move(made).value(), std::nullopt, {}}};
}

/// The whole step with the program. That it cannot be simulated is said, and is no failure.
Status simulateWhole(CutPart& cut, const transform::TimingSetup& timing, const transform::Transformed& made, Session& session)
{
    const auto times = transform::simulateStep(cut.design, cut.step.kind, cut.step.part, timing, made, session.stopToken());
    if (times)
        cut.step.times = times.value();
    else if (times.error().code == ErrorCode::Cancelled)
        return times.error();
    else
        cut.step.reason = times.error().message;
    return {};
}

Result<transform::TransformFile> fileOf(const TransformFlags& flags, Session& session)
{
    const auto overrides = overridesOf(flags.sets, "transform.sizes.N=1024");
    if (!overrides)
        return overrides.error();
    return transform::readTransformFile(flags.file, overrides.value(), session.stopToken());
}

void run(const TransformFlags& flags, Session& session)
{
    if (Status status = checkTransformFlags(flags); !status)
        return session.fail(status);
    if (Status status = claimOutputs(session, {{"--out", flags.out}}, {{"FILE", flags.file}, {"--from", flags.from}, {"--apply", flags.schedule}}, flags.json); !status)
        return session.fail(status);
    std::optional<CutPart> part;
    if (!flags.from.empty()) {
        auto cut = partOf(flags, session);
        if (!cut)
            return session.fail(cut.error());
        part = std::move(cut).value();
    }
    auto file = part ? Result<transform::TransformFile>(part->step.part.file) : fileOf(flags, session);
    const std::string_view kinds[] = {inputKindText(InputKind::TransformFile), "a script in Lua"};
    if (!file) {
        Error error = part ? file.error() : withKindNamed(file.error(), flags.file, {"a file with a section transform, or a script (.lua) of one", kinds});
        if (error.code == ErrorCode::InvalidInput && error.expected.empty() && flags.file.ends_with(".lua"))
            error.expected = "a script of a program to transform (manual: transform)"; // It may be one of a collective.
        return session.fail(error);
    }
    for (const Diagnostic& entry : file.value().diagnostics)
        session.say(entry.text());
    std::optional<transform::StepSearch> search;
    if (flags.tune) {
        const auto begin = std::chrono::steady_clock::now();
        const transform::SearchWatch watch = [&](const transform::StepSearch& soFar) {
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            session.progress().tell({"searching schedules", -1, static_cast<double>(soFar.programs.size()) / std::max(seconds, 1e-3), "programs"});
        };
        auto found = transform::searchSchedules(file.value(), session.stopToken(), {}, watch);
        if (!found)
            return session.fail(found.error());
        search = std::move(found).value();
        file.value().timing = search->bestTiming(file.value());
    }
    const auto schedule = search ? Result<transform::Schedule>(search->scheduleOf(search->best)) : scheduleOf(flags, file.value());
    if (!schedule)
        return session.fail(schedule.error());
    auto made = transform::transformed(file.value(), schedule.value(), session.stopToken());
    if (!made)
        return session.fail(made.error());
    if (flags.run && !made.value().refused) {
        if (const Status status = transform::execute(made.value(), session.stopToken()); !status)
            return session.fail(status);
        if (!made.value().equal.value_or(true))
            session.setExit(1);
    }
    if (part && !made.value().refused) {
        if (const Status status = simulateWhole(*part, file.value().timing, made.value(), session); !status)
            return session.fail(status);
    }
    if (made.value().refused)
        session.fail(transform::refusalError(*made.value().refused));
    if (flags.json)
        session.print(transformedJson(made.value(), file.value().diagnostics, search ? &*search : nullptr, part ? &part->step : nullptr));
    else if (!made.value().refused)
        session.print(transformedText(made.value(), search ? &*search : nullptr, part ? &part->step : nullptr));
}

} // namespace

void addTransform(Command& program, Session& session)
{
    auto flags = std::make_shared<TransformFlags>();
    Command& command = *program.add_subcommand("transform", "A program of computations and collectives, split, reordered, sliced, fused and overlapped with the same result");
    command.add_option("FILE", flags->file, "File with a section transform, or a script (.lua) of one (manual: transform)");
    command.add_option("--from", flags->from, "Design with a model and a plan: a part of its step is the program, instead of FILE");
    command.add_option("--part", flags->part, "With --from: optimizer, attention, mlp or pipeline_boundary");
    command.add_option("--out", flags->out, "With --from: write the program as a file");
    command.add_option("--apply", flags->schedule, "Schedule file: one step per line, such as \"split s\"; instead of the schedule in the file");
    command.add_option("--set", flags->sets, "Replace a field of the file, e.g. transform.sizes.N=1024; with --from of the design")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--run", flags->run, "Execute the program before and after on small sizes and compare the results");
    command.add_flag("--tune", flags->tune, "Search for the fastest schedule");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
