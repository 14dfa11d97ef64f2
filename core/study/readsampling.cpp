#include "core/study/readsampling.h"

#include <string>

namespace fabricscope {

namespace {

void readSearch(const MapReader& map, StudySampling& sampling)
{
    sampling.search = map.choice<StudySampling::Search>("search", {kStudySearches.begin(), kStudySearches.end()});
    if (map.required("budget"))
        sampling.budget = map.integer("budget", 1, kMostHalved).value_or(1);
    if (sampling.search && *sampling.search != StudySampling::Search::SuccessiveHalving && sampling.kind != StudySampling::Kind::Grid)
        map.error("kind", std::string(keyOf(kStudySearches, *sampling.search)) + " goes from one combination to others", "kind: grid, or search: successive_halving");
    else if (sampling.search && sampling.kind == StudySampling::Kind::Saltelli)
        map.error("kind", "the rows of saltelli say something only where all their designs are run", "kind: grid, latin_hypercube or sobol, or no search");
}

} // namespace

void readSampling(const MapReader& study, StudySampling& sampling)
{
    const YamlNode* node = study.node("sampling");
    if (!node)
        return;
    const MapReader map(study.context(), *node, "study.sampling", {"kind", "points", "seed", "search", "budget"});
    sampling.kind = map.choice<StudySampling::Kind>("kind", {kSamplings.begin(), kSamplings.end()}).value_or(StudySampling::Kind::Grid);
    sampling.seed = static_cast<std::uint64_t>(map.integer("seed", 0, INT64_MAX).value_or(0));
    if (map.has("search"))
        readSearch(map, sampling);
    else if (map.has("budget"))
        map.error("budget", "a budget belongs to a search", "search: nsga2, or points of a sampling");
    if (sampling.kind != StudySampling::Kind::Grid) {
        if (map.required("points"))
            sampling.points = map.integer("points", 1, sampling.search ? kMostHalved : kMostDesigns).value_or(1);
        return;
    }
    for (const char* key : {"points", "seed"}) {
        if (map.has(key) && !(map.has("search") && std::string(key) == "seed"))
            map.error(key, "a grid takes every combination", "kind: latin_hypercube, sobol or saltelli, or no " + std::string(key));
    }
}

} // namespace fabricscope
