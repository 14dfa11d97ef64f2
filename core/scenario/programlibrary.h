#pragma once

#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/modelversions.h"
#include "core/scenario/generatedprograms.h"
#include "core/scenario/groupshape.h"
#include "core/scenario/lowering.h"
#include "core/scenario/standardrules.h"
#include "core/scenario/stepcosts.h"

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope {

/// Programs that a design names, made ready for groups: files and scripts are read and verified once (a script with
/// param("ranks") that is not given gets the size of the group), generators and synthesisers asked once
/// per shape of group. One library per preparation of a design; not for several threads.
class ProgramLibrary {
public:
    /// `generated`: what generators wrote for others already; null: nothing.
    explicit ProgramLibrary(const Design& design, int threads = 1, std::stop_token stop = {}, GeneratedProgramsPtr generated = nullptr)
        : m_design(design)
        , m_programs(generated ? std::move(generated) : std::make_shared<GeneratedPrograms>())
        , m_threads(threads)
        , m_stop(std::move(stop))
        , m_standard(rulesNumber(versionUsed(design.model.model, design.model.version)))
    {
    }

    /// What a group is to run.
    struct Wanted {
        CollectiveOp op = CollectiveOp::AllReduce;
        std::int64_t bytes = 0;
        std::int32_t chunks = 1;       ///< Parts one after another.
        std::int32_t receiveSlots = 0; ///< As ProgramChoice.
    };

    /// A program and the layout it runs in: positions are coordinates of the shape for generators over its axes, else places in the group.
    struct Made {
        ProgramPtr program;
        bool flat = true; ///< Positions are those of the group as listed.
    };

    /// The program of `source` for a group: `grid` is its shape along the dimensions, `members` its NPUs as listed.
    /// Errors: unreadable or invalid files, with their place; a program for another number of ranks or another collective; what generators
    /// and synthesisers refuse; what cannot run on the platform (programruns.h).
    Result<Made> programFor(const ProgramSource& source, const Wanted& wanted, const Platform& platform, const GroupShape& grid, const std::vector<NodeId>& members);

    /// What a generator is asked for such a group, or why it does not take it.
    struct Request {
        GenerateRequest request;
        bool flat = true; ///< As Made::flat.
    };
    Result<Request> requestOf(const ProgramSource& source, const Wanted& wanted, const GroupShape& grid) const;

    /// Is the program meant for this size? True for what is not a file, and for files that cannot be read (using them says why).
    bool covers(const ProgramSource& source, std::int64_t bytes);

    /// Warnings of readers and the verifier so far; empties the list.
    Diagnostics takeDiagnostics() { return std::exchange(m_diagnostics, {}); }
    const Design& design() const { return m_design; }
    int threads() const { return m_threads; }
    GeneratedPrograms& programs() { return *m_programs; }
    /// A program by levels that differ in size, and what it and a ring over all members take.
    struct ByUnevenLevels {
        ProgramPtr program; ///< Null: it would be too large.
        StepCosts costs;
        StepCosts ring;
    };
    /// As core/generate/unevenblocks.h, one algorithm per level, for the NPUs at `nodes`, by position; `listed`: as the ring goes. The same once more: remembered. Errors: Cancelled.
    Result<const ByUnevenLevels*> byUnevenLevels(const std::shared_ptr<const UnevenLevels>& levels, CollectiveOp op, const std::vector<Algorithm>& algorithms, std::int32_t chunks,
                                                 const Platform& platform, const std::vector<NodeId>& nodes, const std::vector<NodeId>& listed);

    /// What `standard` runs by the rules of the design. The same platform in every call.
    const StandardRules& standard() const { return m_standard; }
    /// Levels of groups on this platform; null: the rules of the design know none, or it has dimensions. The same platform in every call.
    const LevelFinder* levels(const Platform& platform);

private:
    std::string nameOf(const ProgramSource& source) const;
    Result<ProgramPtr> fromFile(const ProgramSource& source);
    Result<ProgramPtr> load(const ProgramSource& source);
    Status check(const ProgramPtr& program, const std::string& path);
    Result<Made> generated(const ProgramSource& source, const Wanted& wanted, const GroupShape& grid);
    Result<ProgramPtr> synthesised(const ProgramSource& source, const Wanted& wanted, const Platform& platform, const std::vector<NodeId>& members);
    Result<ProgramPtr> finished(ProgramPtr program, std::int32_t slices, std::int32_t receiveSlots);

    const Design& m_design;
    GeneratedProgramsPtr m_programs;
    int m_threads;
    std::stop_token m_stop;
    StandardRules m_standard;
    Diagnostics m_diagnostics;
    std::set<std::string> m_sizedScripts;                                     // take the number of ranks as a parameter
    std::map<std::string, Result<ProgramPtr>> m_files;                        // by kind, path and parameters
    std::map<std::string, Result<Made>> m_generated;                          // by all that is asked
    std::map<std::tuple<const Program*, std::int32_t, std::int32_t>, ProgramPtr> m_finished; // by program, slices, slots
    std::unique_ptr<const LevelFinder> m_levels;
    std::unique_ptr<const BalancedWays> m_ways;
    std::map<std::tuple<std::shared_ptr<const UnevenLevels>, CollectiveOp, std::vector<Algorithm>, std::int32_t>, ByUnevenLevels> m_uneven; ///< By what is asked.
    std::vector<ProgramPtr> m_kept;                                           // keys of m_finished
};

/// What a setting plans for a group: templates along its dimensions (planCollective) or the program it names.
Result<PlannedCollective> planWithPrograms(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group,
                                           CollectiveOp op, std::int64_t bytes, const CollectiveSetting& setting, bool flat,
                                           DimensionScheduler scheduler, ProgramLibrary& library);

} // namespace fabricscope
