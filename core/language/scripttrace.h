#pragma once

#include "core/base/result.h"
#include "core/language/contributionpool.h"
#include "core/language/scriptbudget.h"
#include "core/language/scriptmemory.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fabricscope {

/// Consecutive chunks of one buffer as a script holds them: the value they had when the handle was made.
struct ScriptChunk {
    std::int32_t rank = 0;
    BufferKind buffer = BufferKind::Input;
    std::int32_t index = 0;
    std::int32_t count = 1;
    std::int32_t line = 0;    ///< That made the handle.
    std::uint32_t serial = 0; ///< A later write to a place of it makes the handle stale.
};

/// How one operation of a script is to be done.
struct ScriptHow {
    std::int32_t channel = 0;
    std::int32_t sendLane = -1;    ///< -1: chosen by lane assignment.
    std::int32_t receiveLane = -1;
    std::int32_t step = -1;        ///< -1: the first in which its data are there.
    bool fused = false;            ///< Sent on in the step that brings it.
    bool copies = false;           ///< switch_reduce: the sum goes to the whole team.
    OpTags tags;
};

/// What an operation of a script becomes.
enum class ScriptForm : std::uint8_t {
    Transfer,     ///< A local operation, or a send and its receive.
    Put,          ///< One-sided: the receiver does nothing.
    Signal,       ///< fromRank tells toRank of its puts.
    Wait,         ///< toRank waits for the next signal of fromRank.
    SwitchCopy,   ///< To all of a team.
    SwitchReduce, ///< Sum of a place of all of a team, to one rank ...
    SwitchBoth    ///< ... or to all, without leaving the switch.
};

/// One operation of the trace, before instances and lanes.
struct ScriptOperation {
    std::int32_t fromRank = 0;
    std::int32_t toRank = 0;
    std::int32_t fromIndex = 0;
    std::int32_t toIndex = 0;
    BufferKind fromBuffer = BufferKind::Input;
    BufferKind toBuffer = BufferKind::Input;
    bool reduce = false;
    std::int16_t instances = 1;
    std::int32_t count = 1;
    std::int32_t chunk = 0;
    std::int32_t line = 0;
    ScriptHow how;
    ScriptForm form = ScriptForm::Transfer;
    bool fused = false;       ///< One step with the operation before it, which brought what it sends.
    std::int32_t team = -1;   ///< Of ScriptTrace::teams().
};

/// A script's collective while it is written: checks every operation against the values in memory, and keeps it. Errors have no place;
/// the caller knows the line.
class ScriptTrace {
public:
    struct Start {
        ScriptCollective collective;
        bool inPlace = true;
        bool outOfPlace = false;
        WireProtocol protocol = WireProtocol::Any;
        std::int64_t minBytes = 0;
        std::int64_t maxBytes = 0;
        std::string name;
        std::int32_t line = 0;
    };

    /// How instances lie in the chunks (manual: formats 4.3).
    enum class Layout : std::uint8_t { Interleaved, Batched };

    static constexpr std::int32_t kMostRanks = 65'536;
    static constexpr std::int32_t kMostChunks = 1 << 20;   ///< Of a buffer, instances included.
    static constexpr std::int32_t kMostInstances = 64;
    static constexpr std::int32_t kMostChannels = 1024;

    ScriptTrace(ScriptBudget& budget, std::int64_t operations)
        : m_budget(budget)
        , m_operationsLeft(operations)
    {
    }

    Status begin(Start start);
    bool begun() const { return m_start.has_value(); }
    const Start& start() const { return *m_start; }

    Result<ScriptChunk> chunk(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count, std::int32_t line);
    Result<ScriptChunk> copy(const ScriptChunk& from, std::int32_t rank, BufferKind buffer, std::int32_t index, const ScriptHow& how,
                             std::int32_t line);
    /// Adds `from` to the places of `into`; the result is `into` with its new value.
    Result<ScriptChunk> reduce(const ScriptChunk& into, const ScriptChunk& from, const ScriptHow& how, std::int32_t line);
    /// One-sided copy to another rank, which may use it when it has waited for a signal behind it.
    Result<ScriptChunk> put(const ScriptChunk& from, std::int32_t rank, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line);
    Status signal(std::int32_t from, std::int32_t to, const ScriptHow& how, std::int32_t line);
    Status wait(std::int32_t rank, std::int32_t from, const ScriptHow& how, std::int32_t line);
    /// Copies the chunk to one place of all ranks of the team; gives that of its own rank.
    Result<ScriptChunk> switchCopy(const ScriptChunk& from, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line);
    /// Adds up the place of the chunk on all ranks of the team, to the chunk's rank, or with how.copies to all; gives that of its rank.
    Result<ScriptChunk> switchReduce(const ScriptChunk& of, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line);
    /// Error, with its line: a put or a signal that nobody waits for.
    Status checkSignals() const;

    /// Does the handle still name the value it was made for?
    Status checkFresh(const ScriptChunk& chunk);
    /// What the first chunk of the handle holds, for print().
    Result<std::string> valueText(const ScriptChunk& chunk);

    /// For custom collectives: this input is defined at the start; this place must hold `value` at the end.
    Status before(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count);
    Status expect(std::int32_t rank, BufferKind buffer, std::int32_t index, std::vector<Contribution> value, std::int32_t line);
    Status weights(std::vector<std::int64_t> weights);

    /// Instances of the operations that follow, within those of scopes around it; leave() ends the scope.
    Status enterInstances(std::int64_t count);
    void leaveInstances(std::int64_t count);
    /// Instances of the whole program. \pre no operation yet (an error).
    Status replicate(std::int64_t count, Layout layout);

    /// Compares what memory holds with the contract of the collective, or with expect(): a finding (rule "postcondition") of the first
    /// places that differ. Error: cancelled or out of budget.
    Result<Diagnostics> checkEnd();

    /// The parts program building needs.
    const std::vector<ScriptOperation>& operations() const { return m_operations; }
    const std::vector<std::vector<std::int32_t>>& teams() const { return m_teams; }
    const std::vector<std::int64_t>& chunkWeights() const { return m_weights; }
    std::int32_t wholeInstances() const { return m_whole; }
    Layout layout() const { return m_layout; }
    /// Least common multiple of all instances: chunks of the program for each of the script.
    std::int32_t multiplicity() const { return m_multiplicity; }
    /// Cells of memory the trace has touched, those of both modes.
    std::int64_t cells() const;
    /// Of the program with its instances; absent where the script says neither before nor expect. \pre checkEnd() was called. Both in scriptend.cpp.
    Result<std::optional<Conditions>> conditions();
    /// Why the budget refused.
    Error exhausted() const;
    ScriptBudget& budget() { return m_budget; }

private:
    struct Expectation {
        ChunkValue must;
        std::int32_t line = 0;
    };

    Status ready();
    Status checkPlace(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count) const;
    Status checkHow(const ScriptHow& how, bool local) const;
    Status freshIn(ScriptMemory& memory, const ScriptChunk& chunk);
    Status record(const ScriptChunk& from, const ScriptChunk& to, bool reduce, const ScriptHow& how, std::int32_t line);
    Status apply(ScriptMemory& memory, const ScriptOperation& operation, std::uint32_t serial);
    Status checkFused(const ScriptChunk& from, std::int32_t channel, bool local) const;
    Status takeTeam(std::vector<std::int32_t> team, std::int32_t rank, std::int32_t& out); // scriptstores.cpp, as what follows and all of stores
    Status beginTeam(const ScriptChunk& own, const ScriptHow& how, std::size_t size);
    Status sumInto(ScriptMemory& memory, const ScriptOperation& operation, const std::vector<std::int32_t>& targets);
    Status checkEnds(std::int32_t from, std::int32_t to, const ScriptHow& how, std::int64_t rows);
    Result<ScriptChunk> bySwitch(ScriptForm form, const ScriptChunk& of, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line);
    void markStored(const ScriptOperation& operation, std::int32_t rank);
    Status keepUntold(std::int32_t to);
    std::int32_t stepOf(const ScriptOperation& operation);
    Status settleMemory();
    bool isCustom() const { return m_start->collective.op == CollectiveOp::Custom; }

    ScriptBudget& m_budget;
    std::int64_t m_operationsLeft;
    std::optional<Start> m_start;
    ContributionPool m_pool;
    std::int64_t m_poolBytes = 0; ///< Taken from the budget.
    std::vector<ScriptMemory> m_memories; ///< One for each mode the script claims; made by the first operation.
    std::vector<Contribution> m_inputs;   ///< before(), ascending once memories exist.
    bool m_inputsNamed = false;
    std::vector<Expectation> m_expected;
    std::set<std::tuple<std::int32_t, BufferKind, std::int32_t>> m_expectedPlaces;
    std::vector<std::int64_t> m_weights;
    std::vector<ScriptOperation> m_operations;
    std::vector<std::vector<std::int32_t>> m_teams;
    std::map<std::vector<std::int32_t>, std::int32_t> m_teamNumbers; ///< Where each is in m_teams.
    /// Puts by (source, target, channel), by number: those not signalled yet, and those of every signal that nobody has waited for.
    struct Told {
        std::vector<std::size_t> puts;
        std::int32_t line = 0; ///< Of the signal.
    };
    struct Channel {
        std::vector<std::size_t> untold;
        std::vector<Told> signals; ///< No deque: an empty one takes hundreds of bytes, and there may be millions of channels.
        std::size_t waited = 0;    ///< Of `signals`.
    };
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Channel> m_channels;
    std::uint32_t m_serial = 0;
    std::int32_t m_scope = 1; ///< Instances of what is written now.
    std::int32_t m_whole = 1;
    std::int32_t m_multiplicity = 1;
    Layout m_layout = Layout::Interleaved;
};

} // namespace fabricscope
