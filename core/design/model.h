#pragma once

#include "core/base/quantity.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// What a time means: topic models of the manual.
enum class Model : std::uint8_t { AstraUnaware, AstraAware, Links, Ideal, Flow };

/// Whose rules a model follows: those of this program, or those of ASTRA-sim.
enum class ModelFamily : std::uint8_t { Physical, Astra };

/// A model as one row. Lists, checks, "is not used" messages, stepping and menus read it; a new model is a row more.
struct ModelTraits {
    Model model;
    std::string_view name;
    std::array<std::string_view, 4> versions; ///< Of the rules, oldest first, the last one current: results carry it, and design files may name one.
    std::string_view title;   ///< What it is, as a sentence without its stop.
    ModelFamily family;

    // What of a design it looks at.
    bool checksValues = false;    ///< Figures that mean nothing are refused; else there is a warning, and the model computes with them.
    bool graphs = false;          ///< Platforms of nodes and links, groups of unequal size, removed links and NPUs.
    bool severalJobs = false;
    bool memoryPools = false;     ///< Hierarchical remote memory.
    bool networkRules = false;    ///< Section network: routing, protocols, faults, jitter.
    bool changingLinks = false;   ///< Rates and latencies of links that change while it runs: faults and jitter of links.
    bool npuDetails = false;      ///< Efficiency tables, computing slowed down by collectives, NPUs that compute differently.
    bool schedules = false;       ///< Section scheduling.
    bool ownCollectives = false;  ///< Collectives by the rules of this program: programs, rules, `auto`, a window; else ASTRA-sim's.
    bool switchesReduce = false;  ///< Switches that reduce or copy.
    bool broadcasts = false;
    bool chunkQueues = false;     ///< Queues of a dimension that let a few chunks in: active_chunks, queues, optimization.
    bool referenceTraces = false; ///< Traces are read with the rules of ASTRA-sim.

    // What a time of it is made of.
    bool messagesWait = false;     ///< A message waits for a link or slot that others hold.
    bool pieces = false;           ///< Messages go in pieces.
    bool sizesMatch = false;       ///< Sends and receives are told apart by their size too, beside rank and tag.
    bool wholeNanoseconds = false; ///< Delays are cut to whole nanoseconds.
    bool keepsRates = false;       ///< All traffic keeps to the rates of the links, so that lower bounds of them are bounds of its times.
    bool queuesInOrder = false;    ///< Collectives of a group run one after the other in the order of their queue.
    bool stepping = false;         ///< It reports messages, so that its collectives can be stepped through.
    std::string_view noBudgets;    ///< Why injection and ejection budgets of NPUs are not used; empty: they are.
};

/// All models in the order of lists and menus.
inline constexpr std::array<ModelTraits, 5> kModelRows{{
    {.model = Model::Links, .name = "links", .versions = {"physical/1", "physical/2", "physical/3", "physical/4"}, .title = "Links, ports and reducers shared as in hardware", .family = ModelFamily::Physical,
     .checksValues = true, .graphs = true, .severalJobs = true, .memoryPools = true, .networkRules = true, .changingLinks = true, .npuDetails = true,
     .schedules = true, .ownCollectives = true, .switchesReduce = true, .broadcasts = true, .messagesWait = true, .pieces = true, .keepsRates = true,
     .queuesInOrder = true, .stepping = true, .noBudgets = {}},
    {.model = Model::Ideal, .name = "ideal", .versions = {"physical/1", "physical/2", "physical/3", "physical/4"}, .title = "The same without sharing: the optimistic twin", .family = ModelFamily::Physical,
     .checksValues = true, .graphs = true, .severalJobs = true, .memoryPools = true, .networkRules = true, .changingLinks = true, .npuDetails = true,
     .schedules = true, .ownCollectives = true, .switchesReduce = true, .broadcasts = true, .pieces = true, .queuesInOrder = true, .stepping = true,
     .noBudgets = "under ideal nothing is ever occupied"},
    {.model = Model::Flow, .name = "flow", .versions = {"flow/1", "flow/2", "flow/3", "flow/4"}, .title = "Messages share links at max-min fair rates", .family = ModelFamily::Physical,
     .checksValues = true, .graphs = true, .severalJobs = true, .memoryPools = true, .networkRules = true, .npuDetails = true, .schedules = true,
     .ownCollectives = true, .keepsRates = true, .queuesInOrder = true, .noBudgets = {}},
    {.model = Model::AstraUnaware, .name = "astra-unaware", .versions = {"astra/2"}, .title = "The answers of ASTRA-sim without congestion", .family = ModelFamily::Astra,
     .chunkQueues = true, .referenceTraces = true, .sizesMatch = true, .wholeNanoseconds = true, .noBudgets = "the astra-* models know no budgets of NPUs"},
    {.model = Model::AstraAware, .name = "astra-aware", .versions = {"astra/2"}, .title = "The answers of ASTRA-sim with congestion", .family = ModelFamily::Astra,
     .chunkQueues = true, .referenceTraces = true, .sizesMatch = true, .wholeNanoseconds = true, .noBudgets = "the astra-* models know no budgets of NPUs"},
}};

const ModelTraits& traitsOf(Model model);
std::optional<Model> parseModel(std::string_view text);
inline std::string_view modelName(Model model) { return traitsOf(model).name; }
inline bool isAstra(Model model) { return traitsOf(model).family == ModelFamily::Astra; }

/// "links, ideal, flow, astra-unaware or astra-aware"; `conjunction` stands before the last.
std::string modelList(std::string_view conjunction = "or");
/// The same of the models that have an ability: "links, ideal or flow".
std::string modelsWith(bool ModelTraits::*ability, std::string_view conjunction = "or");

} // namespace fabricscope
