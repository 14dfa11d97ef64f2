#include "core/draw/programcolumns.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fabricscope {

namespace {

using Columns = ProgramColumns;

std::vector<std::int32_t> ranksOf(const ExplicitBody& body)
{
    std::vector<std::int32_t> out(body.size());
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank)
        std::fill(out.begin() + body.rankBegin[static_cast<std::size_t>(rank)], out.begin() + body.rankBegin[static_cast<std::size_t>(rank) + 1], rank);
    return out;
}

std::vector<std::uint32_t> partners(const ExplicitBody& body, const std::vector<std::int32_t>& ranks)
{
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receipts;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] == OpKind::Send)
            sends.push_back(op);
        else if (receives(body.kind[op]))
            receipts.push_back(op);
    }
    const auto sendKey = [&](std::uint32_t op) { return std::tuple(ranks[op], body.peer[op], body.connection[op]); };
    const auto receiveKey = [&](std::uint32_t op) { return std::tuple(body.peer[op], ranks[op], body.connection[op]); };
    std::stable_sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) { return sendKey(a) < sendKey(b); });
    std::stable_sort(receipts.begin(), receipts.end(), [&](std::uint32_t a, std::uint32_t b) { return receiveKey(a) < receiveKey(b); });
    std::vector<std::uint32_t> out(body.size(), Columns::kNone);
    for (std::size_t s = 0, r = 0; s < sends.size() && r < receipts.size();) {
        if (sendKey(sends[s]) < receiveKey(receipts[r])) {
            ++s;
        } else if (receiveKey(receipts[r]) < sendKey(sends[s])) {
            ++r;
        } else {
            out[sends[s]] = receipts[r];
            out[receipts[r]] = sends[s];
            ++s;
            ++r;
        }
    }
    return out;
}

/// Do the program's own steps make a picture in which nothing points backwards?
bool stepsAreColumns(const ExplicitBody& body, const std::vector<std::uint32_t>& partner)
{
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.step[op] < 0 || (partner[op] != Columns::kNone && body.step[partner[op]] != body.step[op]))
            return false;
        for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i) {
            if (body.step[body.depends[i]] > body.step[op])
                return false;
        }
    }
    return true;
}

/// The operation before each in its lane.
std::vector<std::uint32_t> laneBefore(const ExplicitBody& body)
{
    std::vector<std::uint32_t> out(body.size(), Columns::kNone);
    std::vector<std::pair<std::int32_t, std::uint32_t>> last;
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        last.clear();
        for (std::uint32_t op = body.rankBegin[static_cast<std::size_t>(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            if (body.lane[op] >= 0)
                last.emplace_back(body.lane[op], op);
        }
        std::sort(last.begin(), last.end());
        for (std::size_t i = 1; i < last.size(); ++i) {
            if (last[i].first == last[i - 1].first)
                out[last[i].second] = last[i - 1].second;
        }
    }
    return out;
}

/// Goes over the operations in an order in which nothing comes before what it waits for.
void placeByOrder(const ExplicitBody& body, Columns& out)
{
    const std::vector<std::uint32_t> before = laneBefore(body);
    std::vector<std::uint32_t> waits(body.size(), 0);
    std::vector<std::uint32_t> followBegin(body.size() + 1, 0);
    const auto eachWait = [&](std::uint32_t op, const auto& take) {
        for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
            take(body.depends[i]);
        if (before[op] != Columns::kNone)
            take(before[op]);
        if (receives(body.kind[op]) && out.partner[op] != Columns::kNone)
            take(out.partner[op]);
    };
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        eachWait(op, [&](std::uint32_t earlier) {
            ++followBegin[earlier + 1];
            ++waits[op];
        });
    }
    std::partial_sum(followBegin.begin(), followBegin.end(), followBegin.begin());
    std::vector<std::uint32_t> follows(followBegin.back());
    std::vector<std::uint32_t> next(followBegin.begin(), followBegin.end() - 1);
    for (std::uint32_t op = 0; op < body.size(); ++op)
        eachWait(op, [&](std::uint32_t earlier) { follows[next[earlier]++] = op; });

    std::vector<std::uint32_t> ready;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (waits[op] == 0 && !(receives(body.kind[op]) && out.partner[op] == Columns::kNone))
            ready.push_back(op);
    }
    std::vector<std::uint8_t> done(body.size(), 0);
    for (std::size_t at = 0; at < ready.size(); ++at) {
        const std::uint32_t op = ready[at];
        done[op] = 1;
        for (std::uint32_t i = followBegin[op]; i < followBegin[op + 1]; ++i) {
            const std::uint32_t later = follows[i];
            // What comes after a message or a put stands a column further, except the other end of the message itself.
            const bool moves = body.kind[op] == OpKind::Send || receives(body.kind[op]) || body.kind[op] == OpKind::Put;
            out.column[later] = std::max(out.column[later], out.column[op] + (moves && out.partner[op] != later ? 1 : 0));
            if (--waits[later] == 0)
                ready.push_back(later);
        }
    }
    std::int32_t last = 0;
    for (const std::uint32_t op : ready)
        last = std::max(last, out.column[op]);
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (!done[op]) {
            out.column[op] = last + 1;
            ++out.stuck;
        }
    }
}

} // namespace

ProgramColumns programColumns(const Program& program)
{
    const ExplicitBody& body = program.asExplicit();
    ProgramColumns out;
    out.partner = partners(body, ranksOf(body));
    out.asPlanned = stepsAreColumns(body, out.partner);
    if (out.asPlanned) {
        // Steps need not follow each other without gaps; columns do.
        std::vector<std::int32_t> steps(body.step.begin(), body.step.end());
        std::sort(steps.begin(), steps.end());
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        out.column.reserve(body.size());
        for (const std::int32_t step : body.step)
            out.column.push_back(static_cast<std::int32_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin()));
    } else {
        out.column.assign(body.size(), 0);
        placeByOrder(body, out);
        // Both ends of a message stand where the later one is.
        for (std::uint32_t op = 0; op < body.size(); ++op) {
            if (body.kind[op] == OpKind::Send && out.partner[op] != ProgramColumns::kNone)
                out.column[op] = out.column[out.partner[op]];
        }
    }
    for (const std::int32_t column : out.column)
        out.columns = std::max(out.columns, column + 1);
    return out;
}

} // namespace fabricscope
