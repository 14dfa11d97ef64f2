// fabricscope-cli study: a design varied, its variants run and kept, and which of them no other beats.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/cli/values.h"
#include "app/version.h"
#include "core/base/decimal.h"
#include "core/base/files/outputtarget.h"
#include "core/base/shellword.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"
#include "core/run/inputkind.h"
#include "core/study/parametershares.h"
#include "core/study/spacerun.h"
#include "core/study/tabletext.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

namespace fabricscope::cli {

namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostShards = 10'000;

struct StudyFlags {
    std::string file;
    std::string store;
    std::string out;
    std::string shard;
    std::vector<std::string> shards; ///< Stores to merge.
    std::vector<std::string> sets;
    std::int64_t threads = 0;
    std::int64_t tasks = 16;
    bool slurm = false;
    bool strict = false;
    bool json = false;
};

/// "2/16".
Result<StudyShard> shardOf(const std::string& text)
{
    if (text.empty())
        return StudyShard{};
    const std::size_t slash = text.find('/');
    const auto number = wholeNumber<std::int64_t>(text.substr(0, slash));
    const auto of = slash == std::string::npos ? std::nullopt : wholeNumber<std::int64_t>(text.substr(slash + 1));
    if (!number || !of || *of < 1 || *of > kMostShards || *number < 1 || *number > *of)
        return usageError("\"" + text + "\" is no part of the designs", "--shard", "I/N with I from 1 to N and N at most " + std::to_string(kMostShards) + ", e.g. 2/16");
    return StudyShard{*number, *of};
}

/// Beside the study: pod.sqlite, pod.2-of-16.sqlite; of one from standard input study.sqlite.
std::string storeName(const std::string& study, const StudyShard& shard)
{
    const std::filesystem::path path(study == "-" ? "study" : study);
    return (path.parent_path() / (path.stem().string() + (shard.of > 1 ? "." + std::to_string(shard.number) + "-of-" + std::to_string(shard.of) : "") + ".sqlite")).string();
}

/// A job array: one task for each shard.
std::string slurmScript(const StudyFlags& flags, const StudySpec& space)
{
    std::error_code ignored;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::string study = std::filesystem::absolute(flags.file, ignored).string();
    const std::int64_t tasks = std::min(flags.tasks, space.designCount());
    std::string out = "#!/bin/sh\n# " + std::to_string(space.designCount()) + " designs; submit with sbatch, then: fabricscope-cli study merge, with the same study\n#SBATCH --job-name=study\n#SBATCH --array=1-" + std::to_string(tasks)
        + "\n#SBATCH --requeue\nexec " + shellWord(program.empty() ? "fabricscope-cli" : program.string()) + " study run " + shellWord(study) + " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(tasks)
        + "\" --threads \"${SLURM_CPUS_PER_TASK:-1}\"";
    for (const std::string& set : flags.sets)
        out += " --set " + shellWord(set);
    return out + '\n';
}

class StudyCommand {
public:
    StudyCommand(const StudyFlags& flags, Session& session) : m_flags(flags), m_session(session) {}

    void run()
    {
        if (!open({{"--out", m_flags.out}}))
            return;
        const Result<StudyShard> shard = shardOf(m_flags.shard);
        if (!shard)
            return m_session.fail(shard.error());
        const StudySampling& sampling = m_space->sampling;
        if (sampling.search && (m_flags.slurm || !m_flags.shard.empty()))
            return m_session.fail(usageError("a search decides by all earlier answers what it looks at next, so it has no parts", m_flags.slurm ? "--slurm" : "--shard", "a study without sampling.search; what its shards keep, a search finds in the merged store"));
        if (m_flags.slurm)
            return slurm();
        RunStore* const store = openStore(shard.value(), RunStore::Access::Write);
        if (!store)
            return;
        const std::int64_t mine = sampling.search ? std::min(sampling.budget, m_space->designCount()) : (m_space->designCount() - shard.value().number + shard.value().of) / shard.value().of; // Rounded up from the I-th on.
        const std::string found = sampling.search ? std::string(keyOf(kStudySearches, *sampling.search)) + ": at most " : "";
        m_session.say(found + counted(mine, "design") + (sampling.search || shard.value().of > 1 ? " of " + std::to_string(m_space->designCount()) : "") + ", kept in " + store->path());
        SpaceRunOptions options;
        options.threads = threads();
        options.shard = shard.value();
        options.begun = [this, &options](const StudyProgress& progress) {
            const std::int64_t left = progress.designs - progress.found - 1;
            const int workers = workerCount(static_cast<std::size_t>(std::max<std::int64_t>(left, 1)), options.threads);
            if (left > 0)
                m_session.say("about " + durationText(static_cast<double>(left) * progress.secondsEach / workers) + " on " + counted(workers, "thread") + " for at most " + std::to_string(left) + " more");
        };
        std::int64_t looked = 0;
        options.looked = [this, mine, &looked](const StudyTableRow&, bool) {
            ++looked;
            m_session.progress().tell({"running designs", static_cast<double>(looked) / static_cast<double>(std::max<std::int64_t>(mine, 1))});
        };
        StudyProgress progress;
        PointRunner runner(*m_space, version());
        const Result<StudyTable> table = runSpace(*m_space, runner, *store, options, progress, m_session.stopToken());
        if (!table) {
            if (progress.ran > 0)
                m_session.say(counted(progress.ran, "design") + " kept; the same command goes on from there");
            return m_session.fail(table.error());
        }
        print(table.value(), &progress);
        writeTable(table.value());
    }

    void status()
    {
        if (const auto table = kept({}))
            printStatus(*table);
    }

    void exportTable()
    {
        if (m_flags.out.empty())
            return m_session.fail(usageError("nothing says where to", "--out", "FILE.csv or FILE.jsonl"));
        if (const auto table = kept({{"--out", m_flags.out}})) {
            writeTable(*table);
            if (m_session.exit() == 0)
                printStatus(*table);
        }
    }

    void merge()
    {
        if (!open({}))
            return;
        std::vector<std::string> shards = m_flags.shards;
        if (shards.empty())
            shards = shardsBeside();
        if (shards.empty())
            return m_session.fail(usageError("there is no store of a shard beside the study", "SHARD", "stores that study run --shard made"));
        std::vector<RunStore> others;
        for (const std::string& path : shards) {
            Result<RunStore> other = RunStore::open(path, RunStore::Access::Read);
            if (!other)
                return m_session.fail(other.error());
            others.push_back(std::move(other).value());
        }
        RunStore* const store = openStore({}, RunStore::Access::Write);
        if (!store)
            return;
        std::int64_t taken = 0;
        for (const RunStore& other : others) {
            const Result<std::int64_t> count = store->takeFrom(other);
            if (!count)
                return m_session.fail(count.error());
            taken += count.value();
        }
        m_session.say(counted(taken, "design") + " taken from " + counted(static_cast<std::int64_t>(others.size()), "store"));
        if (const auto table = tableNow(*store))
            printStatus(*table);
    }

private:
    static std::string version() { return std::string("fabricscope ") + kVersion + " " + kCommit; }
    int threads() const { return m_flags.threads > 0 ? static_cast<int>(m_flags.threads) : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

    bool open(const std::vector<NamedFile>& outputs)
    {
        if (const Status status = claimOutputs(m_session, outputs, {{"STUDY", m_flags.file}}, m_flags.json); !status) {
            m_session.fail(status);
            return false;
        }
        const Result<std::vector<FieldOverride>> sets = overridesOf(m_flags.sets, "study.sampling.points=64");
        if (!sets) {
            m_session.fail(sets.error());
            return false;
        }
        Result<StudySpec> space = readStudy(m_flags.file, sets.value(), m_session.stopToken());
        if (!space) {
            const std::string_view kinds[] = {inputKindText(InputKind::StudyFile)};
            m_session.fail(withKindNamed(space.error(), m_flags.file, {"a file with a section study", kinds}));
            return false;
        }
        m_space = std::make_unique<StudySpec>(std::move(space).value());
        return true;
    }

    RunStore* openStore(const StudyShard& shard, RunStore::Access access)
    {
        if (streamOf(m_flags.store) >= 0) {
            m_session.fail(usageError("a store is no stream", "--store", "the name of a file"));
            return nullptr;
        }
        const std::string path = m_flags.store.empty() ? storeName(m_flags.file, shard) : m_flags.store;
        if (const Status status = checkOutputs({{"--store", path}, {"--out", m_flags.out.empty() ? path + "-none" : m_flags.out}}, {{"STUDY", m_flags.file}, {"the design", m_space->base.file()}}); !status) {
            m_session.fail(status);
            return nullptr;
        }
        Result<RunStore> store = RunStore::open(path, access);
        if (!store) {
            m_session.fail(store.error());
            return nullptr;
        }
        m_store = std::make_unique<RunStore>(std::move(store).value());
        return m_store.get();
    }

    std::vector<std::string> shardsBeside() const
    {
        const std::filesystem::path study(m_flags.file);
        const std::string begin = study.stem().string() + ".";
        std::vector<std::string> out;
        std::error_code ignored;
        const std::filesystem::path folder = study.parent_path().empty() ? "." : study.parent_path();
        for (std::filesystem::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
            const std::string name = it->path().filename().string();
            if (name.starts_with(begin) && name.ends_with(".sqlite") && name.find("-of-") != std::string::npos)
                out.push_back((study.parent_path() / name).string());
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    std::optional<StudyTable> tableNow(const RunStore& store)
    {
        PointRunner runner(*m_space, version());
        Result<StudyTable> table = tableOf(*m_space, runner, store, threads(), m_session.stopToken());
        if (table)
            return std::move(table).value();
        m_session.fail(table.error());
        return std::nullopt;
    }

    std::optional<StudyTable> kept(const std::vector<NamedFile>& outputs)
    {
        if (!open(outputs))
            return std::nullopt;
        RunStore* const store = openStore({}, RunStore::Access::Read);
        return store ? tableNow(*store) : std::nullopt;
    }

    void slurm()
    {
        if (!m_flags.shard.empty() || m_flags.json || !m_flags.store.empty())
            return m_session.fail(usageError("--slurm prints a script: " + std::string(m_flags.json ? "--json" : m_flags.shard.empty() ? "--store" : "--shard") + " is not used", "--slurm", "study run STUDY.yaml --slurm [--tasks N] [--out FILE]"));
        const std::string script = slurmScript(m_flags, *m_space);
        if (m_flags.out.empty())
            return m_session.print(script);
        m_session.fail(writeOutputFile(m_flags.out, script, m_session.outputs()));
    }

    void writeTable(const StudyTable& table)
    {
        if (m_flags.out.empty())
            return;
        const bool lines = m_flags.out.ends_with(".jsonl");
        const std::string text = lines ? tableJsonLines(*m_space, table, m_session.stopToken()) : tableCsv(*m_space, table, m_session.stopToken());
        m_session.fail(writeOutputFile(m_flags.out, text, m_session.outputs()));
    }

    void writeCounts(JsonWriter& json, const StudyTable& table) const
    {
        json.member("designs", static_cast<std::int64_t>(table.rows.size()));
        for (const auto& [word, state] : kTableStates)
            json.member(word, table.count(state));
    }

    std::string countsText(const StudyTable& table) const
    {
        std::string out = counted(static_cast<std::int64_t>(table.rows.size()), "design");
        for (const auto& [word, state] : kTableStates) {
            if (const std::int64_t count = table.count(state); count > 0)
                out += ", " + std::to_string(count) + ' ' + std::string(word);
        }
        return out + '\n';
    }

    void printStatus(const StudyTable& table)
    {
        if (!m_flags.json)
            return m_session.print(countsText(table) + searchText(*m_space, table));
        JsonWriter json(m_session.stopToken());
        json.beginObject();
        json.member("schema", 1);
        json.key("result");
        json.beginObject();
        writeCounts(json, table);
        json.endObject();
        json.endObject();
        m_session.print(json.text());
    }

    void print(const StudyTable& table, const StudyProgress* progress)
    {
        constexpr std::size_t kMostShown = 20;
        const auto failed = std::find_if(table.rows.begin(), table.rows.end(), [](const StudyTableRow& row) { return row.state == StudyTableRow::State::Failed; });
        if (failed != table.rows.end())
            m_session.say("warning: " + counted(table.count(StudyTableRow::State::Failed), "design") + " cannot be run; the first, point " + std::to_string(failed->number) + ": " + failed->message);
        bool lacks = false;
        for (const StudyObjective& objective : m_space->objectives) {
            const bool known = std::any_of(table.rows.begin(), table.rows.end(), [&](const StudyTableRow& row) { return row.state == StudyTableRow::State::Done && row.figures[objective.figure]; });
            if (known || table.count(StudyTableRow::State::Done) == 0)
                continue;
            lacks = true;
            m_session.say("warning: " + objective.place.text() + ": " + std::string(rowOf(objective.figure).key) + " is not known of these designs" + (needsParts(objective.figure) ? "; fabricscope-cli fabric says which prices are missing" : ""));
        }
        if (m_flags.strict && (lacks || failed != table.rows.end()))
            m_session.setExit(1);
        if (!m_flags.json)
            return m_session.print(countsText(table) + searchText(*m_space, table) + (table.front.empty() && table.count(StudyTableRow::State::Done) == 0 ? std::string() : "\n" + frontText(*m_space, table, kMostShown) + sharesText(*m_space, table) + seedsText(*m_space, table, kMostShown)));
        JsonWriter json(m_session.stopToken());
        json.beginObject();
        json.member("schema", 1);
        json.key("result");
        json.beginObject();
        writeCounts(json, table);
        writeStudyTable(json, *m_space, table);
        json.endObject();
        json.key("run");
        json.beginObject();
        json.member("ran", progress->ran);
        json.member("found", progress->found);
        json.member("threads", static_cast<std::int64_t>(threads()));
        json.member("store", m_store->path());
        json.key("wall_s");
        json.number(fixedDecimal(m_session.elapsedMicroseconds(), 6));
        json.endObject();
        json.endObject();
        m_session.print(json.text());
    }

    const StudyFlags& m_flags;
    Session& m_session;
    std::unique_ptr<StudySpec> m_space;
    std::unique_ptr<RunStore> m_store;
};

/// What all of them have.
std::shared_ptr<StudyFlags> addCommon(Command& command, const std::string& store)
{
    auto flags = std::make_shared<StudyFlags>();
    command.add_option("STUDY", flags->file, "Study file (YAML): a design, what is varied, what is looked for")->required();
    command.add_option("--store", flags->store, store);
    command.add_option("--set", flags->sets, "Replace a field of the study, e.g. study.sampling.points=64")->take_all()->expected(1)->allow_extra_args(false);
    command.add_option("--threads", flags->threads, "Designs at once; 0: one per core (default 0); the answer does not depend on them")->range(0, kMostThreads);
    command.add_flag("--json", flags->json, "As JSON");
    return flags;
}

} // namespace

void addStudy(Command& program, Session& session)
{
    Command& command = *program.add_subcommand("study", "A design varied: run all variants, keep them, find those that no other beats");
    Command& run = *command.add_subcommand("run", "Run the designs that are not kept yet");
    auto ran = addCommon(run, "SQLite file that keeps the designs (default: beside the study, its name with .sqlite)");
    run.add_option("--out", ran->out, "Write the table to FILE.csv, or as lines of JSON to FILE.jsonl; with --slurm the script");
    run.add_option("--shard", ran->shard, "Only part I of N of the designs, e.g. 2/16, in a store of its own");
    run.add_flag("--slurm", ran->slurm, "Print the script of a Slurm job array instead, a task for each shard");
    run.add_option("--tasks", ran->tasks, "With --slurm: tasks of the array (default 16)")->range(1, kMostShards);
    run.add_flag("--strict", ran->strict, "Exit code 1 where a design cannot be run or a figure is not known");
    run.callback([ran, &session] { StudyCommand(*ran, session).run(); });
    Command& status = *command.add_subcommand("status", "How many designs are kept");
    auto asked = addCommon(status, "The store (default: beside the study)");
    status.callback([asked, &session] { StudyCommand(*asked, session).status(); });
    Command& merge = *command.add_subcommand("merge", "Put the stores of shards together");
    auto merged = addCommon(merge, "The store they are put into (default: beside the study)");
    merge.add_option("SHARD", merged->shards, "Stores of shards (default: all beside the study)");
    merge.callback([merged, &session] { StudyCommand(*merged, session).merge(); });
    Command& write = *command.add_subcommand("export", "Write the table of what is kept");
    auto written = addCommon(write, "The store (default: beside the study)");
    write.add_option("--out", written->out, "FILE.csv, or lines of JSON: FILE.jsonl");
    write.callback([written, &session] { StudyCommand(*written, session).exportTable(); });
    command.callback([&command, &session] {
        if (!command.hasGivenSubcommand())
            session.fail(usageError("nothing is asked for", "study", "run, status, merge or export"));
    });
}

} // namespace fabricscope::cli
