#include "core/programio/mscclpplowering.h"

#include <algorithm>

namespace fabricscope {

/// Is a row of a rank over before another begins, by thread blocks and dependencies of the rank? \pre first < second.
bool MscclppLowering::comesBefore(std::int32_t rank, std::uint32_t first, std::uint32_t second)
{
    if (!look(second - first + 1))
        return false;
    const std::vector<Row>& all = rows(rank);
    std::vector<std::uint8_t> seen(second - first + 1, 0);
    std::vector<std::uint32_t> stack{second};
    // The rows of a thread block are found by going back over all of them.
    while (!stack.empty()) {
        const std::uint32_t at = stack.back();
        stack.pop_back();
        if (at == first)
            return true;
        const auto visit = [&](std::uint32_t earlier) {
            if (earlier >= first && seen[earlier - first] == 0) {
                seen[earlier - first] = 1;
                stack.push_back(earlier);
            }
        };
        for (const std::uint32_t earlier : all[at].after)
            visit(earlier);
        for (std::uint32_t earlier = at; earlier-- > first;) {
            if (!look(1))
                return false;
            if (all[earlier].row.lane == all[at].row.lane) {
                visit(earlier);
                break;
            }
        }
    }
    return false;
}

/// Several thread blocks of a rank on one end of a channel are well where their operations are in an order.
bool MscclppLowering::isOrdered(std::int32_t rank, const std::vector<std::uint32_t>& ends, const char* what)
{
    for (std::size_t i = 1; i < ends.size(); ++i) {
        const Row& first = rows(rank)[ends[i - 1]];
        const Row& second = rows(rank)[ends[i]];
        if (first.row.lane == second.row.lane || comesBefore(rank, ends[i - 1], ends[i]))
            continue;
        refuse(ErrorCode::Unsupported, rank, second.block, gpu(rank).blocks[second.block].ops[second.op],
               "thread blocks " + std::to_string(first.row.lane) + " and " + std::to_string(second.row.lane) + ' ' + what + " on one channel in no order", "a barrier or a semaphore between them");
        return false;
    }
    return true;
}

/// The k-th signal of a channel is the one of its k-th wait. Signals of one thread block for one other are a connection.
void MscclppLowering::joinStreams()
{
    for (auto& [stream, ends] : m_streams) {
        const auto [source, target, kind, team, number] = stream;
        if (!isOrdered(source, ends.signals, "signal") || !isOrdered(target, ends.waits, "wait"))
            return;
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> byLanes;
        const std::int32_t usual = 2 * number + (kind == PlanChannelKind::Port ? 1 : 0);
        const auto connectionOf = [&, source = source, target = target, kind = kind](std::int32_t from, std::int32_t to) { // clang 14 captures no bindings
            const auto [found, fresh] = byLanes.try_emplace({from, to}, usual);
            if (fresh && (byLanes.size() > 1 || kind == PlanChannelKind::Switch))
                found->second = m_firstFree + m_freeConnection[{std::min(source, target), std::max(source, target)}]++;
            return found->second;
        };
        for (std::size_t i = 0; good() && i < std::max(ends.signals.size(), ends.waits.size()); ++i) {
            Row* const signal = i < ends.signals.size() ? &rows(source)[ends.signals[i]] : nullptr;
            Row* const wait = i < ends.waits.size() ? &rows(target)[ends.waits[i]] : nullptr;
            // One without the other keeps the number of the channel, for the verifier to name.
            const std::int32_t connection = signal && wait ? connectionOf(signal->row.lane, wait->row.lane) : usual;
            if (signal)
                signal->row.connection = connection;
            if (wait)
                wait->row.connection = connection;
        }
    }
    joinMembers();
    for (std::vector<Row>& all : m_rows) {
        for (Row& row : all) {
            if (row.signal != kNone)
                row.row.connection = all[row.signal].row.connection;
        }
    }
}

/// What a switch stores is told of by signals on the connection of the store, the same to all members. Where theirs have different numbers, they get
/// a new one together.
void MscclppLowering::joinMembers()
{
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>; // (source, target, connection)
    std::map<Key, std::size_t> numberOf;
    std::vector<std::size_t> parent; // Classes of connections that must have one number.
    std::vector<Key> keys;
    const auto root = [&](std::size_t at) {
        while (parent[at] != at)
            at = parent[at] = parent[parent[at]];
        return at;
    };
    const auto indexOf = [&](const Key& key) {
        const auto [found, fresh] = numberOf.try_emplace(key, keys.size());
        if (fresh) {
            keys.push_back(key);
            parent.push_back(parent.size());
        }
        return found->second;
    };
    const auto keyOf = [](const ProgramBuilder::Row& row) { return row.kind == OpKind::Wait ? Key{row.peer, row.rank, row.connection} : Key{row.rank, row.peer, row.connection}; };
    for (const std::vector<Row>& all : m_rows) {
        for (const Row& row : all) {
            checkStop(m_stop);
            for (std::size_t i = 1; i < row.told.size(); ++i) {
                const std::size_t first = root(indexOf(keyOf(all[row.told[0]].row)));
                const std::size_t other = root(indexOf(keyOf(all[row.told[i]].row)));
                parent[std::max(first, other)] = std::min(first, other);
            }
        }
    }
    std::int32_t free = m_firstFree; // Above all there are.
    for (const auto& entry : m_freeConnection)
        free = std::max(free, m_firstFree + entry.second);
    std::map<std::size_t, std::int32_t> fresh; // By root: the new number, where there are several.
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (std::get<2>(keys[i]) != std::get<2>(keys[root(i)]) && fresh.try_emplace(root(i), free).second)
            ++free;
    }
    const auto rename = [&](ProgramBuilder::Row& row) {
        if (row.kind != OpKind::Signal && row.kind != OpKind::Wait)
            return;
        if (const auto found = numberOf.find(keyOf(row)); found != numberOf.end() && fresh.contains(root(found->second)))
            row.connection = fresh.at(root(found->second));
    };
    for (std::vector<Row>& all : m_rows) {
        for (Row& row : all) {
            checkStop(m_stop);
            rename(row.row);
        }
    }
    for (std::vector<Row>& all : m_rows) {
        for (Row& row : all) {
            if (!row.told.empty())
                row.row.connection = all[row.told[0]].row.connection;
        }
    }
}

/// Goes back over what a rank did, and gives every Put the next signal to its peer that surely comes after it.
void MscclppLowering::findSignals(std::int32_t rank, const std::vector<Step>& steps)
{
    using Next = std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t>; // By peer and port channel (-1: whatever channel): row of the signal.
    std::vector<Row>& all = rows(rank);
    std::vector<Next> lanes(m_lanes.size());
    std::vector<Next> released(m_releaseCount);
    const auto join = [this](Next& to, const Next& from) {
        for (const auto& [whom, signal] : from) {
            const auto found = to.try_emplace(whom, signal).first;
            found->second = std::min(found->second, signal);
        }
        look(static_cast<std::int64_t>(from.size()));
    };
    for (auto step = steps.rbegin(); step != steps.rend() && good(); ++step) {
        Next& lane = lanes[step->lane];
        switch (step->kind) {
        case Step::Kind::Row: {
            Row& row = all[step->what];
            const std::pair<std::int32_t, std::int32_t> whom{row.row.peer, row.port};
            if (row.tells) {
                lane[whom] = step->what;
                lane[{row.row.peer, -1}] = step->what;
            } else if (const auto found = row.seeks ? lane.find(whom) : lane.end(); found != lane.end()) {
                row.signal = found->second;
            } else if (row.row.kind == OpKind::SwitchMulticast && row.told.empty()) {
                const std::vector<std::int32_t>& team = m_plan.teams[static_cast<std::size_t>(row.row.peer)];
                look(static_cast<std::int64_t>(team.size()));
                for (const std::int32_t member : team) {
                    if (const auto next = lane.find({member, -1}); next != lane.end() && member != rank)
                        row.told.push_back(next->second);
                }
            }
            break;
        }
        case Step::Kind::Barrier: {
            Next joined;
            for (const std::uint32_t member : m_meetings[step->what])
                join(joined, lanes[member]);
            for (const std::uint32_t member : m_meetings[step->what]) {
                lanes[member] = joined;
                look(static_cast<std::int64_t>(joined.size()));
            }
            break;
        }
        case Step::Kind::Acquire:
            join(released[step->what], lane);
            break;
        case Step::Kind::Release:
            join(lane, released[step->what]);
            break;
        }
    }
}

} // namespace fabricscope
