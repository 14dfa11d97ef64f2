#include "core/synthesis/methods.h"

#include "core/base/outofmemory.h"
#include "core/synthesis/exact.h"
#include "core/synthesis/forest.h"
#include "core/synthesis/greedy.h"
#include "core/synthesis/treepacking.h"

#include <algorithm>
#include <optional>

namespace fabricscope {

namespace {

constexpr SynthesisMethod kMethods[] = {
    {"greedy", "Greedy matching", "Any connected platform and every collective; several seeds help.", true, true, true, synthesizeGreedy},
    {"trees", "Packed trees", "Few trees that share the links, found by multiplicative weights.", true, false, false, synthesizeTrees},
    {"forest", "Optimal forest", "Trees at the best rate there is; for large data.", true, false, false, synthesizeForest},
    {"exact", "Exact search", "Fewest steps and rounds, for a few NPUs; set a time limit.", false, false, true, synthesizeExact},
};
constexpr CollectiveOp kOps[] = {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllReduce,
                                 CollectiveOp::AllToAll,  CollectiveOp::Broadcast,     CollectiveOp::Reduce};
constexpr std::int32_t kAutomaticChunks[] = {1, 2, 4, 8, 16};

/// The methods that run under a name; none: there is no such name.
std::vector<const SynthesisMethod*> methodsOf(std::string_view name)
{
    std::vector<const SynthesisMethod*> methods;
    for (const SynthesisMethod& method : kMethods) {
        if (name == kAutomaticSynthesis ? method.automatic : name == method.key)
            methods.push_back(&method);
    }
    return methods;
}

} // namespace

std::span<const SynthesisMethod> synthesisMethods()
{
    return kMethods;
}

std::vector<std::string_view> synthesisNames()
{
    std::vector<std::string_view> names;
    for (const SynthesisMethod& method : kMethods)
        names.push_back(method.key);
    names.push_back(kAutomaticSynthesis);
    return names;
}

std::string synthesisMethodNames()
{
    std::string names;
    for (const std::string_view name : synthesisNames()) {
        names += names.empty() ? "" : ", ";
        names += name;
    }
    return names;
}

bool isSeededSynthesis(std::string_view name)
{
    const std::vector<const SynthesisMethod*> methods = methodsOf(name);
    return methods.empty() || std::any_of(methods.begin(), methods.end(), [](const SynthesisMethod* method) { return method->seeded; });
}

bool isTimedSynthesis(std::string_view name)
{
    const std::vector<const SynthesisMethod*> methods = methodsOf(name);
    return methods.empty() || std::any_of(methods.begin(), methods.end(), [](const SynthesisMethod* method) { return method->timed; });
}

std::span<const CollectiveOp> synthesisOps()
{
    return kOps;
}

std::span<const std::int32_t> automaticChunks()
{
    return kAutomaticChunks;
}

Result<SynthesisTrial> searchProgram(const SynthesisGraph& graph, const SynthesisSearch& search)
{
    const std::vector<const SynthesisMethod*> methods = methodsOf(search.method);
    const auto usage = [](std::string message, std::string expected) { return Error{ErrorCode::Usage, std::move(message), {}, std::move(expected)}; };
    if (methods.empty())
        return usage("there is no method \"" + search.method + '"', synthesisMethodNames());
    if (search.chunks.empty())
        return usage("there is no number of chunks to try", "at least one");
    const double trials = static_cast<double>(methods.size() * search.chunks.size());
    SynthesisOptions options = search.options;
    std::optional<SynthesisTrial> best;
    std::optional<Error> refused;
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const SynthesisMethod& method = *methods[m];
        for (std::size_t c = 0; c < search.chunks.size(); ++c) {
            if (best && options.stop.stop_requested()) {
                best->synthesis.cutShort = true;
                return *best;
            }
            options.chunks = search.chunks[c];
            if (search.options.progress) {
                const double before = static_cast<double>(m * search.chunks.size() + c);
                options.progress = [&search, before, trials](const SynthesisProgress& progress) {
                    search.options.progress({(before + progress.share) / trials, progress.best});
                };
            }
            Result<Synthesis> found = method.run(graph, options);
            if (!found && best && found.error().code == ErrorCode::Cancelled) {
                best->synthesis.cutShort = true;
                return *best;
            }
            if (!found && !endsTheJob(found.error()) && (found.error().code == ErrorCode::Unsupported || best)) {
                refused = refused.value_or(found.error());
                break;
            }
            if (!found)
                return std::move(found).error();
            SynthesisTrial trial{std::string(method.key), options.chunks, std::move(found).value()};
            if (search.tried)
                search.tried(trial);
            if (!best || trial.synthesis.plannedPs < best->synthesis.plannedPs)
                best = std::move(trial);
        }
    }
    if (!best)
        return *refused;
    return *best;
}

} // namespace fabricscope
