// Custom collectives (manual: astra 9): a graph per position replaces the whole collective.
#include "core/base/index.h"
#include "core/sim/astra/collectivequeue.h"

#include <algorithm>

namespace fabricscope {

Status AstraCollectives::prepareCustom(Instance& instance, const std::string& prefix) const
{
    const auto found = std::find_if(m_customPrograms.begin(), m_customPrograms.end(), [&](const auto& item) { return item.first == prefix; });
    if (found == m_customPrograms.end() || !found->second || found->second->isTemplate())
        return invalidInput("the custom collective '" + prefix + "' is not loaded");
    const Program& program = *found->second;
    const ExplicitBody& body = program.asExplicit();
    if (body.rankBegin.size() != static_cast<std::size_t>(instance.members) + 1)
        return invalidInput("the custom collective '" + prefix + "' is for " + std::to_string(body.rankBegin.empty() ? 0 : body.rankBegin.size() - 1)
                            + " ranks, the group has " + std::to_string(instance.members));
    auto custom = std::make_unique<Custom>();
    custom->program = found->second;
    const std::uint32_t count = body.size();
    custom->missing.resize(count);
    custom->dependents.resize(count);
    for (std::uint32_t op = 0; op < count; ++op) {
        const Place place{prefix, 0, 0, -1, {}, -1, static_cast<std::int64_t>(body.sourceIdOf(op)), true};
        if (body.kind[op] != OpKind::Send && body.kind[op] != OpKind::Receive && body.kind[op] != OpKind::Compute)
            return Error{ErrorCode::Unsupported, "an operation that is not a send, a receive or compute never ends in the reference", place, {}};
        if (body.kind[op] != OpKind::Compute && (body.peer[op] < 0 || body.peer[op] >= instance.members))
            return invalidInput("a peer outside the group", place, "0.." + std::to_string(instance.members - 1));
        if (body.kind[op] != OpKind::Compute && body.bytesOf(op) < 0)
            return invalidInput("a message without a size in bytes", place);
        custom->missing[op] = static_cast<std::int32_t>(body.dependBegin[op + 1] - body.dependBegin[op]);
        for (std::uint32_t edge = body.dependBegin[op]; edge < body.dependBegin[op + 1]; ++edge)
            custom->dependents[body.depends[edge]].push_back(op);
    }
    for (std::int32_t member = 0; member < instance.members; ++member)
        custom->left.push_back(static_cast<std::int32_t>(body.rankBegin[static_cast<std::size_t>(member) + 1] - body.rankBegin[at(member)]));
    // Files are numbered by the place in the sorted member list, peers by the list as given.
    std::vector<std::int32_t> sorted(static_cast<std::size_t>(instance.members));
    for (std::int32_t position = 0; position < instance.members; ++position)
        sorted[at(position)] = position;
    std::sort(sorted.begin(), sorted.end(), [&](std::int32_t left, std::int32_t right) { return instance.rankOf(left) < instance.rankOf(right); });
    custom->file.resize(sorted.size());
    for (std::size_t file = 0; file < sorted.size(); ++file) {
        custom->file[at(sorted[file])] = file;
        for (std::uint32_t op = body.rankBegin[file]; op < body.rankBegin[file + 1]; ++op) {
            const bool toItself = body.kind[op] != OpKind::Compute && body.peer[op] == sorted[file];
            if (toItself && (m_axes > 1 || m_network.aware()))
                return invalidInput("a message of rank " + std::to_string(instance.rankOf(sorted[file])) + " to itself",
                                    {prefix, 0, 0, -1, {}, -1, static_cast<std::int64_t>(body.sourceIdOf(op)), true}, "another rank (the reference refuses it too)");
        }
    }
    instance.custom = std::move(custom);
    return {};
}

void AstraCollectives::startCustom(std::uint32_t number, std::int32_t position)
{
    Instance& instance = *m_instances[number];
    Custom& custom = *instance.custom;
    const ExplicitBody& body = custom.program->asExplicit();
    instance.chunksLeft[at(position)] = 1;
    const std::size_t file = custom.file[at(position)];
    std::vector<std::uint32_t> ready;
    for (std::uint32_t op = body.rankBegin[file]; op < body.rankBegin[file + 1]; ++op) {
        if (custom.missing[op] == 0)
            ready.push_back(op);
    }
    if (custom.left[file] == 0)
        m_queue.scheduleOn(instance.rankOf(position), 0, AstraEvent::CustomEnd, number, static_cast<std::uint32_t>(position), kNone);
    issueCustom(number, position, std::move(ready));
}

/// Issues operations in ascending node id; sends of one instant keep that order.
void AstraCollectives::issueCustom(std::uint32_t number, std::int32_t position, std::vector<std::uint32_t> operations)
{
    const Instance& instance = *m_instances[number];
    const ExplicitBody& body = instance.custom->program->asExplicit();
    std::sort(operations.begin(), operations.end(), [&](std::uint32_t left, std::uint32_t right) { return body.sourceIdOf(left) < body.sourceIdOf(right); });
    const std::int32_t rank = instance.rankOf(position);
    for (const std::uint32_t op : operations) {
        const AstraCallback done{AstraCallback::Target::CustomOperation, number, static_cast<std::uint32_t>(position), op};
        if (body.kind[op] == OpKind::Compute) {
            m_queue.scheduleOn(rank, std::max<std::int64_t>(body.durationOf(op) / kPsPerNs, 1), AstraEvent::CustomEnd, number, static_cast<std::uint32_t>(position), op);
            continue;
        }
        const std::int32_t peer = instance.rankOf(body.peer[op]);
        const std::uint64_t tag = static_cast<std::uint64_t>(static_cast<std::uint32_t>(body.connection[op])) % 500'000'000;
        if (body.kind[op] == OpKind::Send)
            m_post.send({tag, rank, peer, body.bytesOf(op)}, done);
        else
            m_post.receive({tag, peer, rank, body.bytesOf(op)}, done);
    }
}

void AstraCollectives::customDone(std::uint32_t number, std::uint32_t member, std::uint32_t operation)
{
    Instance& instance = *m_instances[number];
    if (operation == kNone) {
        memberDone(number, static_cast<std::int32_t>(member));
        return;
    }
    Custom& custom = *instance.custom;
    const std::size_t owner = custom.file[member];
    std::vector<std::uint32_t> ready;
    for (const std::uint32_t next : custom.dependents[operation]) {
        if (--custom.missing[next] == 0)
            ready.push_back(next);
    }
    if (--custom.left[owner] == 0) {
        instance.chunksLeft[member] = 0;
        memberDone(number, static_cast<std::int32_t>(member));
        return;
    }
    if (!ready.empty())
        issueCustom(number, static_cast<std::int32_t>(member), std::move(ready));
}

} // namespace fabricscope
