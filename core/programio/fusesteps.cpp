// Receives, sums and the sends behind them as one step.
#include "core/programio/lanes.h"

#include "core/base/stop.h"
#include "core/program/conditions.h"
#include "core/program/reachability.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace fabricscope {

namespace {

/// More steps of a rank than this are not compared with each other: their sums stay stored.
constexpr std::uint32_t kMostSteps = 8192;

/// Which step of a rank is surely behind which.
class StepOrder {
public:
    explicit StepOrder(const RankSteps& steps)
        : m_words((steps.size() + 63) / 64)
        , m_before(std::size_t{steps.size()} * m_words, 0)
    {
        for (const std::uint32_t step : steps.order) {
            const auto follow = [&](std::uint32_t earlier) {
                for (std::size_t word = 0; word < m_words; ++word)
                    m_before[step * m_words + word] |= m_before[earlier * m_words + word];
                m_before[step * m_words + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
            };
            if (steps.previous[step] >= 0)
                follow(static_cast<std::uint32_t>(steps.previous[step]));
            for (const std::uint32_t earlier : steps.waits[step])
                follow(earlier);
        }
    }

    bool before(std::uint32_t earlier, std::uint32_t later) const { return (m_before[later * m_words + earlier / 64] >> (earlier % 64) & 1) != 0; }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_before;
};

/// What the steps of one rank do to its memory, with input and output as one memory or two.
class RankMemory {
public:
    RankMemory(const Program& program, std::int32_t rank, const RankSteps& steps, bool aliased)
        : m_program(program)
        , m_rank(rank)
        , m_aliased(aliased)
    {
        const ExplicitBody& body = program.asExplicit();
        for (std::uint32_t step = 0; step < steps.size(); ++step) {
            for (std::uint32_t op = steps.begin[step]; op < steps.begin[step + 1]; ++op) {
                const OpKind kind = body.kind[op];
                if (kind == OpKind::Compute)
                    continue;
                for (std::int32_t i = 0; i < body.count[op]; ++i) {
                    if (kind != OpKind::Receive && body.sourceBuffer[op] <= BufferKind::Scratch)
                        m_readers[place(body.sourceBuffer[op], body.sourceOffset[op] + i)].push_back(step);
                    if (kind == OpKind::Send || body.targetBuffer[op] > BufferKind::Scratch)
                        continue;
                    const Place target = place(body.targetBuffer[op], body.targetOffset[op] + i);
                    (kind == OpKind::Reduce ? m_readers : m_writers)[target].push_back(step);
                }
            }
        }
    }

    /// Does nobody see what the step leaves at the place?
    bool isUnseen(std::uint32_t step, BufferKind buffer, std::int32_t index, const StepOrder& order) const
    {
        const Place where = place(buffer, index);
        const auto writers = m_writers.find(where);
        const auto readers = m_readers.find(where);
        std::vector<std::uint32_t> over; // Those who write it behind the step and do not read it.
        if (writers != m_writers.end()) {
            std::copy_if(writers->second.begin(), writers->second.end(), std::back_inserter(over), [&](std::uint32_t writer) {
                return order.before(step, writer) && (readers == m_readers.end() || !std::binary_search(readers->second.begin(), readers->second.end(), writer));
            });
        }
        if (isResult(where) && over.empty())
            return false;
        if (readers == m_readers.end())
            return true;
        m_looks += static_cast<std::int64_t>(readers->second.size() * (1 + over.size()));
        return m_looks <= kMostLooks && std::all_of(readers->second.begin(), readers->second.end(), [&](std::uint32_t reader) {
            return reader == step || order.before(reader, step) || std::any_of(over.begin(), over.end(), [&](std::uint32_t writer) { return order.before(writer, reader); });
        });
    }

private:
    using Place = std::pair<BufferKind, std::int32_t>;

    Place place(BufferKind buffer, std::int32_t index) const
    {
        if (!m_aliased || buffer != BufferKind::Input || m_program.op == CollectiveOp::Custom)
            return {buffer, index};
        const std::int32_t output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, m_rank, index, m_program.root);
        return output < 0 ? Place{buffer, index} : Place{BufferKind::Output, output};
    }

    bool isResult(const Place& where) const
    {
        if (m_program.op == CollectiveOp::Custom)
            return where.first != BufferKind::Scratch;
        return where.first == BufferKind::Output
            && requiredAt(m_program.op, m_program.ranks, m_program.chunks, m_rank, where.second, m_program.root).kind != Required::Kind::Anything;
    }

    /// A second of work. What is not looked at keeps its sum, which is right as well.
    static constexpr std::int64_t kMostLooks = 200'000'000;

    const Program& m_program;
    std::int32_t m_rank;
    bool m_aliased;
    mutable std::int64_t m_looks = 0; ///< Pairs of a reader and a writer compared so far.
    std::map<Place, std::vector<std::uint32_t>> m_readers; ///< Steps, ascending.
    std::map<Place, std::vector<std::uint32_t>> m_writers;
};

/// Sums that are sent on in the same step and that nobody sees at home are not stored there (rrs).
void dropUnseenSums(Program& program, const std::stop_token& stop)
{
    ExplicitBody& body = std::get<1>(program.body);
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        const RankSteps steps = rankSteps(body, rank);
        if (steps.size() > kMostSteps || steps.ring())
            continue;
        const StepOrder order(steps);
        std::vector<RankMemory> modes;
        for (const bool aliased : {true, false}) {
            if (aliased ? program.inPlace : program.outOfPlace)
                modes.emplace_back(program, rank, steps, aliased);
        }
        for (std::uint32_t step = 0; step < steps.size(); ++step) {
            checkStop(stop);
            const std::uint32_t sum = steps.begin[step];
            if (steps.begin[step + 1] != sum + 2 || body.kind[sum] != OpKind::ReceiveReduce || body.sourceBuffer[sum + 1] != BufferKind::Fused || body.targetBuffer[sum] > BufferKind::Scratch)
                continue;
            bool unseen = !modes.empty();
            for (const RankMemory& memory : modes) {
                for (std::int32_t i = 0; i < body.count[sum] && unseen; ++i)
                    unseen = memory.isUnseen(step, body.targetBuffer[sum], body.targetOffset[sum] + i, order);
            }
            if (!unseen)
                continue;
            body.targetBuffer[sum] = BufferKind::None;
            body.targetOffset[sum] = 0;
        }
    }
}

} // namespace

ProgramPtr fuseSteps(const ProgramPtr& program, const std::stop_token& stop)
{
    const ExplicitBody& body = program->asExplicit();
    ExplicitBody fused = body;
    fused.fused.resize(body.size(), 0);
    bool any = false;
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        checkStop(stop);
        RankSteps steps = rankSteps(body, rank);
        reduceWaits(body, steps);
        for (std::uint32_t step = 1; step < steps.size(); ++step) {
            const std::uint32_t send = steps.begin[step];
            const std::uint32_t receive = send - 1;
            // Behind each other in the columns too, so that the group stands together.
            const bool fits = steps.previous[step] == static_cast<std::int32_t>(step) - 1 && steps.begin[step + 1] == send + 1 && steps.begin[step - 1] == receive
                && steps.waits[step].empty() && body.kind[send] == OpKind::Send && receives(body.kind[receive]) && body.targetBuffer[receive] != BufferKind::None
                && body.sourceBuffer[send] == body.targetBuffer[receive] && body.sourceOffset[send] == body.targetOffset[receive] && body.count[send] == body.count[receive];
            if (!fits)
                continue;
            fused.fused[send] = 1;
            fused.sourceBuffer[send] = BufferKind::Fused;
            fused.sourceOffset[send] = 0;
            any = true;
        }
    }
    if (!any)
        return program;
    auto out = std::make_shared<Program>(*program);
    out->body = std::move(fused);
    if (!lanesFinish(*out, protocolSlots(program->protocol), stop))
        return program;
    dropUnseenSums(*out, stop);
    return out;
}

} // namespace fabricscope
