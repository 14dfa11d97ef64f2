#include "core/language/scripttrace.h"

#include "core/language/scriptnames.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

std::string line(std::int32_t number)
{
    return "line " + std::to_string(number);
}

} // namespace

Error ScriptTrace::exhausted() const
{
    switch (m_budget.refusal()) {
    case ScriptBudget::Refusal::Stopped:
        return {ErrorCode::Cancelled, "The script was stopped", {}, {}};
    case ScriptBudget::Refusal::Memory:
        return {ErrorCode::InvalidInput, "The script uses more memory than it may", {}, {}};
    default:
        return {ErrorCode::InvalidInput, "The script takes more instructions than it may", {}, {}};
    }
}

Status ScriptTrace::begin(Start start)
{
    const ScriptCollective& wanted = start.collective;
    if (m_start)
        return invalidInput("collective() was called before, on " + line(m_start->line), {}, "one collective in a script");
    if (wanted.ranks < 1 || wanted.ranks > kMostRanks)
        return invalidInput("There cannot be " + std::to_string(wanted.ranks) + " ranks", {}, "1 to " + std::to_string(kMostRanks));
    if (wanted.chunks < 1 || wanted.chunks > kMostChunks)
        return invalidInput("There cannot be " + std::to_string(wanted.chunks) + " chunks", {}, "1 to " + std::to_string(kMostChunks));
    if (wanted.root < 0 || wanted.root >= wanted.ranks)
        return invalidInput("There is no rank " + std::to_string(wanted.root) + " to be root", {}, "0 to " + std::to_string(wanted.ranks - 1));
    switch (wanted.op) {
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter:
    case CollectiveOp::AllToAll:
    case CollectiveOp::Gather:
    case CollectiveOp::Scatter:
        if (wanted.chunks % wanted.ranks != 0)
            return invalidInput("The chunks of this collective are shared by its ranks: " + std::to_string(wanted.chunks) + " chunks cannot be shared by " +
                                    std::to_string(wanted.ranks) + " ranks",
                                {}, "a multiple of " + std::to_string(wanted.ranks));
        break;
    default:
        break;
    }
    if (!m_budget.take(wanted.ranks * static_cast<std::int64_t>(sizeof(ScriptMemory::Cell) * 8)))
        return exhausted();
    m_start = std::move(start);
    return {};
}

Status ScriptTrace::ready()
{
    if (!m_start)
        return invalidInput("There is no collective yet", {}, "collective(\"all_reduce\", {ranks = 8, chunks = 8}) first");
    if (!m_memories.empty())
        return {};
    std::sort(m_inputs.begin(), m_inputs.end());
    m_inputs.erase(std::unique(m_inputs.begin(), m_inputs.end()), m_inputs.end());
    const std::vector<Contribution>* inputs = m_inputsNamed ? &m_inputs : nullptr;
    if (m_start->inPlace && !isCustom())
        m_memories.emplace_back(m_start->collective, true, inputs, m_pool, m_budget);
    if (m_start->outOfPlace || isCustom())
        m_memories.emplace_back(m_start->collective, false, inputs, m_pool, m_budget);
    return {};
}

Status ScriptTrace::settleMemory()
{
    const std::int64_t more = m_pool.bytes() - m_poolBytes;
    if (more > 0 && !m_budget.take(more))
        return exhausted();
    if (more < 0)
        m_budget.give(-more);
    m_poolBytes += more;
    return {};
}

Status ScriptTrace::checkPlace(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count) const
{
    const auto& [op, ranks, chunks, root] = m_start->collective;
    if (rank < 0 || rank >= ranks)
        return invalidInput("There is no rank " + std::to_string(rank), {}, "0 to " + std::to_string(ranks - 1));
    if (count < 1)
        return invalidInput("A group of " + std::to_string(count) + " chunks is none", {}, "1 or more");
    const BufferSizes sizes = contractSizes(op, ranks, chunks, rank, root);
    const std::int32_t size = buffer == BufferKind::Input ? sizes.input : buffer == BufferKind::Output ? sizes.output : kMostChunks;
    if (index < 0 || index >= size || count > size - index) {
        const std::string what = count == 1 ? placeText(rank, buffer, index) : placeText(rank, buffer, index) + " and the " + std::to_string(count - 1) + " behind it";
        if (size == 0)
            return invalidInput("There is no " + what, {}, "another buffer: this one has no chunks on rank " + std::to_string(rank));
        return invalidInput("There is no " + what, {}, "chunks 0 to " + std::to_string(size - 1));
    }
    return {};
}

Status ScriptTrace::checkHow(const ScriptHow& how, bool local) const
{
    if (how.channel < 0 || how.channel >= kMostChannels)
        return invalidInput("There is no channel " + std::to_string(how.channel), {}, "0 to " + std::to_string(kMostChannels - 1));
    constexpr std::int32_t kMostLanes = 65'536;
    for (const std::int32_t lane : {how.sendLane, how.receiveLane}) {
        if (lane < -1 || lane >= kMostLanes)
            return invalidInput("There is no lane " + std::to_string(lane), {}, "0 to " + std::to_string(kMostLanes - 1));
    }
    if (local && how.receiveLane >= 0)
        return invalidInput("Nothing is received where both chunks are on one rank", {}, "lane");
    constexpr std::int32_t kMostSteps = 1 << 28;
    if (how.step < -1 || how.step >= kMostSteps)
        return invalidInput("There is no step " + std::to_string(how.step), {}, "0 or more");
    return {};
}

Result<ScriptChunk> ScriptTrace::chunk(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count, std::int32_t line_)
{
    if (Status status = ready(); !status)
        return std::move(status).error();
    if (Status status = checkPlace(rank, buffer, index, count); !status)
        return std::move(status).error();
    if (!m_budget.work(count))
        return exhausted();
    for (ScriptMemory& memory : m_memories) {
        for (std::int32_t i = count; i-- > 0;) {
            const ScriptMemory::Cell* cell = memory.at(rank, buffer, index + i);
            if (!cell)
                return exhausted();
            if (cell->value == ContributionPool::kUndefined) {
                const std::string mode = m_memories.size() == 1 ? "" : memory.aliased() ? ", in place" : ", out of place";
                return invalidInput("Nothing has been put into " + placeText(rank, buffer, index + i) + " yet" + mode);
            }
        }
    }
    if (Status status = settleMemory(); !status)
        return std::move(status).error();
    return ScriptChunk{rank, buffer, index, count, line_, m_serial};
}

Status ScriptTrace::freshIn(ScriptMemory& memory, const ScriptChunk& chunk)
{
    for (std::int32_t i = 0; i < chunk.count; ++i) {
        const ScriptMemory::Cell* cell = memory.at(chunk.rank, chunk.buffer, chunk.index + i);
        if (!cell)
            return exhausted();
        if (cell->serial > chunk.serial)
            return invalidInput("This chunk was taken on " + line(chunk.line) + ", and " + placeText(chunk.rank, chunk.buffer, chunk.index + i) +
                                    " was overwritten on " + line(cell->line),
                                {}, "chunk(...) again, for what is there now");
        if (cell->stored > 0)
            return invalidInput("Rank " + std::to_string(chunk.rank) + " has not waited for what was stored into " + placeText(chunk.rank, chunk.buffer, chunk.index + i) + " on " + line(cell->stored),
                                {}, "signal(from, to) and wait(rank, from) first");
    }
    return {};
}

Status ScriptTrace::checkFresh(const ScriptChunk& chunk)
{
    if (!m_budget.work(chunk.count))
        return exhausted();
    for (ScriptMemory& memory : m_memories) {
        if (Status status = freshIn(memory, chunk); !status)
            return status;
    }
    return {};
}

Result<std::string> ScriptTrace::valueText(const ScriptChunk& chunk)
{
    if (Status status = checkFresh(chunk); !status)
        return std::move(status).error();
    return m_pool.text(m_memories.front().at(chunk.rank, chunk.buffer, chunk.index)->value);
}

Result<ScriptChunk> ScriptTrace::copy(const ScriptChunk& from, std::int32_t rank, BufferKind buffer, std::int32_t index, const ScriptHow& how,
                                      std::int32_t line_)
{
    const ScriptChunk to{rank, buffer, index, from.count, line_, 0};
    if (Status status = checkPlace(rank, buffer, index, from.count); !status)
        return std::move(status).error();
    if (Status status = record(from, to, false, how, line_); !status)
        return std::move(status).error();
    ScriptChunk out = to;
    out.serial = m_serial;
    return out;
}

Result<ScriptChunk> ScriptTrace::reduce(const ScriptChunk& into, const ScriptChunk& from, const ScriptHow& how, std::int32_t line_)
{
    if (into.count != from.count)
        return invalidInput(std::to_string(from.count) + " chunks cannot be added to " + std::to_string(into.count), {}, "groups of the same size");
    if (Status status = checkFresh(into); !status)
        return std::move(status).error();
    if (Status status = record(from, into, true, how, line_); !status)
        return std::move(status).error();
    ScriptChunk out = into;
    out.line = line_;
    out.serial = m_serial;
    return out;
}

Status ScriptTrace::record(const ScriptChunk& from, const ScriptChunk& to, bool reduce, const ScriptHow& how, std::int32_t line_)
{
    const bool local = from.rank == to.rank;
    if (Status status = checkHow(how, local); !status)
        return status;
    if (how.copies)
        return invalidInput("Only the sum of a switch can go to a whole team", {}, "copy = true for switch_reduce");
    if (how.fused) {
        if (Status status = checkFused(from, how.channel, local); !status)
            return status;
    }
    if (Status status = checkFresh(from); !status)
        return status;
    const std::int64_t rows = local ? 1 : 2;
    if (m_operationsLeft < rows * m_scope)
        return invalidInput("The script makes more operations than it may");
    // Every chunk costs work here and, once for each instance, where dependencies are looked for.
    if (!m_budget.work(std::int64_t{from.count} * (m_scope + 1)) || !m_budget.take(static_cast<std::int64_t>(sizeof(ScriptOperation))))
        return exhausted();

    ScriptOperation operation{from.rank, to.rank, from.index, to.index, from.buffer, to.buffer, reduce, static_cast<std::int16_t>(m_scope),
                              from.count, 0, line_, how, ScriptForm::Transfer, how.fused, -1};
    // Scratch grows to its full size first: cells move when it does.
    for (ScriptMemory& memory : m_memories) {
        if (!memory.at(from.rank, from.buffer, from.index + from.count - 1) || !memory.at(to.rank, to.buffer, to.index + to.count - 1))
            return exhausted();
    }
    operation.chunk = m_memories.front().at(from.rank, from.buffer, from.index)->chunk;
    operation.how.step = how.step >= 0 ? how.step : stepOf(operation);
    for (ScriptMemory& memory : m_memories) {
        if (Status status = apply(memory, operation, m_serial + 1); !status)
            return status;
    }
    ++m_serial;
    m_operationsLeft -= rows * m_scope;
    m_operations.push_back(operation);
    return settleMemory();
}

/// Was the chunk brought to its rank by the operation just before?
Status ScriptTrace::checkFused(const ScriptChunk& from, std::int32_t channel, bool local) const
{
    const ScriptOperation* before = m_operations.empty() ? nullptr : &m_operations.back();
    const bool brought = !local && before && before->form == ScriptForm::Transfer && before->fromRank != before->toRank && before->toRank == from.rank && before->toBuffer == from.buffer
        && before->toIndex == from.index && before->count == from.count && before->instances == m_scope;
    if (!brought)
        return invalidInput("Only what the operation before it has brought from another rank can be sent on in the same step", {}, "the copy or reduce right behind it, to a third rank");
    if (before->how.channel != channel)
        return invalidInput("One step is on one channel: what is sent on came on channel " + std::to_string(before->how.channel), {}, "the same channel");
    return {};
}

std::int32_t ScriptTrace::stepOf(const ScriptOperation& operation)
{
    std::int32_t step = 0;
    for (ScriptMemory& memory : m_memories) {
        for (std::int32_t i = 0; i < operation.count; ++i) {
            const ScriptMemory::Cell& source = *memory.at(operation.fromRank, operation.fromBuffer, operation.fromIndex + i);
            const ScriptMemory::Cell& target = *memory.at(operation.toRank, operation.toBuffer, operation.toIndex + i);
            step = std::max({step, source.ready, target.ready, target.unused});
        }
    }
    return step;
}

Status ScriptTrace::apply(ScriptMemory& memory, const ScriptOperation& operation, std::uint32_t serial)
{
    const bool local = operation.fromRank == operation.toRank;
    const std::int32_t after = operation.how.step + (local ? 0 : 1); // A local operation is done on the way to the next transfer.
    if (local) {
        const ScriptMemory::Cell* source = memory.at(operation.fromRank, operation.fromBuffer, operation.fromIndex);
        const ScriptMemory::Cell* target = memory.at(operation.toRank, operation.toBuffer, operation.toIndex);
        // One memory in one of two modes: there the copy has nothing to do.
        if (source == target && !operation.reduce && m_memories.size() > 1 && operation.fromBuffer != operation.toBuffer)
            return {};
        // Ranges of one memory are consecutive, so they meet where either contains the first cell of the other.
        const auto within = [&](const ScriptMemory::Cell* cell, const ScriptMemory::Cell* begin) {
            return !std::less<>()(cell, begin) && std::less<>()(cell, begin + operation.count);
        };
        if (within(source, target) || within(target, source))
            return invalidInput(std::string(operation.reduce ? "A chunk cannot be added to" : "A chunk cannot be copied to") + " its own place" +
                                    (operation.fromBuffer != operation.toBuffer ? ": input and output are one memory here (inplace)" : ""),
                                {}, "another place");
    }
    for (std::int32_t i = 0; i < operation.count; ++i) {
        ScriptMemory::Cell& source = *memory.at(operation.fromRank, operation.fromBuffer, operation.fromIndex + i);
        ScriptMemory::Cell& target = *memory.at(operation.toRank, operation.toBuffer, operation.toIndex + i);
        source.unused = std::max(source.unused, after);
        if (operation.reduce) {
            Contribution clash;
            const auto runs = m_pool.runs(source.value).size() + m_pool.runs(target.value).size();
            if (!m_budget.work(static_cast<std::int64_t>(runs)))
                return exhausted();
            const std::optional<ContributionPool::Id> sum = m_pool.unite(source.value, target.value, isCustom(), clash);
            if (!sum)
                return invalidInput("Double reduction: chunk " + std::to_string(clash.index) + " of rank " + std::to_string(clash.rank) + " is already in " +
                                    placeText(operation.toRank, operation.toBuffer, operation.toIndex + i) +
                                    (target.line > 0 ? " (last written on " + line(target.line) + ")" : ""));
            m_pool.drop(target.value);
            target.value = *sum;
        } else {
            m_pool.keep(source.value);
            m_pool.drop(target.value);
            target.value = source.value;
            target.chunk = source.chunk;
        }
        target.serial = serial;
        target.line = operation.line;
        target.stored = 0;
        target.ready = after;
        target.unused = after;
    }
    return {};
}

Status ScriptTrace::before(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count)
{
    if (!m_start || !isCustom())
        return invalidInput("Only custom collectives say what is defined before", {}, "collective(\"custom\", {...}) first");
    if (buffer != BufferKind::Input)
        return invalidInput("Only inputs are defined before the collective", {}, "\"input\"");
    if (!m_memories.empty())
        return invalidInput("before() comes too late", {}, "before() before the first chunk()");
    if (Status status = checkPlace(rank, buffer, index, count); !status)
        return status;
    if (!m_budget.work(count) || !m_budget.take(count * static_cast<std::int64_t>(sizeof(Contribution))))
        return exhausted();
    m_inputsNamed = true;
    for (std::int32_t i = 0; i < count; ++i)
        m_inputs.push_back({rank, index + i});
    return {};
}

Status ScriptTrace::expect(std::int32_t rank, BufferKind buffer, std::int32_t index, std::vector<Contribution> value, std::int32_t line_)
{
    if (!m_start || !isCustom())
        return invalidInput("Only custom collectives say what is expected", {}, "collective(\"custom\", {...}) first");
    if (buffer == BufferKind::Scratch)
        return invalidInput("Nobody sees scratch at the end", {}, "\"output\" or \"input\"");
    if (Status status = checkPlace(rank, buffer, index, 1); !status)
        return status;
    if (value.empty())
        return invalidInput("An empty list of contributions is no value", {}, "{{rank, index}, ...}");
    for (const Contribution& one : value) {
        if (Status status = checkPlace(one.rank, BufferKind::Input, one.index, 1); !status)
            return status;
    }
    const auto size = static_cast<std::int64_t>(value.size());
    if (!m_budget.work(size) || !m_budget.take(size * static_cast<std::int64_t>(sizeof(Contribution)) + static_cast<std::int64_t>(sizeof(Expectation))))
        return exhausted();
    if (!m_expectedPlaces.insert({rank, buffer, index}).second)
        return invalidInput("expect() was called before for " + placeText(rank, buffer, index), {}, "one expectation for a place");
    std::sort(value.begin(), value.end());
    m_expected.push_back({{rank, buffer, index, std::move(value)}, line_});
    return {};
}

Status ScriptTrace::weights(std::vector<std::int64_t> weights)
{
    if (!m_start)
        return ready();
    if (!m_weights.empty())
        return invalidInput("weights was used before", {}, "one weights{...}");
    if (weights.size() != static_cast<std::size_t>(m_start->collective.chunks))
        return invalidInput("There are " + std::to_string(weights.size()) + " weights for " + std::to_string(m_start->collective.chunks) + " chunks", {},
                            "one for each chunk");
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    for (const std::int64_t weight : weights) {
        if (weight < 0 || weight > kMost)
            return invalidInput("A weight cannot be " + std::to_string(weight), {}, "0 to 2^40");
    }
    if (std::all_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight == 0; }))
        return invalidInput("All weights are 0", {}, "at least one above 0");
    m_weights = std::move(weights);
    return {};
}

Status ScriptTrace::enterInstances(std::int64_t count)
{
    if (Status status = ready(); !status)
        return status;
    if (count < 1 || count > kMostInstances || m_scope * count > kMostInstances)
        return invalidInput("There cannot be " + std::to_string(count) + " instances here", {}, "1 to " + std::to_string(kMostInstances / m_scope));
    if (m_layout == Layout::Batched)
        return invalidInput("Batched instances are of the whole program", {}, "instances(p, \"interleaved\") for parts of it");
    const std::int32_t scope = m_scope * static_cast<std::int32_t>(count);
    const std::int32_t multiplicity = std::lcm(m_multiplicity, scope);
    if (multiplicity > kMostInstances * 16 || std::int64_t{multiplicity} * m_start->collective.chunks > kMostChunks)
        return invalidInput("So many instances cut the chunks into too many pieces", {}, "fewer instances");
    m_scope = scope;
    m_multiplicity = multiplicity;
    return {};
}

std::int64_t ScriptTrace::cells() const
{
    std::int64_t sum = 0;
    for (const ScriptMemory& memory : m_memories)
        sum += memory.cells();
    return sum;
}

void ScriptTrace::leaveInstances(std::int64_t count)
{
    m_scope /= static_cast<std::int32_t>(count);
}

Status ScriptTrace::replicate(std::int64_t count, Layout layout)
{
    if (!m_start)
        return ready();
    if (!m_operations.empty() || m_scope != 1 || m_multiplicity != 1)
        return invalidInput("instances() of the whole program comes too late", {}, "before the first copy or reduce, or instances(p, function() ... end)");
    if (layout == Layout::Batched) {
        switch (m_start->collective.op) {
        case CollectiveOp::AllReduce:
        case CollectiveOp::Reduce:
        case CollectiveOp::Broadcast:
        case CollectiveOp::Custom:
            break;
        default:
            return invalidInput("Batched instances would change what this collective means, because its ranks own neighbouring chunks", {}, "\"interleaved\"");
        }
    }
    if (Status status = enterInstances(count); !status)
        return status;
    m_whole = static_cast<std::int32_t>(count);
    m_layout = layout;
    return {};
}

} // namespace fabricscope
