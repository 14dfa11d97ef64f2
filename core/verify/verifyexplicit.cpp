#include "core/verify/verifyexplicit.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/verify/liveness.h"
#include "core/verify/operationchecks.h"
#include "core/verify/races.h"
#include "core/verify/valuerun.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostTouches = std::int64_t{1} << 28; // Accesses to chunks that are followed.
constexpr std::size_t kMostNamedInRing = 8;

// Shares of the time of a check, as measured on a large ring; each mode has an equal part of the rest.
constexpr double kStructureDone = 0.2;
constexpr double kScheduleDone = 0.45;
constexpr double kValuesDone = 0.4; // Of a mode.
constexpr double kWasteDone = 0.7;

/// Slots of a connection with each message in one slot of its own (manual: formats 4.4); 0: not said.
std::int32_t slotsOf(WireProtocol protocol)
{
    return protocol == WireProtocol::Any ? 0 : protocol == WireProtocol::Simple ? 2 : 8;
}

/// "a waits for b, which waits for c, which waits for the first".
std::string ringText(const ExplicitBody& body, const std::vector<OpIndex>& ring)
{
    if (ring.size() == 1)
        return operationText(body, ring.front()) + " waits for itself";
    std::string text;
    for (std::size_t i = 0; i < std::min(ring.size(), kMostNamedInRing); ++i)
        text += (i == 0 ? "" : i == 1 ? " waits for " : ", which waits for ") + operationText(body, ring[i]);
    if (ring.size() > kMostNamedInRing)
        text += ", and so on through " + std::to_string(ring.size() - kMostNamedInRing) + " more";
    return text + ", which waits for the first";
}

/// One check of one program.
class ExplicitCheck {
public:
    ExplicitCheck(const Program& program, const VerifyOptions& options)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_options(options)
        , m_findings(program, options.mostFindings)
        , m_conditions(options.conditions ? options.conditions : program.conditions)
        , m_progress(options.progress)
    {
    }

    Verification run()
    {
        try {
            if (checkShape(m_program, m_findings, m_options.stop) && checkConditions())
                follow();
        } catch (const StopRequested&) {
            m_result.cancelled = true;
            m_findings.add("V16", Severity::Error, "The check was stopped before its end");
        }
        m_findings.moveTo(m_result);
        return std::move(m_result);
    }

private:
    /// Conditions that name places and values that exist.
    bool checkConditions()
    {
        if (m_program.op != CollectiveOp::Custom || !m_conditions || !m_body.hasPlaces())
            return true;
        for (const bool before : {true, false}) {
            for (const ChunkValue& chunk : before ? m_conditions->before : m_conditions->after) {
                checkStop(m_options.stop);
                bool good = chunk.rank >= 0 && chunk.rank < m_program.ranks && isMemory(chunk.buffer) && chunk.index >= 0;
                if (good) {
                    const BufferSizes& sizes = m_body.buffers[at(chunk.rank)];
                    good = chunk.index < (chunk.buffer == BufferKind::Input ? sizes.input : chunk.buffer == BufferKind::Output ? sizes.output : sizes.scratch);
                }
                if (before && good && chunk.buffer == BufferKind::Input)
                    good = chunk.value == std::vector<Contribution>{{chunk.rank, chunk.index}};
                if (good)
                    continue;
                m_findings.add("V16", Severity::Error, std::string(before ? "The precondition" : "The postcondition") + " names " + rangeText(chunk.buffer, chunk.index)
                                   + " of rank " + std::to_string(chunk.rank) + ", which " + (before ? "does not exist or is an input with another value than its own"
                                                                                                    : "does not exist"), {}, chunk.rank, chunk.buffer, chunk.index);
                return false;
            }
        }
        return true;
    }

    void follow()
    {
        m_result.operations = m_body.size();
        const std::stop_token& stop = m_options.stop;
        for (const OpKind kind : m_body.kind) {
            checkStop(stop);
            m_result.transfers += kind == OpKind::Send || kind == OpKind::Put || kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast ? 1 : 0;
        }
        const std::vector<bool> usable = checkOperations(m_program, m_findings, stop);
        if (brokenDependencies()) // Nothing can be followed through operations that do not exist.
            return;
        m_progress.tell(1, 16);
        const Lanes lanes(m_body, stop);
        const Connections connections(m_body, lanes, stop);
        checkConnections(m_program, connections, m_findings, stop);
        if (m_options.hints)
            checkExecutorLimits(m_program, lanes, connections, m_findings, stop);

        std::vector<std::int32_t> asked = m_options.slotCounts;
        for (const std::int32_t slots : {slotsOf(m_program.protocol), m_body.receiveSlots}) {
            if (slots > 0)
                asked.push_back(slots);
        }
        std::sort(asked.begin(), asked.end());
        asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
        const Schedule schedule = makeSchedule(m_body, lanes, connections, asked, stop, m_progress.part(kStructureDone, kScheduleDone));
        reportRings(schedule);
        if (!schedule.complete || !m_body.hasPlaces() || !isSmallEnough())
            return;
        followValues({m_program, lanes, connections, schedule, usable, m_conditions, stop});
    }

    /// Does an operation wait for one that is not of its rank?
    bool brokenDependencies() const
    {
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            const OpIndex begin = m_body.rankBegin[at(rank)];
            const OpIndex end = m_body.rankBegin[static_cast<std::size_t>(rank) + 1];
            for (std::uint32_t i = m_body.dependBegin[begin]; i < m_body.dependBegin[end]; ++i) {
                checkStop(m_options.stop);
                if (m_body.depends[i] < begin || m_body.depends[i] >= end)
                    return true;
            }
        }
        return false;
    }

    void reportRings(const Schedule& schedule)
    {
        m_result.minimumSlots = schedule.minimumSlots;
        for (const std::int32_t slots : m_options.slotCounts)
            m_result.slotResults.push_back({slots, schedule.complete && slots >= std::max(schedule.minimumSlots, 1)});
        for (const WaitRing& ring : schedule.rings) {
            if (ring.slots == 0) {
                m_findings.add("V12", Severity::Error, "Nothing moves any more, whatever the number of slots: " + ringText(m_body, ring.groups), ring.groups);
                continue;
            }
            const bool own = ring.slots == m_body.receiveSlots; // The simulator keeps to these.
            m_findings.add("V13", own ? Severity::Error : Severity::Warning, "With " + std::to_string(ring.slots) + (ring.slots == 1 ? " slot" : " slots")
                               + " per connection nothing moves any more" + (schedule.complete ? ", " + std::to_string(schedule.minimumSlots) + " are needed: " : ": ")
                               + ringText(m_body, ring.groups), ring.groups);
        }
    }

    bool isSmallEnough()
    {
        std::int64_t touches = 0;
        for (OpIndex op = 0; op < m_body.size() && touches <= kMostTouches; ++op) {
            checkStop(m_options.stop);
            const bool team = m_body.kind[op] == OpKind::SwitchReduce || m_body.kind[op] == OpKind::SwitchMulticast;
            const auto peer = static_cast<std::size_t>(m_body.peer[op]);
            touches += std::max<std::int64_t>(m_body.count[op], 0) * (team && peer < m_body.teams.size() ? static_cast<std::int64_t>(m_body.teams[peer].size()) : 1);
        }
        const std::int64_t cells = MemoryLayout::cellsOf(m_program);
        if (cells <= MemoryLayout::kMostCells && touches <= kMostTouches)
            return true;
        m_findings.add("V16", Severity::Error, "The program is too large for its values to be followed: " + std::to_string(cells) + " chunks of memory, of at most "
                           + std::to_string(MemoryLayout::kMostCells) + ", and moves of " + std::to_string(touches) + " chunks or more, of at most "
                           + std::to_string(kMostTouches));
        return false;
    }

    void followValues(const ValueContext& context)
    {
        const bool outOfPlace = m_program.outOfPlace && m_options.asOutOfPlace;
        const bool inPlace = m_program.inPlace && m_options.asInPlace;
        if (!inPlace && !outOfPlace) {
            m_findings.add("V16", m_program.inPlace || m_program.outOfPlace ? Severity::Warning : Severity::Error,
                           "The program claims to work neither in place nor out of place, so far as was asked");
            return;
        }
        HappensBefore order(m_body, context.lanes, context.connections, context.schedule, context.stop);
        bool holds = true;
        for (const bool mode : {false, true}) {
            if (!(mode ? inPlace : outOfPlace))
                continue;
            const bool last = mode || !inPlace;
            const double middle = inPlace && outOfPlace ? (1 + kScheduleDone) / 2 : mode ? kScheduleDone : 1;
            const ProgressShare progress = mode ? m_progress.part(middle, 1) : m_progress.part(kScheduleDone, middle);
            holds = followMode(context, mode, last && m_options.hints, order, progress) && holds;
        }
        if (context.hasPostcondition())
            m_result.postcondition = holds ? Postcondition::Holds : Postcondition::Fails;
    }

    /// Checks one mode of the program. True: the postcondition holds, as far as there is one.
    bool followMode(const ValueContext& context, bool inPlace, bool hints, HappensBefore& order, const ProgressShare& progress)
    {
        const std::int64_t errorsBefore = m_findings.errors();
        const MemoryLayout layout(m_program, inPlace);
        bool holds = true;
        {
            ValueRun values(context, layout, m_findings);
            values.run(progress.part(0, kValuesDone));
            if (context.hasPostcondition())
                holds = values.checkPostcondition();
            if (!inPlace && values.inputWriter() != kNoOp && m_program.op != CollectiveOp::Custom)
                m_findings.add("V16", Severity::Warning, operationText(m_body, values.inputWriter())
                                   + " writes to an input, which callers expect to be kept where the program does not run in place", {values.inputWriter()});
            if (hints)
                reportWaste(context, layout, values.repeated());
        }
        checkRaces(context, layout, order, hints, m_findings, progress.part(kWasteDone, 1));
        (inPlace ? m_result.worksInPlace : m_result.worksOutOfPlace) = holds && m_findings.errors() == errorsBefore;
        return holds;
    }

    void reportWaste(const ValueContext& context, const MemoryLayout& layout, std::vector<OpIndex> repeated)
    {
        sortUntilStopped(repeated, std::less<>(), m_options.stop);
        for (const OpIndex op : repeated) {
            checkStop(m_options.stop);
            if (m_findings.wants("V19", Severity::Note))
                m_findings.add("V19", Severity::Note, operationText(m_body, op) + " brings what is there already", {op}, -1, m_body.targetBuffer[op], m_body.targetOffset[op]);
        }
        std::vector<OpIndex> unused;
        if (context.hasPostcondition())
            unused = findUnused(context, layout, m_findings);
        std::vector<OpIndex> both;
        std::set_union(repeated.begin(), repeated.end(), unused.begin(), unused.end(), std::back_inserter(both));
        m_result.wastedTransfers = static_cast<std::int64_t>(both.size());
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    const VerifyOptions& m_options;
    VerifyFindings m_findings;
    std::shared_ptr<const Conditions> m_conditions;
    ProgressShare m_progress;
    Verification m_result;
};

} // namespace

Verification verifyExplicit(const Program& program, const VerifyOptions& options)
{
    return ExplicitCheck(program, options).run();
}

} // namespace fabricscope
