#include "core/step/programreplay.h"

#include "core/base/quantity.h"
#include "core/base/stoppablesort.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kLook = std::size_t{1} << 16; // Operations between two looks at the stop token.

Error cancelled()
{
    return {ErrorCode::Cancelled, "the replay was stopped", {}, {}};
}

bool isTransfer(OpKind kind)
{
    return kind == OpKind::Send || kind == OpKind::Put || kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast;
}

/// Values an operation makes.
std::int64_t valuesMade(const ExplicitBody& body, std::uint32_t op)
{
    switch (body.kind[op]) {
    case OpKind::Compute:
    case OpKind::Signal:
    case OpKind::Wait:
        return 0;
    case OpKind::SwitchMulticast:
        return std::int64_t{body.count[op]} * static_cast<std::int64_t>(body.teams[static_cast<std::size_t>(body.peer[op])].size());
    default:
        return body.count[op];
    }
}

} // namespace

Result<ProgramReplayPtr> ProgramReplay::create(ProgramPtr program, const ProgramReplayOptions& options)
{
    if (!program || program->isTemplate())
        return Error{ErrorCode::Unsupported, "only programs in explicit form are gone through operation by operation", {}, "an explicit program"};
    const ExplicitBody& body = program->asExplicit();
    constexpr std::int64_t kBytesPerOperation = 2 * sizeof(Write) + 10 * sizeof(std::uint32_t);
    if (options.memoryLimit > 0 && std::int64_t{body.size()} * kBytesPerOperation > options.memoryLimit)
        return Error{ErrorCode::MemoryLimit, "stepping through " + std::to_string(body.size()) + " operations needs more memory than the limit of "
                         + showBytes({options.memoryLimit}), {}, "a higher memory limit"};
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        const bool usesTeam = body.kind[op] == OpKind::SwitchReduce || body.kind[op] == OpKind::SwitchMulticast;
        if (usesTeam && (body.peer[op] < 0 || static_cast<std::size_t>(body.peer[op]) >= body.teams.size()))
            return Error{ErrorCode::Unsupported, "operation " + std::to_string(op) + " works with a team the program does not have", {}, {}};
    }
    std::shared_ptr<ProgramReplay> replay(new ProgramReplay);
    replay->m_program = std::move(program);
    auto order = ProgramOrder::create(*replay->m_program, options.receiveSlots, options.stop);
    if (!order)
        return std::move(order).error();
    replay->m_order = std::move(order).value();
    replay->m_timed = !options.times.empty();
    Status status = replay->m_timed ? replay->sequenceByTime(options.times, options.stop) : replay->sequenceByLevel(options.stop);
    if (!status)
        return std::move(status).error();
    replay->m_position.assign(body.size(), kNoOperation);
    for (std::uint32_t position = 0; position < replay->m_sequence.size(); ++position)
        replay->m_position[replay->m_sequence[position]] = position;
    replay->listTransfers();
    if (body.hasPlaces()) {
        auto places = ProgramPlaces::create(*replay->m_program);
        if (!places)
            return std::move(places).error();
        replay->m_places = std::move(places).value();
        if (status = replay->countWrites(); !status)
            return std::move(status).error();
        replay->putIn();
        replay->markComplete();
        if (status = replay->follow(options.stop); !status)
            return std::move(status).error();
    }
    return ProgramReplayPtr(std::move(replay));
}

/// Operations by (level, place in Kahn's order).
Status ProgramReplay::sequenceByLevel(const std::stop_token& stop)
{
    if (stop.stop_requested())
        return cancelled();
    std::vector<std::uint32_t> begin;
    for (const std::uint32_t op : m_order.order()) {
        const auto level = static_cast<std::size_t>(m_order.levelOf(op));
        if (level + 2 > begin.size())
            begin.resize(level + 2, 0);
        ++begin[level + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    m_sequence.resize(m_order.order().size());
    for (const std::uint32_t op : m_order.order())
        m_sequence[begin[static_cast<std::size_t>(m_order.levelOf(op))]++] = op;
    return {};
}

/// Operations by when they take effect in the run. What no message tells follows from what it waits for: it takes no time of its own.
Status ProgramReplay::sequenceByTime(std::span<const SendTimes> times, const std::stop_token& stop)
{
    const ExplicitBody& b = body();
    assert(times.size() == b.size());
    m_when.assign(b.size(), SendTimes::kNever);
    std::int64_t begin = SendTimes::kNever; // Nothing happens before the first send.
    for (std::uint32_t op = 0; op < b.size(); ++op) {
        if (times[op].sentPs > 0 || times[op].donePs > 0)
            begin = std::min(begin, times[op].sentPs);
    }
    begin = begin == SendTimes::kNever ? 0 : begin;
    std::size_t looked = 0;
    for (const std::uint32_t op : m_order.order()) {
        if (++looked % kLook == 0 && stop.stop_requested())
            return cancelled();
        std::int64_t when = begin;
        const auto after = [&](std::uint32_t earlier) { when = std::max(when, earlier == kNoOperation ? begin : m_when[earlier]); };
        for (std::uint32_t i = b.dependBegin[op]; i < b.dependBegin[op + 1]; ++i)
            after(b.depends[i]);
        after(m_order.beforeInLane(op));
        if (b.kind[op] == OpKind::Send || b.kind[op] == OpKind::Put) {
            when = std::max(when, b.kind[op] == OpKind::Send ? times[op].sentPs : times[op].donePs);
        } else if (receives(b.kind[op]) || b.kind[op] == OpKind::Wait) {
            after(m_order.partner(op));
            if (receives(b.kind[op]))
                when = std::max(when, times[m_order.partner(op)].donePs);
        } else if (b.kind[op] == OpKind::Compute && when != SendTimes::kNever) {
            when += b.durationOf(op);
        }
        m_when[op] = when;
        if (when != SendTimes::kNever)
            m_sequence.push_back(op);
    }
    const bool sorted = stoppableSort<std::uint32_t>(m_sequence.begin(), m_sequence.end(),
                                                     [this](std::uint32_t a, std::uint32_t b2) { return m_when[a] < m_when[b2]; }, stop);
    return sorted ? Status{} : Status{cancelled()};
}

void ProgramReplay::listTransfers()
{
    std::int32_t steps = 0;
    for (const std::uint32_t op : m_order.order())
        steps = std::max(steps, stepOf(op) + 1);
    m_transferBegin.assign(static_cast<std::size_t>(steps) + 2, 0);
    std::uint32_t count = 0;
    const auto counts = [this](std::uint32_t op) { return isTransfer(body().kind[op]) && m_position[op] != kNoOperation; };
    for (std::uint32_t op = 0; op < body().size(); ++op) {
        if (counts(op)) {
            ++m_transferBegin[static_cast<std::size_t>(stepOf(op)) + 2];
            ++count;
        }
    }
    std::partial_sum(m_transferBegin.begin(), m_transferBegin.end(), m_transferBegin.begin());
    m_transfers.resize(count);
    for (std::uint32_t op = 0; op < body().size(); ++op) {
        if (counts(op))
            m_transfers[m_transferBegin[static_cast<std::size_t>(stepOf(op)) + 1]++] = op;
    }
    m_transferBegin.pop_back();
}

Status ProgramReplay::countWrites()
{
    std::int64_t count = m_places->count();
    m_writeBegin.reserve(m_sequence.size() + 1);
    for (const std::uint32_t op : m_sequence) {
        m_writeBegin.push_back(static_cast<std::uint32_t>(count));
        count += valuesMade(body(), op);
        if (count > kMostOperations)
            return Error{ErrorCode::Unsupported, "this program handles too many chunks to be stepped through", {}, "at most " + std::to_string(kMostOperations)};
    }
    m_writeBegin.push_back(static_cast<std::uint32_t>(count));
    m_writes.resize(static_cast<std::size_t>(count));
    return {};
}

/// What memory holds at the start.
void ProgramReplay::putIn()
{
    const Program& p = *m_program;
    for (PlaceIndex place = 0; place < m_places->count(); ++place)
        m_writes[place] = {ChunkValues::kUndefined, place, place};
    const auto put = [this](std::int32_t rank, BufferKind buffer, std::int32_t index, ValueIndex value) {
        const PlaceIndex place = m_places->at(rank, buffer, index);
        if (place != kNoPlace)
            m_writes[place].value = value;
    };
    if (p.op == CollectiveOp::Custom && p.conditions) {
        for (const ChunkValue& before : p.conditions->before) {
            ValueIndex value = ChunkValues::kUndefined;
            for (const Contribution& contribution : before.value)
                value = m_values.sum(value, m_values.input(contribution));
            put(before.rank, before.buffer, before.index, value);
        }
        return;
    }
    for (std::int32_t rank = 0; rank < p.ranks; ++rank) {
        const std::int32_t inputs = body().buffers[static_cast<std::size_t>(rank)].input;
        for (std::int32_t index = 0; index < inputs; ++index) {
            if (p.op == CollectiveOp::Custom || definedAtStart(p.op, p.ranks, p.chunks, rank, index, p.root))
                put(rank, BufferKind::Input, index, m_values.input({rank, index}));
        }
    }
}

/// The values the collective asks for.
void ProgramReplay::markComplete()
{
    const Program& p = *m_program;
    std::vector<std::uint64_t> wanted;
    if (p.op == CollectiveOp::Custom) {
        for (std::size_t i = 0; p.conditions && i < p.conditions->after.size(); ++i) {
            std::uint64_t sum = 0;
            for (const Contribution& contribution : p.conditions->after[i].value)
                sum += ChunkValues::hashOf(contribution);
            if (!p.conditions->after[i].value.empty())
                wanted.push_back(sum);
        }
        return m_values.setComplete(std::move(wanted));
    }
    const bool alike = p.op == CollectiveOp::AllReduce || p.op == CollectiveOp::AllGather || p.op == CollectiveOp::Broadcast;
    for (std::int32_t rank = 0; rank < (alike ? 1 : p.ranks); ++rank) {
        const std::int32_t outputs = contractSizes(p.op, p.ranks, p.chunks, rank, p.root).output;
        for (std::int32_t index = 0; index < outputs; ++index) {
            const Required required = requiredAt(p.op, p.ranks, p.chunks, rank, index, p.root);
            if (required.kind == Required::Kind::One)
                wanted.push_back(ChunkValues::hashOf(required.one));
            if (required.kind != Required::Kind::AllRanks)
                continue;
            m_sums.resize(static_cast<std::size_t>(p.chunks), 0);
            std::uint64_t& sum = m_sums[static_cast<std::size_t>(required.one.index)];
            sum = sumOfAll(required.one.index);
            wanted.push_back(sum);
        }
    }
    m_values.setComplete(std::move(wanted));
}

std::uint64_t ProgramReplay::sumOfAll(std::int32_t index) const
{
    std::uint64_t sum = 0;
    for (std::int32_t rank = 0; rank < m_program->ranks; ++rank)
        sum += ChunkValues::hashOf({rank, index});
    return sum;
}

bool ProgramReplay::isAsked(PlaceIndex place, ValueIndex value) const
{
    const Program& p = *m_program;
    const std::int32_t rank = m_places->rankOf(place);
    const std::uint64_t fingerprint = m_values.fingerprint(value);
    if (p.op == CollectiveOp::Custom) {
        const ProgramPlaces::Column column = m_places->column(m_places->columnOf(place));
        if (!p.conditions)
            return false;
        const auto key = [](const ChunkValue& each) { return std::tuple(each.rank, each.buffer, each.index); };
        const auto wanted = std::tuple(rank, column.buffer, column.index);
        const auto found = std::partition_point(p.conditions->after.begin(), p.conditions->after.end(), [&](const ChunkValue& each) { return key(each) < wanted; });
        if (found == p.conditions->after.end() || key(*found) != wanted || found->value.empty())
            return false;
        std::uint64_t sum = 0;
        for (const Contribution& contribution : found->value)
            sum += ChunkValues::hashOf(contribution);
        return sum == fingerprint;
    }
    const std::int32_t output = m_places->outputOf(place);
    if (output < 0)
        return false;
    const Required required = requiredAt(p.op, p.ranks, p.chunks, rank, output, p.root);
    switch (required.kind) {
    case Required::Kind::One:
        return fingerprint == ChunkValues::hashOf(required.one);
    case Required::Kind::AllRanks:
        return fingerprint == m_sums[static_cast<std::size_t>(required.one.index)];
    case Required::Kind::Anything:
        break;
    }
    return false;
}

/// Carries every operation out, in order.
Status ProgramReplay::follow(const std::stop_token& stop)
{
    const ExplicitBody& b = body();
    std::vector<std::uint32_t> state(m_places->count());
    std::iota(state.begin(), state.end(), 0u);
    const auto read = [&](std::int32_t rank, BufferKind buffer, std::int32_t index) {
        const PlaceIndex place = m_places->at(rank, buffer, index);
        return place == kNoPlace ? ChunkValues::kUndefined : m_writes[state[place]].value;
    };
    const auto made = [&](std::uint32_t op, std::int32_t index) { // By an operation that is done.
        const std::size_t at = m_writeBegin[m_position[op]] + static_cast<std::size_t>(index);
        return at < m_writeBegin[m_position[op] + 1] ? m_writes[at].value : ChunkValues::kUndefined;
    };
    std::vector<ValueIndex> values;
    for (std::uint32_t position = 0; position < m_sequence.size(); ++position) {
        if (position % kLook == 0 && stop.stop_requested())
            return cancelled();
        const std::uint32_t op = m_sequence[position];
        const OpKind kind = b.kind[op];
        const std::int32_t rank = m_order.rankOf(op);
        std::uint32_t next = m_writeBegin[position];
        if (next == m_writeBegin[position + 1])
            continue;
        values.clear();
        for (std::int32_t i = 0; i < b.count[op]; ++i) { // All is read before anything is written.
            const auto source = [&] { return read(rank, b.sourceBuffer[op], b.sourceOffset[op] + i); };
            ValueIndex value = ChunkValues::kUndefined;
            switch (kind) {
            case OpKind::Receive:
                value = made(m_order.partner(op), i);
                break;
            case OpKind::ReceiveReduce:
                value = m_values.sum(made(m_order.partner(op), i), source());
                break;
            case OpKind::Reduce:
                value = m_values.sum(read(rank, b.targetBuffer[op], b.targetOffset[op] + i), source());
                break;
            case OpKind::SwitchReduce:
                for (const std::int32_t member : b.teams[static_cast<std::size_t>(b.peer[op])])
                    value = m_values.sum(value, read(member, b.sourceBuffer[op], b.sourceOffset[op] + i));
                break;
            case OpKind::Send:
                if (b.sourceBuffer[op] == BufferKind::Fused) {
                    const std::uint32_t before = m_order.beforeInLane(op) != kNoOperation ? m_order.beforeInLane(op) : op - 1;
                    value = made(before, i);
                    break;
                }
                [[fallthrough]];
            default:
                value = kind == OpKind::SwitchMulticast && b.sourceBuffer[op] == BufferKind::Fused ? made(op - 1, i) : source();
            }
            values.push_back(value);
        }
        const auto write = [&](std::int32_t at) {
            for (std::int32_t i = 0; i < b.count[op]; ++i) {
                const PlaceIndex place = kind == OpKind::Send ? kNoPlace : m_places->at(at, b.targetBuffer[op], b.targetOffset[op] + i);
                Write& entry = m_writes[next];
                entry.value = values[static_cast<std::size_t>(i)];
                entry.place = place;
                if (place != kNoPlace)
                    entry.before = std::exchange(state[place], next);
                ++next;
            }
        };
        if (kind == OpKind::SwitchMulticast) {
            for (const std::int32_t member : b.teams[static_cast<std::size_t>(b.peer[op])])
                write(member);
        } else {
            write(kind == OpKind::Put ? b.peer[op] : rank);
        }
    }
    return {};
}

std::int64_t ProgramReplay::when(std::uint32_t operation) const
{
    if (m_position[operation] == kNoOperation)
        return SendTimes::kNever;
    return m_timed ? m_when[operation] : m_order.levelOf(operation);
}

std::size_t ProgramReplay::positionAt(std::int64_t time) const
{
    const auto after = std::partition_point(m_sequence.begin(), m_sequence.end(), [&](std::uint32_t op) { return when(op) <= time; });
    return static_cast<std::size_t>(after - m_sequence.begin());
}

std::span<const std::uint32_t> ProgramReplay::transfersOf(std::int32_t step) const
{
    const auto at = static_cast<std::size_t>(step);
    return std::span<const std::uint32_t>(m_transfers).subspan(m_transferBegin[at], m_transferBegin[at + 1] - m_transferBegin[at]);
}

std::vector<ValueIndex> ProgramReplay::valuesOf(std::uint32_t operation) const
{
    std::vector<ValueIndex> out;
    if (!hasPlaces() || m_position[operation] == kNoOperation)
        return out;
    for (std::uint32_t i = m_writeBegin[m_position[operation]]; i < m_writeBegin[m_position[operation] + 1]; ++i)
        out.push_back(m_writes[i].value);
    return out;
}

std::vector<PlaceIndex> ProgramReplay::placesOf(std::uint32_t operation) const
{
    std::vector<PlaceIndex> out;
    if (!hasPlaces() || m_position[operation] == kNoOperation)
        return out;
    for (std::uint32_t i = m_writeBegin[m_position[operation]]; i < m_writeBegin[m_position[operation] + 1]; ++i)
        out.push_back(m_writes[i].place);
    return out;
}

} // namespace fabricscope
