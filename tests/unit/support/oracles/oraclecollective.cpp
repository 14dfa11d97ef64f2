#include "tests/unit/support/oracles/oraclecollective.h"

#include "tests/unit/support/oracles/oracleturns.h"
#include "tests/unit/support/oracles/phasemessages.h"

#include <cassert>
#include <tuple>

namespace fabricscope::test {

namespace {

class Expansion {
public:
    Expansion(const Structure& structure, OracleNetwork& network) : m_structure(structure), m_network(network) {}

    OracleMembers run()
    {
        for (std::size_t i = 0; i < m_structure.instances.size(); ++i) {
            const CollectiveInstance& instance = m_structure.instances[i];
            if (!instance.program || instance.replayPs >= 0)
                continue;
            m_index = static_cast<int>(i);
            m_instance = &instance;
            m_layout = &m_structure.layouts[static_cast<std::size_t>(instance.layout)];
            for (std::int32_t position = 0; position < instance.program->ranks; ++position)
                m_members.of(m_index, rankAt(position));
            if (instance.program->isTemplate())
                expandTemplate(instance.program->asTemplate());
            else
                expandOps(instance.program->asExplicit());
        }
        return std::move(m_members);
    }

private:
    std::int32_t rankAt(std::int32_t position) const
    {
        if (!m_layout->list.empty())
            return m_layout->list[static_cast<std::size_t>(position)];
        std::int64_t rank = m_layout->base;
        for (std::size_t a = 0; a < m_layout->extents.size(); ++a) {
            rank += position % m_layout->extents[a] * m_layout->strides[a];
            position /= m_layout->extents[a];
        }
        return static_cast<std::int32_t>(rank);
    }

    OracleMember& memberAt(std::int32_t position) { return m_members.all[static_cast<std::size_t>(m_members.of(m_index, rankAt(position)))]; }

    int addMessage(std::int32_t from, std::int32_t to, std::int32_t chunk, std::int32_t phase, std::int32_t step, std::int32_t slot, std::int64_t bytes)
    {
        const int id = static_cast<int>(m_network.messages.size());
        OracleMessage message;
        message.record = {m_index, rankAt(from), rankAt(to), chunk, phase, step, slot, bytes, 0, 0, 0};
        message.key = {m_instance->priority, m_structure.placement.jobOf(rankAt(from)), m_instance->sequence, chunk, phase, step, slot};
        message.stream = m_instance->stream;
        m_network.messages.push_back(std::move(message));
        m_members.ends[id] = {m_members.of(m_index, rankAt(from)), m_members.of(m_index, rankAt(to))};
        return id;
    }

    void expandTemplate(const TemplateBody& body)
    {
        const Program& program = *m_instance->program;
        const auto coordinatesOf = [&](std::int32_t position) {
            std::vector<std::int32_t> coordinates;
            for (const std::int32_t extent : body.axes) {
                coordinates.push_back(position % extent);
                position /= extent;
            }
            return coordinates;
        };
        const auto turns = program.window > 0 ? oracleTurns(program) : decltype(oracleTurns(program)){};
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
            const std::int64_t chunkBytes = body.chunkWeights.empty() ? evenShare(m_instance->bytes, program.chunks, chunk)
                                                                      : weightedShare(m_instance->bytes, body.chunkWeights, static_cast<std::size_t>(chunk));
            const TemplateBody ownOrder = orderedBody(body, static_cast<std::size_t>(chunk));
            for (std::size_t p = 0; p < ownOrder.phases.size(); ++p) {
                OracleCell cell;
                cell.phase = static_cast<std::int32_t>(p);
                cell.chunk = chunk;
                cell.empty = chunkBytes == 0;
                if (!turns.empty())
                    cell.turn = turns.at({chunk, cell.phase});
                for (std::int32_t position = 0; position < program.ranks; ++position)
                    memberAt(position).cells.push_back(cell);
                const auto axis = static_cast<std::size_t>(ownOrder.phases[p].axis);
                std::int32_t stride = 1;
                for (std::size_t a = 0; a < axis; ++a)
                    stride *= body.axes[a];
                for (std::int32_t origin = 0; origin < program.ranks; ++origin)
                    if (coordinatesOf(origin)[axis] == 0)
                        expandLine(ownOrder.phases[p], body.axes[axis], expandHeld(ownOrder, p, chunkBytes, coordinatesOf(origin)), origin, stride, cell);
            }
        }
    }

    /// A body in which all chunks go through the dimensions as this one does.
    static TemplateBody orderedBody(const TemplateBody& body, std::size_t chunk)
    {
        TemplateBody own;
        own.axes = body.axes;
        const int order = body.orderOfChunk.empty() ? 0 : body.orderOfChunk[chunk];
        own.phases = order == 0 ? body.phases : body.orders[static_cast<std::size_t>(order) - 1];
        return own;
    }

    /// What lies between the floors of the parts up to the chunk before and up to this one.
    static std::int64_t weightedShare(std::int64_t bytes, const std::vector<std::int64_t>& weights, std::size_t chunk)
    {
        __extension__ using Wide = __int128;
        Wide all = 0;
        Wide before = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            all += weights[i];
            before += i < chunk ? weights[i] : 0;
        }
        return static_cast<std::int64_t>(bytes * (before + weights[chunk]) / all - bytes * before / all);
    }

    /// One phase of one chunk along one line of positions origin, origin + stride, ...
    void expandLine(const PhaseTemplate& phase, std::int32_t extent, std::int64_t held, std::int32_t origin, std::int32_t stride, const OracleCell& cell)
    {
        const auto list = expandPhase(phase, extent, held);
        std::vector<int> ids;
        for (const PhaseMessage& each : list)
            ids.push_back(each.bytes == 0 ? -1
                                          : addMessage(origin + each.from * stride, origin + each.to * stride, cell.chunk, cell.phase, each.step, each.slot, each.bytes));
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (ids[i] < 0)
                continue;
            OracleMember& receiver = memberAt(origin + list[i].to * stride);
            OracleMessage& message = m_network.messages[static_cast<std::size_t>(ids[i])];
            message.reduces = list[i].reduces;
            message.k = list[i].k;
            receiver.cells.back().receives.push_back(ids[i]);
            OracleMember& sender = memberAt(origin + list[i].from * stride);
            OracleSend send;
            send.message = ids[i];
            send.cell = sender.cells.size() - 1;
            send.needsOwn = list[i].needsOwn;
            for (const std::size_t other : list[i].needsDone)
                if (ids[other] >= 0)
                    send.needsDone.push_back(ids[other]);
            for (const std::size_t other : list[i].needsLeft)
                if (ids[other] >= 0)
                    send.needsLeft.push_back(ids[other]);
            sender.sends.push_back(std::move(send));
        }
    }

    void expandOps(const ExplicitBody& body)
    {
        using Connection = std::tuple<std::int32_t, std::int32_t, std::int32_t>; // source, target, connection
        std::map<Connection, std::vector<int>> sent;
        std::map<Connection, std::size_t> received;
        const auto perOp = [&](const auto& what) {
            for (std::int32_t position = 0; position < m_instance->program->ranks; ++position)
                for (std::uint32_t op = body.rankBegin[static_cast<std::size_t>(position)]; op < body.rankBegin[static_cast<std::size_t>(position) + 1]; ++op)
                    what(position, op, static_cast<std::size_t>(op - body.rankBegin[static_cast<std::size_t>(position)]));
        };
        perOp([&](std::int32_t position, std::uint32_t i, std::size_t) {
            OracleOp op;
            op.kind = body.kind[i];
            op.duration = body.durationOf(i);
            if (op.kind == OpKind::Send) {
                const std::int64_t bytes = sizeOf(body, i);
                if (bytes > 0) {
                    op.message = addMessage(position, body.peer[i], std::max(body.chunk[i], 0), 0, body.step[i], body.slotOf(i), bytes);
                    if (body.routeOf(i) >= 0)
                        m_network.messages.back().route = body.routes[static_cast<std::size_t>(body.routeOf(i))];
                }
                sent[{position, body.peer[i], body.connection[i]}].push_back(op.message);
            }
            OracleMember& member = memberAt(position);
            for (std::uint32_t d = body.dependBegin[i]; d < body.dependBegin[i + 1]; ++d)
                op.depends.push_back(body.depends[d] - body.rankBegin[static_cast<std::size_t>(position)]);
            for (std::uint32_t before = i; body.lane[i] >= 0 && before-- > body.rankBegin[static_cast<std::size_t>(position)];) {
                if (body.lane[before] == body.lane[i]) {
                    op.depends.push_back(before - body.rankBegin[static_cast<std::size_t>(position)]);
                    break;
                }
            }
            if (body.isFused(i))
                op.depends.push_back(i - 1 - body.rankBegin[static_cast<std::size_t>(position)]);
            member.ops.push_back(std::move(op));
        });
        perOp([&](std::int32_t position, std::uint32_t i, std::size_t local) {
            if (body.kind[i] != OpKind::Receive && body.kind[i] != OpKind::ReceiveReduce)
                return;
            const Connection connection{body.peer[i], position, body.connection[i]};
            const int message = sent[connection].at(received[connection]++);
            memberAt(position).ops[local].message = message;
            if (message >= 0)
                m_network.messages[static_cast<std::size_t>(message)].reduces = body.kind[i] == OpKind::ReceiveReduce;
        });
        if (body.receiveSlots > 0)
            limitSlots(body);
    }

    /// Message k of a connection waits until the whole step that took message k - slots is finished.
    void limitSlots(const ExplicitBody& body)
    {
        const std::int32_t ranks = m_instance->program->ranks;
        for (std::int32_t source = 0; source < ranks; ++source) {
            for (std::uint32_t send = body.rankBegin[static_cast<std::size_t>(source)]; send < body.rankBegin[static_cast<std::size_t>(source) + 1]; ++send) {
                if (body.kind[send] != OpKind::Send)
                    continue;
                std::int32_t number = 0;
                for (std::uint32_t before = body.rankBegin[static_cast<std::size_t>(source)]; before < send; ++before)
                    number += body.kind[before] == OpKind::Send && body.peer[before] == body.peer[send] && body.connection[before] == body.connection[send];
                const std::int32_t target = body.peer[send];
                const std::uint32_t end = body.rankBegin[static_cast<std::size_t>(target) + 1];
                std::int32_t wanted = number - body.receiveSlots;
                for (std::uint32_t receive = body.rankBegin[static_cast<std::size_t>(target)]; wanted >= 0 && receive < end; ++receive) {
                    const bool receives = body.kind[receive] == OpKind::Receive || body.kind[receive] == OpKind::ReceiveReduce;
                    if (!receives || body.peer[receive] != source || body.connection[receive] != body.connection[send] || wanted-- > 0)
                        continue;
                    std::uint32_t last = receive;
                    while (last + 1 < end && body.isFused(last + 1))
                        ++last;
                    OracleOp& op = memberAt(source).ops[send - body.rankBegin[static_cast<std::size_t>(source)]];
                    op.slotMember = m_members.of(m_index, rankAt(target));
                    op.slotOp = last - body.rankBegin[static_cast<std::size_t>(target)];
                    op.slotReturn = m_network.emptyLatency(rankAt(target), rankAt(source));
                }
            }
        }
    }

    std::int64_t sizeOf(const ExplicitBody& body, std::uint32_t op) const
    {
        if (body.bytesOf(op) >= 0)
            return body.bytesOf(op);
        std::int64_t bytes = 0;
        for (std::int32_t c = 0; c < body.count[op]; ++c) {
            const std::int32_t chunk = (body.chunk[op] + c) % m_instance->program->chunks;
            bytes += body.chunkWeights.empty() ? evenShare(m_instance->bytes, m_instance->program->chunks, chunk)
                                               : weightedShare(m_instance->bytes, body.chunkWeights, static_cast<std::size_t>(chunk));
        }
        return bytes;
    }

    const Structure& m_structure;
    OracleNetwork& m_network;
    OracleMembers m_members;
    int m_index = 0;
    const CollectiveInstance* m_instance = nullptr;
    const GroupLayout* m_layout = nullptr;
};

} // namespace

int OracleMembers::of(int instance, std::int32_t rank)
{
    const auto [at, isNew] = index.try_emplace({instance, rank}, static_cast<int>(all.size()));
    if (isNew) {
        OracleMember member;
        member.instance = instance;
        member.rank = rank;
        all.push_back(std::move(member));
    }
    return at->second;
}

OracleMembers expandInstances(const Structure& structure, OracleNetwork& network)
{
    return Expansion(structure, network).run();
}

} // namespace fabricscope::test
