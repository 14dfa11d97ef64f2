// fabricscope-cli transform: computations and collectives of a program split, reordered, sliced, fused and overlapped.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/rewriteoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/run/inputkind.h"

#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct TransformFlags {
    std::string file;
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

void run(const TransformFlags& flags, Session& session)
{
    if (flags.tune && !flags.schedule.empty())
        return session.fail(usageError("a schedule is given and one is searched for", "--tune", "--apply or --tune"));
    const auto overrides = overridesOf(flags.sets, "transform.sizes.N=1024");
    if (!overrides)
        return session.fail(overrides.error());
    const auto file = transform::readTransformFile(flags.file, overrides.value(), session.stopToken());
    const std::string_view kinds[] = {inputKindText(InputKind::TransformFile)};
    if (!file)
        return session.fail(withKindNamed(file.error(), flags.file, {"a file with a section transform", kinds}));
    for (const Diagnostic& entry : file.value().diagnostics)
        session.say(entry.text());
    std::optional<transform::StepSearch> search;
    if (flags.tune) {
        auto found = transform::searchSchedules(file.value(), session.stopToken());
        if (!found)
            return session.fail(found.error());
        search = std::move(found).value();
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
    if (made.value().refused)
        session.fail(transform::refusalError(*made.value().refused));
    if (flags.json)
        session.print(transformedJson(made.value(), file.value().diagnostics, search ? &*search : nullptr));
    else if (!made.value().refused)
        session.print(transformedText(made.value(), search ? &*search : nullptr));
}

} // namespace

void addTransform(Command& program, Session& session)
{
    auto flags = std::make_shared<TransformFlags>();
    Command& command = *program.add_subcommand("transform", "A program of computations and collectives, split, reordered, sliced, fused and overlapped with the same result");
    command.add_option("FILE", flags->file, "File with a section transform (manual: transform)")->required();
    command.add_option("--apply", flags->schedule, "Schedule file: one step per line, such as \"split s\"; instead of the schedule in the file");
    command.add_option("--set", flags->sets, "Replace a field of the file, e.g. transform.sizes.N=1024")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--run", flags->run, "Execute the program before and after on small sizes and compare the results");
    command.add_flag("--tune", flags->tune, "Search for the fastest schedule");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
