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
        const auto connectionOf = [&](std::int32_t from, std::int32_t to) {
            const auto [found, fresh] = byLanes.try_emplace({from, to}, usual);
            if (fresh && (byLanes.size() > 1 || kind == PlanChannelKind::Switch))
                found->second = m_firstFree + m_freeConnection[{std::min(source, target), std::max(source, target)}]++;
            return found->second;
        };
        for (std::size_t i = 0; i < std::max(ends.signals.size(), ends.waits.size()); ++i) {
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
    for (std::vector<Row>& all : m_rows) {
        for (Row& row : all) {
            if (row.signal != kNone)
                row.row.connection = all[row.signal].row.connection;
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
