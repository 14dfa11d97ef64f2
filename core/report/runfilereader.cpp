#include "core/base/jsonbuilder.h"
#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/record/memoryuse.h"
#include "core/report/planfigures.h"
#include "core/report/runfile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace fabricscope {

namespace {

using Json = nlohmann::json;

/// Memory of the tree: 64 MiB and 20 times the text. The densest rows that are saved, of links, take some 13 times theirs.
constexpr std::size_t kRunMemory = std::size_t{64} << 20;
constexpr std::size_t kRunMemoryPerByte = 20;

/// What figures of a plan may be at most: far beyond what is saved, and within what they are shown with.
constexpr double kMostPeakShare = 1e6;
constexpr double kMostTokensPerSecond = 1e24;
constexpr double kMostBubbleShare = 1 + 1e-9; // A mean, whose last digits are rounded.

/// Walks the document, looking at `stop` for every item of a list; the first thing that is not as expected ends it. Inside this file errors travel as this exception.
struct Refusal {
    std::string field;
    std::string message;
    std::string expected;
};

class Reader {
public:
    Reader(const Json& value, std::string path, const std::stop_token& stop) : m_stop(stop), m_value(value), m_path(std::move(path)) {}

    Reader at(const char* name) const
    {
        const auto found = object().find(name);
        if (found == m_value.end())
            throw Refusal{m_path, std::string("the key ") + name + " is missing", {}};
        return {*found, m_path + '.' + name, m_stop};
    }
    bool has(const char* name) const { return object().contains(name); }

    std::int64_t integer() const
    {
        if (!m_value.is_number_integer())
            throw Refusal{m_path, "is not an integer", "an integer"};
        return m_value.get<std::int64_t>();
    }
    std::int64_t count() const
    {
        const std::int64_t value = integer();
        if (value < 0)
            throw Refusal{m_path, "is negative", "0 or more"};
        return value;
    }
    std::int32_t small() const
    {
        const std::int64_t value = integer();
        if (value < INT32_MIN || value > INT32_MAX)
            throw Refusal{m_path, "is out of range", "a 32-bit integer"};
        return static_cast<std::int32_t>(value);
    }
    bool boolean() const
    {
        if (!m_value.is_boolean())
            throw Refusal{m_path, "is not true or false", "true or false"};
        return m_value.get<bool>();
    }
    const std::string& text() const
    {
        if (!m_value.is_string())
            throw Refusal{m_path, "is not a text", "a text"};
        return m_value.get_ref<const std::string&>();
    }
    bool isNull() const { return m_value.is_null(); }
    double real() const
    {
        if (!m_value.is_number())
            throw Refusal{m_path, "is not a number", "a number"};
        return m_value.get<double>();
    }
    double number() const
    {
        const std::string& digits = text();
        double value = 0;
        if (const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value); code != std::errc() || end != digits.data() + digits.size())
            throw Refusal{m_path, "is not a number", "a number as text"};
        return value;
    }
    std::uint64_t seed() const
    {
        const std::string& digits = text();
        std::uint64_t value = 0;
        if (const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value); code != std::errc() || end != digits.data() + digits.size())
            throw Refusal{m_path, "is not a seed", "a whole number from 0 to 18446744073709551615 as text"};
        return value;
    }
    template <typename Each>
    void forEach(const Each& each) const
    {
        if (!m_value.is_array())
            throw Refusal{m_path, "is not a list", "a list"};
        std::size_t index = 0;
        for (const Json& entry : m_value) {
            checkStop(m_stop);
            each(Reader(entry, m_path + '[' + std::to_string(index++) + ']', m_stop));
        }
    }
    std::vector<std::int64_t> integers() const
    {
        std::vector<std::int64_t> out;
        forEach([&](const Reader& entry) { out.push_back(entry.integer()); });
        return out;
    }
    SimTime time() const { return {integer()}; }
    const std::string& path() const { return m_path; }

private:
    const Json& object() const
    {
        if (!m_value.is_object())
            throw Refusal{m_path, "is not an object", "an object"};
        return m_value;
    }
    const std::stop_token& m_stop;
    const Json& m_value;
    std::string m_path;
};

Digest digestFromHex(const Reader& reader)
{
    const std::string& text = reader.text();
    Digest digest;
    const auto half = [&](std::size_t from, std::uint64_t& out) {
        const char* const begin = text.data() + from;
        const auto [end, code] = std::from_chars(begin, begin + 16, out, 16);
        return code == std::errc() && end == begin + 16;
    };
    if (text.size() != 32 || !half(0, digest.high) || !half(16, digest.low))
        throw Refusal{reader.path(), "is not a digest", "32 hexadecimal digits"};
    return digest;
}

CollectiveOp collectiveOf(const Reader& reader)
{
    if (const std::optional<CollectiveOp> op = valueOf(kCollectiveKeys, reader.text()))
        return *op;
    throw Refusal{reader.path(), "is not a collective", keyList(kCollectiveKeys)};
}

void readChoices(const Reader& in, std::vector<CollectiveChoice>& out)
{
    in.forEach([&](const Reader& row) {
        CollectiveChoice choice{collectiveOf(row.at("op")), row.at("group").text(), row.at("ranks").small(), row.at("size_bytes").count(), {}, row.at("chosen").text()};
        row.at("candidates").forEach([&](const Reader& candidate) {
            choice.candidates.push_back({candidate.at("name").text(), candidate.at("time_ps").integer(), candidate.at("reason").text()});
        });
        out.push_back(std::move(choice));
    });
}

void readDesign(const Reader& in, RunSummary& out)
{
    out.name = in.at("name").text();
    out.notes = in.at("notes").text();
    out.workload = in.at("workload").text();
    out.designHash = in.at("hash").text();
    out.designFile = in.at("file").text();
    out.designText = in.at("text").text();
    in.at("dimensions").forEach([&](const Reader& row) {
        out.dimensions.push_back({row.at("link_bandwidth").text(), row.at("npu_bandwidth").text(), row.at("latency").text()});
    });
    in.at("parameters").forEach([&](const Reader& row) {
        out.parameters.push_back({row.at("name").text(), row.at("value").text(), row.at("source").text(), row.at("assumed").boolean()});
    });
    if (in.has("jobs")) {
        in.at("jobs").forEach([&](const Reader& row) {
            out.jobs.push_back({row.at("name").text(), row.at("ranks").small(), {row.at("finish_ps").count()}, row.at("finished").boolean()});
        });
    }
    if (in.has("bounds_note"))
        out.boundsNote = in.at("bounds_note").text();
    if (in.has("collective_bounds")) {
        in.at("collective_bounds").forEach([&](const Reader& row) {
            CollectiveBoundRow bound;
            bound.op = row.at("op").text();
            bound.group = row.at("group").text();
            bound.ranks = row.at("ranks").small();
            bound.bytes = row.at("size_bytes").count();
            bound.algorithm = row.at("algorithm").text();
            if (row.has("levels"))
                row.at("levels").forEach([&](const Reader& level) { bound.levels.push_back({level.at("name").text(), level.at("extent").small()}); });
            bound.count = row.at("count").count();
            bound.bound = {row.at("bound_ps").count()};
            bound.latency = {row.at("latency_ps").count()};
            bound.bandwidth = {row.at("bandwidth_ps").count()};
            bound.exact = row.at("exact").boolean();
            bound.cut = row.at("cut").text();
            bound.best = {row.at("best_ps").count()};
            bound.worst = {row.at("worst_ps").count()};
            out.collectiveBounds.push_back(std::move(bound));
        });
    }
    if (in.has("collective")) {
        const Reader row = in.at("collective");
        out.collective = CollectiveSize{row.at("op").text(), row.at("size_bytes").count(), row.at("ranks").small()};
    }
    if (in.has("choices"))
        readChoices(in.at("choices"), out.choices);
    if (in.has("seed"))
        out.seed = in.at("seed").seed();
}

void readDiagnostics(const Reader& in, Diagnostics& out)
{
    in.forEach([&](const Reader& row) {
        const std::string& severity = row.at("severity").text();
        if (severity != "note" && severity != "warning" && severity != "error")
            throw Refusal{row.path(), "has an unknown severity", "note, warning or error"};
        Diagnostic entry{severity == "note" ? Severity::Note : severity == "warning" ? Severity::Warning : Severity::Error, row.at("rule").text(),
                         row.at("message").text(), {}, row.at("expected").text()};
        if (row.has("place")) {
            const Reader place = row.at("place");
            entry.place.file = place.at("file").text();
            entry.place.line = place.at("line").small();
            entry.place.column = place.at("column").small();
            entry.place.offset = place.at("offset").integer();
            entry.place.field = place.at("field").text();
            entry.place.rank = place.at("rank").integer();
            entry.place.hasNode = place.has("node");
            if (entry.place.hasNode)
                entry.place.node = place.at("node").integer();
        }
        out.push_back(std::move(entry));
    });
}

RankClass readClass(const Reader& in)
{
    RankClass row;
    const Result<RankSet> ranks = RankSet::parse(in.at("ranks").text());
    if (!ranks)
        throw Refusal{in.at("ranks").path(), ranks.error().message, ranks.error().expected};
    row.ranks = ranks.value();
    row.job = in.at("job").small();
    row.times.finished = in.at("finished").boolean();
    row.times.finish = in.at("finish_ps").time();
    row.times.exposedComm = in.at("exposed_comm_ps").time();
    row.times.compute = in.at("compute_ps").time();
    row.times.comm = in.at("comm_ps").time();
    row.times.host = in.at("host_ps").time();
    row.times.memory = in.at("memory_ps").time();
    row.times.computeBoundShare = in.at("compute_bound_share").number();
    row.times.computeUtilisation = in.at("compute_utilisation").number();
    row.times.memoryUtilisation = in.at("memory_utilisation").number();
    row.times.operationIntensity = in.at("operation_intensity").number();
    if (in.has("issue_ps")) {
        auto tasks = std::make_shared<TaskTimes>();
        tasks->issuePs = in.at("issue_ps").integers();
        tasks->endPs = in.at("end_ps").integers();
        if (tasks->issuePs.size() != tasks->endPs.size())
            throw Refusal{in.at("end_ps").path(), "has another length than issue_ps", {}};
        row.tasks = std::move(tasks);
    }
    return row;
}

DimensionUse readDimension(const Reader& in)
{
    DimensionUse use;
    use.name = in.at("name").text();
    use.links = in.at("links").count();
    use.messages = in.at("messages").count();
    use.bytes = in.at("bytes").count();
    use.busyPs = in.at("busy_ps").count();
    use.peakLinkPs = in.at("peak_link_ps").count();
    use.busy = BusyPyramid::restored(in.at("bucket_ps").count(), in.at("buckets_ps").integers());
    return use;
}

MemoryUse::Class readMemory(const Reader& in)
{
    MemoryUse::Class row;
    auto ranks = RankSet::parse(in.at("ranks").text());
    if (!ranks)
        throw Refusal{in.at("ranks").path(), ranks.error().message, ranks.error().expected};
    row.ranks = std::move(ranks).value();
    row.residentBytes = in.at("resident_bytes").count();
    row.peakBytes = in.at("peak_bytes").count();
    row.peakPs = in.at("peak_ps").count();
    if (in.has("capacity_bytes"))
        row.capacity = in.at("capacity_bytes").count();
    row.overPs = in.at("over_ps").integer();
    row.overBytes = in.at("over_bytes").count();
    in.at("tensors").forEach([&](const Reader& tensor) { row.tensors.push_back({tensor.at("name").text(), tensor.at("bytes").count(), tensor.at("count").count()}); });
    row.otherTensors = in.at("other_tensors").count();
    row.otherBytes = in.at("other_bytes").count();
    in.at("timeline").forEach([&](const Reader& point) {
        const std::vector<std::int64_t> values = point.integers();
        if (values.size() != 2)
            throw Refusal{point.path(), "has another length", "ps, bytes"};
        row.timeline.push_back({values[0], values[1]});
    });
    return row;
}

RankSet readRanks(const Reader& in)
{
    Result<RankSet> ranks = RankSet::parse(in.text());
    if (!ranks)
        throw Refusal{in.path(), ranks.error().message, ranks.error().expected};
    return std::move(ranks).value();
}

WideCount readWide(const Reader& in)
{
    constexpr std::size_t kMostDigits = 38; // Of 127 bits all numbers of so many are in range.
    const std::string& digits = in.text();
    if (digits.empty() || digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != std::string::npos)
        throw Refusal{in.path(), "is not a count", "up to 38 digits as text"};
    WideCount value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    return value;
}

/// Bytes of one kind of ranks. Their sum is in range too.
PlanMemory readPlanMemory(const Reader& in)
{
    PlanMemory row{readRanks(in.at("ranks")), in.at("parameters").count(), in.at("gradients").count(), in.at("optimizer").count(), in.at("activations").count(), in.at("buffers").count(), in.at("kv_cache").count()};
    WideCount sum = 0;
    for (const std::int64_t bytes : {row.parameters, row.gradients, row.optimizer, row.activations, row.buffers, row.kvCache})
        sum += bytes;
    if (sum > INT64_MAX)
        throw Refusal{in.path(), "has more bytes than can be added up", "at most " + std::to_string(INT64_MAX) + " bytes together"};
    return row;
}

std::shared_ptr<const PlanFigures> readPlan(const Reader& in)
{
    auto plan = std::make_shared<PlanFigures>();
    const auto real = [&](const char* name, double most, const char* expected) -> std::optional<double> {
        if (!in.has(name))
            return std::nullopt;
        const double value = in.at(name).number();
        if (!(value >= 0 && value <= most)) // Also what is no number.
            throw Refusal{in.at(name).path(), "is out of range", expected};
        return value;
    };
    plan->ranks = in.at("ranks").count();
    if (plan->ranks < 1 || plan->ranks > kMaxNpus)
        throw Refusal{in.at("ranks").path(), "is out of range", "1 to 2^20"};
    plan->hasModel = in.has("step_flops");
    if (plan->hasModel) {
        plan->stepFlops = readWide(in.at("step_flops"));
        plan->modelFlops = readWide(in.at("model_flops"));
    }
    plan->mfu = real("mfu", kMostPeakShare, "0 to 1000000");
    plan->hfu = real("hfu", kMostPeakShare, "0 to 1000000");
    plan->tokensPerSecond = real("tokens_per_s", kMostTokensPerSecond, "0 to 1e24");
    plan->bubbleShare = real("bubble_share", kMostBubbleShare, "0 to 1");
    if (in.has("exposed_ps")) {
        ExposedTimes& exposed = plan->exposed.emplace();
        const Reader times = in.at("exposed_ps");
        for (const auto& [word, kind] : kPlanTraffic)
            exposed[static_cast<std::size_t>(kind)] = times.at(std::string(word).c_str()).count();
        plan->exposedRanks = readRanks(in.at("exposed_ranks"));
    }
    if (in.has("served")) {
        const Reader served = in.at("served");
        plan->served = ServedFigures{served.at("first_token_ps").count(), std::nullopt, served.at("steps").count(), served.at("all_steps").count()};
        if (served.has("per_token_ps"))
            plan->served->perToken = served.at("per_token_ps").count();
    }
    in.at("memory").forEach([&](const Reader& row) { plan->memory.push_back(readPlanMemory(row)); });
    if (in.has("npu_memory"))
        plan->npuMemory = in.at("npu_memory").count();
    return plan;
}

RunRecord readRecord(const Reader& in)
{
    RunRecord record;
    const std::optional<Model> model = parseModel(in.at("model").text());
    if (!model)
        throw Refusal{in.at("model").path(), "is no model of this program", modelList()};
    record.model = *model;
    record.version = in.at("version").text();
    record.complete = in.at("complete").boolean();
    record.finish = in.at("finish_ps").time();
    if (in.has("lower_bound_ps"))
        record.lowerBound = in.at("lower_bound_ps").time();
    record.rankCount = in.at("ranks").small();
    if (record.rankCount < 0 || record.rankCount > kMaxNpus)
        throw Refusal{in.at("ranks").path(), "is out of range", "0 to 2^20"};
    record.fingerprint = digestFromHex(in.at("fingerprint"));
    record.events = in.at("events").count();
    in.at("engines").forEach([&](const Reader& row) {
        record.engines.push_back({row.at("engine").text(), row.at("messages").count(), row.at("share").number()});
    });
    in.at("classes").forEach([&](const Reader& row) {
        record.classes.push_back(readClass(row));
        const auto& intervals = record.classes.back().ranks.intervals();
        if (!intervals.empty() && intervals.back().last >= record.rankCount)
            throw Refusal{row.path() + ".ranks", "names a rank beyond the last one", {}};
    });
    in.at("finish_order").forEach([&](const Reader& rank) { record.finishOrder.push_back(rank.small()); });
    in.at("dimensions").forEach([&](const Reader& row) { record.dimensions.push_back(readDimension(row)); });
    record.allLinks = in.at("all_links").boolean();
    in.at("links").forEach([&](const Reader& row) {
        const std::vector<std::int64_t> values = row.integers();
        if (values.size() != 4)
            throw Refusal{row.path(), "has another length", "link, messages, bytes, busy ps"};
        record.links.push_back({values[0], values[1], values[2], values[3]});
    });
    in.at("waits").forEach([&](const Reader& row) {
        Wait wait{row.at("rank").small(), static_cast<std::uint64_t>(row.at("node").integer()), row.at("task").text(), row.at("reason").text(), {}};
        row.at("on_ranks").forEach([&](const Reader& rank) { wait.onRanks.push_back(rank.small()); });
        record.waits.push_back(std::move(wait));
    });
    if (in.has("memory")) {
        auto memory = std::make_shared<MemoryUse>();
        in.at("memory").forEach([&](const Reader& row) { memory->classes.push_back(readMemory(row)); });
        record.memory = std::move(memory);
    }
    return record;
}

AccuracyFigures readAccuracy(const Reader& in)
{
    constexpr double kMostAccuracyPct = 1e6; // As in a design.
    AccuracyFigures figures;
    if (const Reader error = in.at("error_pct"); !error.isNull()) {
        figures.errorPct = error.real();
        if (!(*figures.errorPct >= 0 && *figures.errorPct <= kMostAccuracyPct))
            throw Refusal{error.path(), "is out of range", "0 to 1000000"};
    }
    figures.measured = in.at("measured").text();
    figures.source = in.at("source").text();
    in.at("outside").forEach([&](const Reader& what) { figures.outside.push_back(what.text()); });
    return figures;
}

} // namespace

Result<SavedRun> readRunText(const std::string& text, const std::string& file, const std::stop_token& stop)
{
    Place place;
    place.file = file;
    if (Status levels = checkJsonLevels(text, place); !levels)
        return std::move(levels).error();
    try {
        JsonBuilder builder(stop, kRunMemory + kRunMemoryPerByte * text.size());
        if (!Json::sax_parse(text, &builder)) {
            if (builder.tooLarge())
                return invalidInput("reading it would take more memory than a saved run of this size may", place, "a file that Fabricscope has saved");
            // A number beyond what one may be has words of its own.
            const bool syntax = builder.errorText().find("parse_error") != std::string::npos;
            place.offset = syntax ? static_cast<std::int64_t>(builder.errorByte()) : place.offset;
            return invalidInput(syntax ? "is not valid JSON" : builder.errorText(), place);
        }
        const Json document = builder.take();
        const Reader in(document, "run", stop);
        if (!in.has("fabricscope_run"))
            return invalidInput("is not a saved run of Fabricscope", place, "the key fabricscope_run");
        const std::int64_t schema = in.at("fabricscope_run").integer();
        if (schema != kRunFileSchema) {
            place.field = "fabricscope_run";
            return invalidInput("schema " + std::to_string(schema) + " is not known to this version of Fabricscope", place,
                                "schema " + std::to_string(kRunFileSchema));
        }
        SavedRun run;
        readDesign(in.at("design"), run.summary);
        readDiagnostics(in.at("diagnostics"), run.summary.diagnostics);
        run.summary.record = std::make_shared<const RunRecord>(readRecord(in.at("record")));
        if (in.has("plan"))
            run.summary.plan = readPlan(in.at("plan"));
        if (in.has("accuracy"))
            run.summary.accuracy = readAccuracy(in.at("accuracy"));
        const Reader cost = in.at("run");
        run.cost.wallMicroseconds = std::llround(std::clamp(cost.at("wall_s").real(), 0.0, 1e9) * 1e6);
        run.cost.peakRssBytes = cost.at("peak_rss_bytes").integer();
        run.cost.host = cost.at("host").text();
        run.cost.threads = cost.at("threads").small();
        return run;
    } catch (const Refusal& refusal) {
        place.field = refusal.field;
        return invalidInput(refusal.message, place, refusal.expected);
    } catch (const StopRequested&) {
        return stoppedError();
    } catch (const Json::exception& error) {
        return invalidInput(error.what(), place);
    }
}

Result<SavedRun> readRun(const std::string& path, const std::stop_token& stop)
{
    Result<std::string> text = readTextFile(path, kMaxRunBytes);
    if (!text)
        return std::move(text).error();
    return readRunText(text.value(), path, stop);
}

} // namespace fabricscope
