#include "core/insight/limits/slowcollectives.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/report/runtext.h"
#include "core/step/collectivelist.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace fabricscope {

namespace {

/// Parts of the time explained that a kind must be able to save: a bound is seldom reached.
constexpr std::int64_t kLeastSaved = 10;
constexpr std::size_t kMostKinds = 3;
const char* const kKind = "algorithm";

/// The whole design chooses again, so its rules must not choose for some.
bool isOneSetting(const CollectiveConfig& collectives)
{
    return std::none_of(collectives.rules.begin(), collectives.rules.end(), [](const CollectiveRule& rule) { return rule.algorithms.has_value(); });
}

/// Collectives of one row of CollectiveBounds, as far as they are on the path.
struct OnPath {
    std::map<std::int32_t, std::int64_t> psOf; ///< By instance.
    std::size_t longest = 0;                   ///< Of the pieces.
};

using Kind = std::tuple<std::string, std::string, std::int32_t, std::int64_t, std::string>;

std::map<Kind, OnPath> kindsOnPath(const Explanation& explanation, const std::stop_token& stop)
{
    const Structure& structure = *explanation.run->scenario->structure;
    const std::vector<PathPiece>& pieces = explanation.path.pieces;
    std::map<std::int32_t, OnPath> byInstance;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::int32_t instance = pieces[i].task >= 0 ? structure.instanceOf(pieces[i].rank, pieces[i].task) : -1;
        if (instance < 0)
            continue;
        const auto [entry, isNew] = byInstance.try_emplace(instance, OnPath{{}, i});
        entry->second.psOf[instance] += pieces[i].ps();
        if (pieces[i].ps() > pieces[entry->second.longest].ps())
            entry->second.longest = i;
    }
    std::map<Kind, OnPath> kinds;
    if (byInstance.empty())
        return kinds;
    for (const InstanceRun& run : collectivesOf(*explanation.run->scenario, explanation.run->record(), stop)) {
        const auto found = byInstance.find(run.instance);
        if (found == byInstance.end())
            continue;
        OnPath& kind = kinds.try_emplace({std::string(collectiveKey(run.op)), run.familyName, run.size, run.bytes, run.algorithm}, OnPath{{}, found->second.longest}).first->second;
        kind.psOf.merge(found->second.psOf);
        if (pieces[found->second.longest].ps() > pieces[kind.longest].ps())
            kind.longest = found->second.longest;
    }
    return kinds;
}

DiagnosisItem itemOf(const CollectiveBoundRow& row, const OnPath& kind, std::int64_t whole)
{
    DiagnosisItem item;
    item.kind = kKind;
    for (const auto& [instance, ps] : kind.psOf) {
        item.ps += ps;
        item.gainPs += std::max<std::int64_t>(ps - row.bound.ps, 0);
    }
    const bool several = kind.psOf.size() > 1;
    item.text = (several ? std::to_string(kind.psOf.size()) + " x " : std::string()) + row.op + " of " + showBytes({row.bytes}) + (row.group.empty() ? std::string() : ", " + row.group) + " by "
        + shownText(row.algorithm, 40) + (several ? " take " : " takes ") + showTime({item.ps}) + " (" + percentText(item.ps, 1, whole) + "), where no algorithm takes less than "
        + showTime(row.bound) + (several ? " each" : "") + "; another one saves at most " + percentText(item.gainPs, 1, whole);
    item.evidence = "lower bounds of the collectives";
    item.piece = kind.longest;
    return item;
}

} // namespace

std::vector<DiagnosisItem> slowCollectives(const Explanation& explanation, const std::stop_token& stop)
{
    std::vector<DiagnosisItem> items;
    const RunResult& run = *explanation.run;
    const std::int64_t whole = explanation.path.toPs - explanation.path.fromPs;
    if (whole <= 0 || run.summary.collectiveBounds.empty() || !run.scenario->choices.empty())
        return items;
    std::map<Kind, const CollectiveBoundRow*> least; // Groups of one kind may have different bounds.
    for (const CollectiveBoundRow& row : run.summary.collectiveBounds) {
        const CollectiveBoundRow*& known = least[{row.op, row.group, row.ranks, row.bytes, row.algorithm}];
        if (!known || row.bound < known->bound)
            known = &row;
    }
    const bool oneSetting = isOneSetting(run.design->collectives);
    for (const auto& [name, kind] : kindsOnPath(explanation, stop)) {
        const auto row = least.find(name);
        if (row == least.end())
            continue;
        DiagnosisItem item = itemOf(*row->second, kind, whole);
        if (item.gainPs * 5 < item.ps || item.gainPs * kLeastSaved < whole)
            continue;
        if (oneSetting) {
            item.field = "collectives.default.algorithm";
            item.value = "auto";
        }
        items.push_back(std::move(item));
    }
    std::stable_sort(items.begin(), items.end(), [](const DiagnosisItem& a, const DiagnosisItem& b) { return a.gainPs > b.gainPs; });
    items.resize(std::min(items.size(), kMostKinds));
    return items;
}

Status confirmSlowCollectives(Explanation& explanation, const ExplainOptions& options, const std::stop_token& stop)
{
    const auto isEdited = [](const DiagnosisItem& item) { return item.kind == kKind && !item.field.empty(); };
    if (std::none_of(explanation.diagnosis.begin(), explanation.diagnosis.end(), isEdited))
        return {};
    auto changed = std::make_shared<Design>(*explanation.run->design);
    changed->collectives.defaults.algorithms.clear();
    changed->collectives.defaults.program = {true, {}, {}, changed->collectives.defaults.program.receiveSlots};
    RunDesignOptions run;
    run.engine = options.engine;
    run.seed = options.seed;
    run.threads = options.threads;
    run.memoryLimit = options.memoryLimit;
    run.taskTimes = false;
    run.timeline = false;
    const Result<RunResultPtr> result = runDesign(changed, {}, run, stop);
    if (!result)
        return result.error().code == ErrorCode::Unsupported ? Status() : Status(result.error());
    for (DiagnosisItem& item : explanation.diagnosis) {
        if (isEdited(item) && result.value()->record().complete)
            item.confirmedPs = explanation.run->record().finish.ps - result.value()->record().finish.ps;
    }
    return {};
}

} // namespace fabricscope
