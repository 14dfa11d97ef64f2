// Operations of a script that store at other ranks: puts with signals and waits, and those of switches.
#include "core/language/scriptnames.h"
#include "core/language/scripttrace.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

// What a channel and its parts take at most, in bytes, with what the allocator adds and vectors have in reserve.
constexpr std::int64_t kChannelBytes = 128; ///< A node of the map.
constexpr std::int64_t kUntoldBytes = 32;   ///< A number of `untold`: the first of a vector takes the smallest block.
constexpr std::int64_t kSignalBytes = 64;

std::string between(std::int32_t from, std::int32_t to, std::int32_t channel)
{
    return "rank " + std::to_string(from) + " to rank " + std::to_string(to) + " on channel " + std::to_string(channel);
}

} // namespace

Status ScriptTrace::checkEnds(std::int32_t from, std::int32_t to, const ScriptHow& how, std::int64_t rows)
{
    if (Status status = ready(); !status)
        return status;
    for (const std::int32_t rank : {from, to}) {
        if (rank < 0 || rank >= m_start->collective.ranks)
            return invalidInput("There is no rank " + std::to_string(rank), {}, "0 to " + std::to_string(m_start->collective.ranks - 1));
    }
    if (from == to)
        return invalidInput("Rank " + std::to_string(from) + " is both ends", {}, "two ranks");
    if (how.fused || how.copies || how.receiveLane >= 0)
        return invalidInput("One-sided operations are done by one rank, alone", {}, "ch, tb, step, phase, dimension or tree");
    if (Status status = checkHow(how, false); !status)
        return status;
    if (m_operationsLeft < rows * m_scope)
        return invalidInput("The script makes more operations than it may");
    if (!m_budget.work(m_scope + 1) || !m_budget.take(static_cast<std::int64_t>(sizeof(ScriptOperation))))
        return exhausted();
    return {};
}

void ScriptTrace::markStored(const ScriptOperation& operation, std::int32_t rank)
{
    for (ScriptMemory& memory : m_memories) {
        for (std::int32_t i = 0; i < operation.count; ++i)
            memory.at(rank, operation.toBuffer, operation.toIndex + i)->stored = operation.line;
    }
}

/// Notes that the newest operation has stored something at rank `to`, of which no signal has told yet.
Status ScriptTrace::keepUntold(std::int32_t to)
{
    const ScriptOperation& operation = m_operations.back();
    const auto [place, isNew] = m_channels.try_emplace({operation.fromRank, to, operation.how.channel});
    if (!m_budget.take(kUntoldBytes + (isNew ? kChannelBytes : 0)))
        return exhausted();
    place->second.untold.push_back(m_operations.size() - 1);
    return {};
}

Result<ScriptChunk> ScriptTrace::put(const ScriptChunk& from, std::int32_t rank, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line_)
{
    if (Status status = checkEnds(from.rank, rank, how, 0); !status)
        return std::move(status).error();
    auto out = copy(from, rank, buffer, index, how, line_);
    if (!out)
        return out;
    ScriptOperation& operation = m_operations.back();
    operation.form = ScriptForm::Put;
    markStored(operation, rank);
    if (Status status = keepUntold(rank); !status)
        return std::move(status).error();
    return out;
}

Status ScriptTrace::signal(std::int32_t from, std::int32_t to, const ScriptHow& how, std::int32_t line_)
{
    if (Status status = checkEnds(from, to, how, 1); !status)
        return status;
    const auto [place, isNew] = m_channels.try_emplace({from, to, how.channel});
    if (!m_budget.take(kSignalBytes + (isNew ? kChannelBytes : 0)))
        return exhausted();
    Channel& channel = place->second;
    ScriptOperation operation;
    operation.fromRank = from;
    operation.toRank = to;
    operation.count = 0;
    operation.instances = static_cast<std::int16_t>(m_scope);
    operation.line = line_;
    operation.how = how;
    operation.how.step = std::max(how.step, 0);
    for (const std::size_t put : channel.untold)
        operation.how.step = std::max(operation.how.step, m_operations[put].how.step);
    operation.form = ScriptForm::Signal;
    m_operations.push_back(operation);
    m_operationsLeft -= m_scope;
    channel.signals.push_back({std::exchange(channel.untold, {}), line_});
    return {};
}

Status ScriptTrace::wait(std::int32_t rank, std::int32_t from, const ScriptHow& how, std::int32_t line_)
{
    if (Status status = checkEnds(from, rank, how, 1); !status)
        return status;
    const auto place = m_channels.find({from, rank, how.channel});
    if (place == m_channels.end() || place->second.waited == place->second.signals.size())
        return invalidInput("There is no signal from " + between(from, rank, how.channel) + " to wait for", {}, "signal(" + std::to_string(from) + ", " + std::to_string(rank) + ") first");
    Channel& channel = place->second;
    ScriptOperation operation;
    operation.fromRank = from;
    operation.toRank = rank;
    operation.count = 0;
    operation.instances = static_cast<std::int16_t>(m_scope);
    operation.line = line_;
    operation.how = how;
    operation.how.step = std::max(how.step, 0);
    operation.form = ScriptForm::Wait;
    // Of all that the rank that signals has stored here before: its puts of the channel, and copies by switches.
    for (const std::size_t put : std::exchange(channel.signals[channel.waited].puts, {})) {
        const ScriptOperation& stored = m_operations[put];
        operation.how.step = std::max(operation.how.step, stored.how.step);
        for (ScriptMemory& memory : m_memories) {
            for (std::int32_t i = 0; i < stored.count; ++i) {
                std::int32_t& pending = memory.at(rank, stored.toBuffer, stored.toIndex + i)->stored;
                pending = pending == stored.line ? 0 : pending;
            }
        }
    }
    ++channel.waited;
    m_operations.push_back(operation);
    m_operationsLeft -= m_scope;
    return {};
}

Status ScriptTrace::checkSignals() const
{
    const auto at = [](std::int32_t number, std::string message, std::string expected) {
        Place place;
        place.line = number;
        return invalidInput(std::move(message), place, std::move(expected));
    };
    for (const auto& [ends, channel] : m_channels) {
        const std::string way = between(std::get<0>(ends), std::get<1>(ends), std::get<2>(ends));
        const auto own = std::find_if(channel.untold.begin(), channel.untold.end(), [&](std::size_t op) { return m_operations[op].form == ScriptForm::Put; });
        if (own != channel.untold.end())
            return at(m_operations[*own].line, "No signal tells of what is put from " + way, "signal(from, to) and wait(rank, from) behind it");
        if (channel.waited < channel.signals.size())
            return at(channel.signals[channel.waited].line, "Nobody waits for the signal from " + way, "wait(rank, from)");
    }
    return {};
}

Status ScriptTrace::takeTeam(std::vector<std::int32_t> team, std::int32_t rank, std::int32_t& out)
{
    std::sort(team.begin(), team.end());
    const auto twice = std::adjacent_find(team.begin(), team.end());
    if (twice != team.end())
        return invalidInput("Rank " + std::to_string(*twice) + " is in the team twice");
    if (team.size() < 2)
        return invalidInput("A team has two ranks at least", {}, "{0, 1, ...}");
    if (team.front() < 0 || team.back() >= m_start->collective.ranks)
        return invalidInput("There is no rank " + std::to_string(team.front() < 0 ? team.front() : team.back()), {}, "0 to " + std::to_string(m_start->collective.ranks - 1));
    if (!std::binary_search(team.begin(), team.end(), rank))
        return invalidInput("Rank " + std::to_string(rank) + " is not in its own team", {}, "a team with it");
    const auto [known, isNew] = m_teamNumbers.try_emplace(team, static_cast<std::int32_t>(m_teams.size()));
    out = known->second;
    if (!isNew)
        return {};
    // Kept twice here, and by the program; the rest is the node of the map.
    if (!m_budget.take(static_cast<std::int64_t>(3 * (team.size() * sizeof(std::int32_t) + sizeof(team)) + 64)))
        return exhausted();
    m_teams.push_back(std::move(team));
    return {};
}

Status ScriptTrace::beginTeam(const ScriptChunk& own, const ScriptHow& how, std::size_t size)
{
    if (how.fused || how.receiveLane >= 0)
        return invalidInput("An operation of a switch is done by one rank, alone", {}, "ch, tb, step, phase, dimension or tree");
    if (Status status = checkHow(how, false); !status)
        return status;
    if (Status status = checkFresh(own); !status)
        return status;
    if (m_operationsLeft < 2 * m_scope)
        return invalidInput("The script makes more operations than it may");
    if (!m_budget.work(std::int64_t{own.count} * (m_scope + 1) * static_cast<std::int64_t>(size)) || !m_budget.take(static_cast<std::int64_t>(sizeof(ScriptOperation))))
        return exhausted();
    return {};
}

/// Values of one memory: the sum of the operation's source (of all its team, or of one rank) into the places of `targets`.
Status ScriptTrace::sumInto(ScriptMemory& memory, const ScriptOperation& operation, const std::vector<std::int32_t>& targets)
{
    const std::vector<std::int32_t> alone{operation.fromRank};
    const std::vector<std::int32_t>& sources = operation.form == ScriptForm::SwitchCopy ? alone : m_teams[static_cast<std::size_t>(operation.team)];
    std::vector<ContributionPool::Id> sums;
    for (std::int32_t i = 0; i < operation.count; ++i) {
        ContributionPool::Id sum = ContributionPool::kUndefined;
        for (std::size_t k = 0; k < sources.size(); ++k) {
            ScriptMemory::Cell& source = *memory.at(sources[k], operation.fromBuffer, operation.fromIndex + i);
            source.unused = std::max(source.unused, operation.how.step + 1);
            if (k == 0) {
                m_pool.keep(source.value);
                sum = source.value;
                continue;
            }
            Contribution clash;
            if (!m_budget.work(static_cast<std::int64_t>(m_pool.runs(sum).size() + m_pool.runs(source.value).size())))
                return exhausted();
            const std::optional<ContributionPool::Id> both = m_pool.unite(sum, source.value, isCustom(), clash);
            if (!both)
                return invalidInput("Double reduction: chunk " + std::to_string(clash.index) + " of rank " + std::to_string(clash.rank) + " is in "
                                    + placeText(sources[k], operation.fromBuffer, operation.fromIndex + i) + " and in the same place of another rank of the team");
            m_pool.drop(sum);
            sum = *both;
        }
        sums.push_back(sum);
    }
    for (const std::int32_t rank : targets) {
        for (std::int32_t i = 0; i < operation.count; ++i) {
            ScriptMemory::Cell& target = *memory.at(rank, operation.toBuffer, operation.toIndex + i);
            const ContributionPool::Id sum = sums[static_cast<std::size_t>(i)];
            m_pool.keep(sum);
            m_pool.drop(target.value);
            target.value = sum;
            target.chunk = memory.at(operation.fromRank, operation.fromBuffer, operation.fromIndex + i)->chunk;
            target.serial = m_serial + 1;
            target.line = operation.line;
            target.stored = rank == operation.fromRank ? 0 : operation.line;
            target.ready = target.unused = operation.how.step + 1;
        }
    }
    for (const ContributionPool::Id sum : sums)
        m_pool.drop(sum);
    return {};
}

Result<ScriptChunk> ScriptTrace::switchCopy(const ScriptChunk& from, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line_)
{
    if (how.copies)
        return invalidInput("A copy goes to the whole team anyway", {}, "copy = true only for switch_reduce");
    return bySwitch(ScriptForm::SwitchCopy, from, std::move(team), buffer, index, how, line_);
}

Result<ScriptChunk> ScriptTrace::switchReduce(const ScriptChunk& of, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line_)
{
    return bySwitch(how.copies ? ScriptForm::SwitchBoth : ScriptForm::SwitchReduce, of, std::move(team), buffer, index, how, line_);
}

Result<ScriptChunk> ScriptTrace::bySwitch(ScriptForm form, const ScriptChunk& of, std::vector<std::int32_t> team, BufferKind buffer, std::int32_t index, const ScriptHow& how, std::int32_t line_)
{
    const bool sums = form != ScriptForm::SwitchCopy;
    const bool copies = form != ScriptForm::SwitchReduce;
    if (Status status = beginTeam(of, how, team.size()); !status)
        return std::move(status).error();
    ScriptOperation operation;
    if (Status status = takeTeam(std::move(team), of.rank, operation.team); !status)
        return std::move(status).error();
    operation.fromRank = operation.toRank = of.rank;
    operation.fromBuffer = of.buffer;
    operation.fromIndex = of.index;
    operation.toBuffer = buffer;
    operation.toIndex = index;
    operation.count = of.count;
    operation.instances = static_cast<std::int16_t>(m_scope);
    operation.line = line_;
    operation.how = how;
    operation.form = form;
    const std::vector<std::int32_t>& members = m_teams[static_cast<std::size_t>(operation.team)];
    const std::vector<std::int32_t> targets = copies ? members : std::vector<std::int32_t>{of.rank};
    for (const std::int32_t member : members) {
        if (!sums)
            break;
        if (auto source = chunk(member, of.buffer, of.index, of.count, line_); !source)
            return std::move(source).error();
        if (Status status = checkFresh({member, of.buffer, of.index, of.count, line_, m_serial}); !status)
            return std::move(status).error();
    }
    for (const std::int32_t member : targets) {
        if (Status status = checkPlace(member, buffer, index, of.count); !status)
            return std::move(status).error();
        for (ScriptMemory& memory : m_memories) { // Scratch grows to its full size first: cells move when it does.
            if (!memory.at(member, buffer, index + of.count - 1))
                return exhausted();
        }
    }
    operation.chunk = m_memories.front().at(of.rank, of.buffer, of.index)->chunk;
    if (how.step < 0) {
        operation.how.step = 0;
        for (ScriptMemory& memory : m_memories) {
            for (std::int32_t i = 0; i < of.count; ++i) {
                for (const std::int32_t member : members)
                    operation.how.step = std::max(operation.how.step, sums || member == of.rank ? memory.at(member, of.buffer, of.index + i)->ready : 0);
                for (const std::int32_t member : targets) {
                    const ScriptMemory::Cell& target = *memory.at(member, buffer, index + i);
                    operation.how.step = std::max({operation.how.step, target.ready, target.unused});
                }
            }
        }
    }
    for (ScriptMemory& memory : m_memories) {
        if (Status status = sumInto(memory, operation, targets); !status)
            return std::move(status).error();
    }
    ++m_serial;
    m_operationsLeft -= (operation.form == ScriptForm::SwitchBoth ? 2 : 1) * m_scope;
    m_operations.push_back(operation);
    for (const std::int32_t member : targets) {
        if (member == of.rank)
            continue;
        if (Status status = keepUntold(member); !status)
            return std::move(status).error();
    }
    if (Status status = settleMemory(); !status)
        return std::move(status).error();
    return ScriptChunk{of.rank, buffer, index, of.count, line_, m_serial};
}

} // namespace fabricscope
