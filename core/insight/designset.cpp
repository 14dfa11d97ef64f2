#include "core/insight/designset.h"

#include "core/base/stop.h"
#include "core/insight/difference.h"
#include "core/insight/waterfallmean.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace fabricscope {

namespace {

std::vector<FieldColumns> fieldColumns(const DesignSet& set, const std::stop_token& stop)
{
    std::vector<FieldColumns> rows;
    std::map<std::string, std::size_t> known;
    const Design& from = *set.designs[set.baseline].design;
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        if (i == set.baseline)
            continue;
        for (const FieldDifference& field : differingFields(from, *set.designs[i].design, stop)) {
            const auto [at, fresh] = known.emplace(field.field, rows.size());
            if (fresh)
                rows.push_back({field.field, std::vector<std::string>(set.designs.size(), field.a)});
            rows[at->second].values[i] = field.b;
        }
    }
    return rows;
}

/// Of the designs between two: that of the run which draws, so that one end is not drawn otherwise than what leads to it.
std::uint64_t seedBetween(const ComparedDesign& from, const ComparedDesign& to, std::uint64_t other)
{
    return drawsAtRandom(to.scenario.get()) ? to.summary.seed : drawsAtRandom(from.scenario.get()) ? from.summary.seed : other;
}

/// How many designs between are run.
int runsOf(const DesignPath& path, bool mean)
{
    const std::size_t count = path.changes.rows().size();
    return mean ? runsOfMean(count) : std::max(static_cast<int>(count) - 1, 0);
}

} // namespace

Result<DesignSet> compareDesigns(std::vector<ComparedDesign> designs, std::size_t baseline, const WaterfallOptions& options, const std::stop_token& stop)
{
    assert(designs.size() >= 2 && designs.size() <= DesignSet::kMost && baseline < designs.size());
    return untilStopped([&]() -> Result<DesignSet> {
        DesignSet set;
        set.designs = std::move(designs);
        set.baseline = baseline;
        std::vector<ComparedRun> runs;
        for (const ComparedDesign& design : set.designs)
            runs.push_back({&design.summary, design.scenario});
        set.columns = resultColumns(runs);
        set.fields = fieldColumns(set, stop);
        const ComparedDesign& from = set.designs[baseline];
        int all = 0;
        for (std::size_t i = 0; i < set.designs.size(); ++i) {
            if (i == baseline)
                continue;
            set.paths.push_back({i, DesignChanges::between(*from.design, *set.designs[i].design, stop), {}});
            all += runsOf(set.paths.back(), options.mean);
        }
        int before = 0;
        for (DesignPath& path : set.paths) {
            const RunRecord& a = *from.summary.record;
            const RunRecord& b = *set.designs[path.to].summary.record;
            if (!a.complete || !b.complete)
                continue;
            WaterfallOptions each = options;
            each.seed = seedBetween(from, set.designs[path.to], options.seed);
            if (options.progress)
                each.progress = [&](int done, int) { options.progress(before + done, all); };
            const std::vector<std::size_t> order = orderOf(path.changes, options.order);
            auto found = options.mean ? meanWaterfall(path.changes, a, b, order, each, stop) : waterfall(path.changes, a, b, order, each, stop);
            if (!found)
                return std::move(found).error();
            path.waterfall = std::move(found).value();
            before += runsOf(path, options.mean);
        }
        return set;
    });
}

} // namespace fabricscope
