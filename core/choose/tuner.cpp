#include "core/choose/tuner.h"

#include "core/base/quantity.h"
#include "core/base/workers.h"
#include "core/choose/choose.h"
#include "core/platform/valueranges.h"
#include "core/sim/symmetry/foldprogram.h"

#include <algorithm>
#include <mutex>
#include <optional>

namespace fabricscope {

namespace {

constexpr std::size_t kMostSizes = 48;

Result<std::int64_t> sizeOf(std::string text)
{
    text.erase(0, text.find_first_not_of(" \t"));
    text.erase(text.find_last_not_of(" \t") + 1);
    const bool bare = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    auto quantity = parseQuantity(bare ? text + " B" : text, Measure::Size);
    if (quantity) {
        if (Status status = checkValue(quantity.value(), Meaning::Data, "--sizes"); !status)
            return Error{ErrorCode::Usage, status.error().message, {}, status.error().expected};
    }
    if (!quantity || toBytes(quantity.value()).value < 1)
        return Error{ErrorCode::Usage, "\"" + text + "\" is not a size of at least one byte", {}, "64 KiB, or 1KiB..1GiB for every doubling"};
    return toBytes(quantity.value()).value;
}

/// Which algorithm is the question: rules say what else the library takes, if anything.
void leaveAlgorithmsOpen(CollectiveConfig& collectives)
{
    for (CollectiveRule& rule : collectives.rules) {
        rule.algorithms.reset();
        rule.chunks.reset();
        rule.window.reset();
        rule.program = {};
    }
    if (std::none_of(collectives.rules.begin(), collectives.rules.end(), [](const CollectiveRule& rule) { return rule.terms != CollectiveTerms{}; }))
        collectives.rules.clear();
}

/// One size made ready, with its choice. The design runs nothing but this collective.
Result<ScenarioPtr> tuneOne(const Design& design, CollectiveOp op, std::int64_t bytes, const std::stop_token& stop, const GeneratedProgramsPtr& generated, const FoldedProgramsPtr& folded)
{
    Design single = design;
    single.workload = std::make_shared<const WorkloadSpec>(SingleCollective{op, Quantity{static_cast<double>(bytes), "B", Measure::Size}});
    single.jobs.clear();
    leaveAlgorithmsOpen(single.collectives);
    CollectiveSetting& setting = single.collectives.defaults;
    setting.algorithms.clear();
    setting.program.choose = true;
    setting.program.candidates.insert(setting.program.candidates.end(), setting.program.program.begin(), setting.program.program.end());
    setting.program.program.clear();
    ChooseLimits limits;
    limits.places = 2; // A table shows the second too.
    auto scenario = prepareChosen(single, 1, stop, generated, limits, folded);
    if (!scenario)
        return std::move(scenario).error();
    if (scenario.value()->choices.empty())
        return Error{ErrorCode::Unsupported, "there is nothing to choose for " + std::string(collectiveKey(op)) + " here", {}, "at least two ranks, and the model links, ideal or flow"};
    return scenario;
}

} // namespace

std::optional<TunerAlgorithm> tunerAlgorithmOfCandidate(const std::string& candidate)
{
    std::optional<TunerAlgorithm> found;
    for (std::size_t begin = 0; begin <= candidate.size();) {
        const std::size_t end = std::min(candidate.find(" x ", begin), candidate.size());
        const auto part = tunerAlgorithmOf(candidate.substr(begin, end - begin));
        if (!part || (found && *found != *part))
            return std::nullopt;
        found = part;
        begin = end + 3;
    }
    return found;
}

Result<std::vector<std::int64_t>> parseSizes(const std::string& text)
{
    std::vector<std::int64_t> sizes;
    if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
        const auto first = sizeOf(text.substr(0, dots));
        if (!first)
            return first.error();
        const auto last = sizeOf(text.substr(dots + 2));
        if (!last)
            return last.error();
        if (last.value() < first.value())
            return Error{ErrorCode::Usage, "the sizes \"" + text + "\" go down", {}, "the smaller one first"};
        for (std::int64_t size = first.value(); size <= last.value(); size = size > INT64_MAX / 2 ? INT64_MAX : 2 * size)
            sizes.push_back(size);
    } else {
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            const auto size = sizeOf(text.substr(begin, end - begin));
            if (!size)
                return size.error();
            sizes.push_back(size.value());
            begin = end + 1;
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.size() > kMostSizes)
        return Error{ErrorCode::Usage, std::to_string(sizes.size()) + " sizes are too many", {}, "at most " + std::to_string(kMostSizes)};
    return sizes;
}

Result<std::vector<CollectiveChoice>> tuneSizes(const Design& design, const TuneRequest& request)
{
    std::vector<std::optional<Result<ScenarioPtr>>> found(request.sizes.size());
    const auto generated = std::make_shared<GeneratedPrograms>(); // The same at every size.
    const auto folded = std::make_shared<FoldedPrograms>();
    std::mutex telling;
    std::size_t done = 0;
    forEachItem(found.size(), request.threads, [&](std::size_t i) {
        if (request.stop.stop_requested())
            return false;
        found[i] = tuneOne(design, request.op, request.sizes[i], request.stop, generated, folded);
        if (request.progress) {
            const std::lock_guard lock(telling);
            request.progress(++done, found.size());
        }
        return true;
    });
    std::vector<CollectiveChoice> choices;
    for (auto& each : found) {
        if (!each)
            return Error{ErrorCode::Cancelled, "the sweep was stopped", {}, {}};
        if (!*each)
            return std::move(*each).error();
        choices.push_back(each->value()->choices.front());
    }
    return choices;
}

Result<ProgramPtr> tunedProgram(const Design& design, CollectiveOp op, std::int64_t bytes, const std::stop_token& stop)
{
    const Result<ScenarioPtr> scenario = tuneOne(design, op, bytes, stop, std::make_shared<GeneratedPrograms>(), std::make_shared<FoldedPrograms>());
    if (!scenario)
        return scenario.error();
    return scenario.value()->structure->instances.front().program;
}

std::vector<TunerRow> tunerRows(const std::vector<CollectiveChoice>& choices, std::vector<std::int64_t>& skipped)
{
    std::vector<TunerRow> rows;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const CollectiveChoice& choice = choices[i];
        std::optional<TunerAlgorithm> best;
        for (const CandidateTime& candidate : choice.candidates) { // fastest first
            if (candidate.timePs >= 0 && !best)
                best = tunerAlgorithmOfCandidate(candidate.name);
        }
        if (!best) {
            skipped.push_back(choice.bytes);
            continue;
        }
        TunerRow row;
        row.op = choice.op;
        row.minBytes = choice.bytes;
        row.maxBytes = i + 1 < choices.size() ? choices[i + 1].bytes - 1 : choice.bytes;
        row.algorithm = *best;
        row.ranks = choice.ranks;
        rows.push_back(row);
    }
    return rows;
}

} // namespace fabricscope
