#include "tests/unit/support/oracles/switchmodel.h"

#include <algorithm>
#include <tuple>

namespace fabricscope::test {

namespace {

__extension__ using Wide = __int128;

std::int64_t durationOf(std::int64_t bytes, std::int64_t rate)
{
    return static_cast<std::int64_t>((Wide{bytes} * 1000000000000 + rate - 1) / rate);
}

/// Part `part` of `parts` of `bytes`.
std::int64_t partOf(std::int64_t bytes, int parts, int part)
{
    return static_cast<std::int64_t>(Wide{bytes} * (part + 1) / parts) - static_cast<std::int64_t>(Wide{bytes} * part / parts);
}

/// A sum or a copy.
struct Operation {
    int chunk = 0;
    int slot = 0;
    std::int64_t bytes = 0;
    std::int64_t ready = 0;
    std::vector<int> from;
    std::vector<int> to;
    bool reduces = false;
    bool copies = false;
    int group = 0;
    std::vector<std::int64_t> head; // by piece, at the switch
    std::vector<std::int64_t> tail;
};

struct Piece {
    std::int64_t head = 0;
    std::int64_t tail = 0;
    Operation* operation = nullptr;
    int index = 0;
};

} // namespace

SwitchModel::Answer SwitchModel::answer() const
{
    Answer result;
    result.done = entry;
    result.upBytes.assign(entry.size(), 0);
    result.downBytes.assign(entry.size(), 0);
    const auto at = [](const std::vector<std::int64_t>& list, int port) { return list[static_cast<std::size_t>(port)]; };
    const auto pieceCount = [this](std::int64_t bytes) { return ideal ? std::int64_t{1} : (bytes + pieceBytes - 1) / pieceBytes; };
    const auto share = [&](std::int64_t bytes, std::int64_t index, std::int64_t rate) {
        if (ideal)
            return durationOf(bytes, rate);
        return durationOf(std::min(bytes, (index + 1) * pieceBytes), rate) - durationOf(index * pieceBytes, rate);
    };

    std::vector<Operation> operations;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Group& group = groups[g];
        const auto n = static_cast<int>(group.members.size());
        std::int64_t last = 0;
        for (const int port : group.members)
            last = std::max(last, at(entry, port));
        for (int chunk = 0; chunk < group.chunks; ++chunk) {
            const std::int64_t held = partOf(group.bytes, group.chunks, chunk);
            const auto add = [&](int slot, std::int64_t bytes, std::int64_t start, std::vector<int> from, std::vector<int> to, bool reduces, bool copies) {
                if (bytes == 0)
                    return;
                Operation operation;
                operation.chunk = chunk;
                operation.slot = slot;
                operation.bytes = bytes;
                operation.ready = start + endpointDelay;
                operation.from = std::move(from);
                operation.to = std::move(to);
                operation.reduces = reduces;
                operation.copies = copies;
                operation.group = static_cast<int>(g);
                operation.head.assign(static_cast<std::size_t>(pieceCount(bytes)), 0);
                operation.tail = operation.head;
                operations.push_back(std::move(operation));
            };
            switch (group.op) {
            case Op::AllReduce:
                add(0, held, last, group.members, group.members, true, true);
                break;
            case Op::ReduceScatter:
                for (int r = 0; r < n; ++r)
                    add(r, partOf(held, n, r), last, group.members, {group.members[static_cast<std::size_t>(r)]}, true, false);
                break;
            case Op::AllGather:
                for (int r = 0; r < n; ++r) {
                    const int sender = group.members[static_cast<std::size_t>(r)];
                    add(r, partOf(held, n, r), at(entry, sender), {sender}, group.members, false, true);
                }
                break;
            case Op::Broadcast:
                add(0, held, at(entry, group.members.front()), {group.members.front()}, group.members, false, true);
                break;
            }
        }
    }

    for (std::size_t port = 0; port < entry.size(); ++port) {
        std::vector<Operation*> sends;
        for (Operation& operation : operations) {
            if (std::count(operation.from.begin(), operation.from.end(), static_cast<int>(port)) > 0)
                sends.push_back(&operation);
        }
        std::stable_sort(sends.begin(), sends.end(), [](const Operation* a, const Operation* b) {
            return std::tie(a->ready, a->chunk, a->slot) < std::tie(b->ready, b->chunk, b->slot);
        });
        std::int64_t free = 0;
        for (Operation* operation : sends) {
            result.upBytes[port] += operation->bytes;
            for (std::size_t j = 0; j < operation->head.size(); ++j) {
                const std::int64_t start = ideal ? operation->ready : std::max(free, operation->ready);
                free = start + share(operation->bytes, static_cast<std::int64_t>(j), upRate[port]);
                operation->head[j] = std::max(operation->head[j], start + upLatency[port]);
                operation->tail[j] = std::max(operation->tail[j], free + upLatency[port]);
                result.done[port] = std::max(result.done[port], free);
            }
        }
    }

    std::vector<Piece> pieces;
    for (Operation& operation : operations) {
        for (std::size_t j = 0; j < operation.head.size(); ++j)
            pieces.push_back({operation.head[j], operation.tail[j], &operation, static_cast<int>(j)});
    }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        return std::tuple(a.head, a.operation->chunk, a.operation->slot, a.operation->from.front(), a.operation->group, a.index)
             < std::tuple(b.head, b.operation->chunk, b.operation->slot, b.operation->from.front(), b.operation->group, b.index);
    });
    std::int64_t reducer = 0;
    std::int64_t copier = 0;
    for (Piece& piece : pieces) {
        const auto serve = [&](std::int64_t& free, std::int64_t rate) {
            free = (ideal ? piece.head : std::max(free, piece.head)) + share(piece.operation->bytes, piece.index, rate);
            piece.tail = std::max(piece.tail, free);
        };
        if (piece.operation->reduces)
            serve(reducer, reduction);
        if (piece.operation->copies && multicast > 0)
            serve(copier, multicast);
        piece.head += latency;
        piece.tail += latency;
    }

    for (std::size_t port = 0; port < entry.size(); ++port) {
        std::int64_t free = 0; // `pieces` is in the order of the heads at the down-links, ties by chunk and slot.
        for (const Piece& piece : pieces) {
            if (std::count(piece.operation->to.begin(), piece.operation->to.end(), static_cast<int>(port)) == 0)
                continue;
            free = (ideal ? piece.head : std::max(free, piece.head)) + share(piece.operation->bytes, piece.index, downRate[port]);
            result.done[port] = std::max(result.done[port], std::max(free, piece.tail) + downLatency[port]);
            result.downBytes[port] += piece.index == 0 ? piece.operation->bytes : 0;
        }
    }
    return result;
}

} // namespace fabricscope::test
