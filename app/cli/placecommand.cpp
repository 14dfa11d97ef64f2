// fabricscope-cli place: the best sharded program for a cluster of unequal devices.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/placeoutput.h"
#include "app/cli/output/toldmeanwhile.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/base/outofmemory.h"
#include "core/planner/placefile.h"
#include "core/planner/placementtimes.h"
#include "core/planner/placementwatch.h"
#include "core/run/inputkind.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <initializer_list>
#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct PlaceFlags {
    std::vector<std::string> files;
    std::string devices; ///< Of --table: "8,16".
    bool table = false;
    std::vector<std::string> sets;
    std::string heuristic = "bound";
    bool exhaustive = false;
    bool json = false;
};

Result<YamlDocument> placeDocument(const PlaceFlags& flags, const std::string& path, const std::stop_token& stop)
{
    Result<std::string> text = readTextFile(path);
    if (!text)
        return text.error();
    Result<YamlDocument> document = YamlDocument::parse(std::move(text).value(), path, stop);
    if (!document)
        return document;
    const Result<std::vector<FieldOverride>> sets = overridesOf(flags.sets, "place.batch=64");
    if (!sets)
        return sets.error();
    for (const FieldOverride& set : sets.value()) {
        if (const Status status = document.value().overlay(set.path, set.value, "--set " + set.path); !status)
            return status.error();
    }
    return document;
}

/// The node at "place.cluster.platform" and the like; null: there is none.
const YamlNode* nodeAt(const YamlDocument& document, std::initializer_list<std::string_view> keys)
{
    const YamlNode* node = &document.root();
    for (const std::string_view key : keys) {
        const YamlEntry* entry = node->isMap() ? node->find(key) : nullptr;
        if (!entry)
            return nullptr;
        node = &entry->value;
    }
    return node;
}

std::optional<std::int64_t> wholeNumberOf(const YamlNode* node)
{
    std::int64_t value = 0;
    if (!node || !node->isScalar())
        return std::nullopt;
    const auto [end, problem] = std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
    constexpr std::int64_t kMost = 1'000'000'000'000;
    return problem == std::errc{} && end == node->text.data() + node->text.size() && value > 0 && value <= kMost ? std::optional(value) : std::nullopt;
}

/// What a search says of a problem, at its place in the file: that of the field it names, or of all.
Error inFile(const YamlDocument& document, Error error)
{
    if (!error.place.file.empty() || endsTheJob(error))
        return error;
    const std::string field = error.place.field.empty() ? "place" : error.place.field;
    const YamlNode* const node = document.find(field);
    error.place = document.place(node ? *node : document.root(), field);
    return error;
}

/// A problem with what simulates it.
struct AskedPlacement {
    PlacementProblem problem;
    std::optional<ClusterSimulation> simulation;
};

Result<AskedPlacement> askedPlacement(const YamlDocument& document, const std::string& path, const std::stop_token& stop)
{
    Result<PlaceFile> file = readPlaceFile(document, stop);
    if (!file)
        return file.error();
    AskedPlacement asked{std::move(file.value().problem), std::nullopt};
    if (!file.value().platform)
        return asked;
    Result<ClusterSimulation> made = ClusterSimulation::create(*file.value().platform, path, asked.problem.cluster, stop);
    if (!made)
        return made.error();
    asked.simulation = std::move(made).value();
    if (const Status status = asked.simulation->timeCollectives(asked.problem.cluster, asked.problem.mostBytes(), stop); !status)
        return status.error();
    return asked;
}

/// The same question for another number of devices: types, batch and the outermost dimension of the platform in proportion.
Result<YamlDocument> scaledDocument(const PlaceFlags& flags, const std::string& path, std::int64_t devices, const std::stop_token& stop)
{
    Result<YamlDocument> document = placeDocument(flags, path, stop);
    if (!document || devices == 0)
        return document;
    const Result<PlaceFile> file = readPlaceFile(document.value(), stop);
    if (!file)
        return file.error();
    const std::int64_t now = file.value().problem.cluster.devices();
    const auto scale = [&](const std::string& field, std::int64_t value) -> Status {
        if (value * devices % now != 0)
            return usageError(std::to_string(now) + " devices cannot become " + std::to_string(devices) + ": " + field + " is " + std::to_string(value), "--devices", "a multiple that divides it");
        return document.value().overlay(field, std::to_string(value * devices / now), "--devices");
    };
    Status status;
    for (std::size_t i = 0; i < file.value().problem.cluster.types.size() && status; ++i)
        status = scale("place.cluster.devices." + std::to_string(i) + ".count", file.value().problem.cluster.types[i].count);
    if (const auto batch = wholeNumberOf(nodeAt(document.value(), {"place", "batch"})); batch && status)
        status = scale("place.batch", *batch);
    const YamlNode* const dimensions = nodeAt(document.value(), {"place", "cluster", "platform", "dimensions"});
    if (!dimensions || !dimensions->isSequence() || dimensions->items.empty())
        return status ? std::move(document) : Result<YamlDocument>(status.error());
    const YamlEntry* const size = dimensions->items.back().isMap() ? dimensions->items.back().find("size") : nullptr;
    const std::string outermost = "place.cluster.platform.dimensions." + std::to_string(dimensions->items.size() - 1) + ".size";
    if (const auto value = wholeNumberOf(size ? &size->value : nullptr); value && status)
        status = scale(outermost, *value);
    return status ? std::move(document) : Result<YamlDocument>(status.error());
}

ShownProgress progressOf(const PlacementWatch& watch)
{
    switch (watch.stage.load()) {
    case PlacementWatch::Stage::Collectives: return {"timing collectives"};
    case PlacementWatch::Stage::Simulating: return {"simulating"};
    case PlacementWatch::Stage::Searching: break;
    }
    return {"searching for a program"};
}

/// One row of --table.
Result<PlacementTableRow> tableRow(const PlaceFlags& flags, SearchMethod method, const std::string& path, std::int64_t devices, const std::stop_token& stop)
{
    const Result<YamlDocument> document = scaledDocument(flags, path, devices, stop);
    if (!document)
        return document.error();
    Result<AskedPlacement> asked = askedPlacement(document.value(), path, stop);
    if (!asked)
        return asked.error();
    PlacementProblem& problem = asked.value().problem;
    const ClusterSimulation* const simulation = asked.value().simulation ? &*asked.value().simulation : nullptr;
    PlacementTableRow row{path, problem.cluster.devices(), {}, {}, {}, {}};
    Result<UnequalPlacement> best = place(problem, method, stop);
    if (!best)
        return inFile(document.value(), best.error());
    row.best = std::move(best).value();
    Result<PlacementTimes> times = simulatePlacement(problem, row.best, simulation, stop);
    if (!times)
        return inFile(document.value(), times.error());
    row.times = std::move(times).value();
    if (problem.choice == RatioChoice::Optimised) {
        row.even = row.best.even;
        if (row.times.even)
            row.evenNs = row.times.even->ns;
        return row;
    }
    problem.choice = RatioChoice::Even;
    const Result<UnequalPlacement> even = place(problem, method, stop);
    if (!even && endsTheJob(even.error()))
        return even.error();
    if (!even)
        return row; // Even parts do not fit.
    row.even = even.value().cost;
    if (!simulation)
        return row;
    const Result<SimulatedProgram> time = simulation->run(problem, even.value().program, even.value().ratios, even.value().cost, stop);
    if (!time)
        return time.error();
    row.evenNs = time.value().ns;
    return row;
}

/// Numbers of devices of --devices; one 0, as the file says, where it is not given.
Result<std::vector<std::int64_t>> askedDevices(const std::string& text)
{
    std::vector<std::int64_t> counts;
    for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::int64_t count = 0;
        const auto [last, problem] = std::from_chars(text.data() + begin, text.data() + end, count);
        if (problem != std::errc{} || last != text.data() + end || count < 1 || count > UnequalCluster::kMostDevices)
            return usageError("\"" + text.substr(begin, end - begin) + "\" is no number of devices", "--devices", "1 to " + std::to_string(UnequalCluster::kMostDevices) + ", such as 8,16,32");
        counts.push_back(count);
        begin = end + 1;
    }
    return counts.empty() ? std::vector<std::int64_t>{0} : counts;
}

void runTable(const PlaceFlags& flags, SearchMethod method, Session& session)
{
    const Result<std::vector<std::int64_t>> counts = askedDevices(flags.devices);
    if (!counts)
        return session.fail(counts.error());
    std::vector<PlacementTableRow> rows;
    std::atomic<std::size_t> done{0};
    const std::size_t all = flags.files.size() * counts.value().size();
    const ToldMeanwhile told(session.progress(), [&done, all] { return ShownProgress{"placing", static_cast<double>(done) / static_cast<double>(all)}; });
    for (const std::string& file : flags.files) {
        for (const std::int64_t devices : counts.value()) {
            Result<PlacementTableRow> row = tableRow(flags, method, file, devices, session.stopToken());
            if (!row)
                return session.fail(row.error());
            rows.push_back(std::move(row).value());
            ++done;
        }
    }
    session.print(flags.json ? placementTableJson(rows) : placementTableText(rows));
}

void run(const PlaceFlags& flags, Session& session)
{
    const int bound = indexOf(flags.heuristic, {"none", "bound"});
    if (bound < 0)
        return session.fail(usageError("\"" + flags.heuristic + "\" is no heuristic", "--heuristic", "none or bound"));
    const SearchMethod method = flags.exhaustive ? SearchMethod::Exhaustive : bound == 1 ? SearchMethod::Bound : SearchMethod::NoBound;
    if (flags.table)
        return runTable(flags, method, session);
    if (flags.files.size() > 1 || !flags.devices.empty())
        return session.fail(usageError(flags.devices.empty() ? "several files" : "--devices without --table", flags.devices.empty() ? "FILE" : "--devices", "--table as well"));
    const std::string& path = flags.files.front();
    const std::string_view kinds[] = {inputKindText(InputKind::PlaceFile)};
    const FileWanted wanted{"a file with a section place", kinds};
    const Result<YamlDocument> document = placeDocument(flags, path, session.stopToken());
    if (!document)
        return session.fail(withKindNamed(document.error(), path, wanted));
    PlacementWatch watch;
    const ToldMeanwhile told(session.progress(), [&watch] { return progressOf(watch); });
    const Result<AskedPlacement> asked = askedPlacement(document.value(), path, session.stopToken());
    if (!asked)
        return session.fail(withKindNamed(asked.error(), path, wanted));
    const PlacementProblem& problem = asked.value().problem;
    watch.stage = PlacementWatch::Stage::Searching;
    const Result<UnequalPlacement> placement = place(problem, method, session.stopToken());
    if (!placement)
        return session.fail(inFile(document.value(), placement.error()));
    watch.stage = PlacementWatch::Stage::Simulating;
    const Result<PlacementTimes> times = simulatePlacement(problem, placement.value(), asked.value().simulation ? &*asked.value().simulation : nullptr, session.stopToken());
    if (!times)
        return session.fail(inFile(document.value(), times.error()));
    session.print(flags.json ? placementJson(problem, placement.value(), times.value()) : placementText(problem, placement.value(), times.value()));
}

} // namespace

void addPlace(Command& program, Session& session)
{
    auto flags = std::make_shared<PlaceFlags>();
    Command& command = *program.add_subcommand("place", "The best sharded program and sharding ratios for a cluster of unequal devices (HAP)");
    command.add_option("FILE", flags->files, "A graph, a cluster and rules (manual placement); several with --table")->required();
    command.add_option("--set", flags->sets, "Replace a field of the file, e.g. place.batch=64")->type_name("PATH=VALUE")->expected(1)->take_all()->allow_extra_args(false);
    command.add_option("--heuristic", flags->heuristic, "Bound of the search: bound (least computation of the rest) or none; the cost is the same");
    command.add_flag("--exhaustive", flags->exhaustive, "Look at every program one by one (small graphs)");
    command.add_flag("--table", flags->table, "One row for each file: what is found, even ratios and data parallel, estimated and simulated");
    command.add_option("--devices", flags->devices, "With --table: a row for each number of devices; types, batch and the outermost dimension of the platform in proportion")
        ->type_name("N,N...");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
