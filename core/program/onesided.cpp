#include "core/program/onesided.h"

#include "core/base/stop.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace fabricscope {

namespace {

/// A signal adds to a word of 64 bits at the peer.
constexpr std::int64_t kSemaphoreBytes = 8;

/// (source, target, connection).
using Connection = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

/// What a Signal tells of: Puts [begin, end) of the list of its connection.
struct Batch {
    std::uint32_t signal = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct Traffic {
    std::vector<std::uint32_t> puts;
    std::vector<Batch> batches;
    std::vector<std::uint32_t> waits;
};

/// A batch of a connection.
struct Told {
    const Traffic* traffic = nullptr;
    std::size_t batch = 0;

    const Batch& range() const { return traffic->batches[batch]; }
    bool bare() const { return range().begin == range().end; }
};

class TwoSided {
public:
    TwoSided(const Program& program, BareSignals bare, const std::stop_token& stop)
        : m_stop(stop)
        , m_in(program.asExplicit())
        , m_bare(bare)
    {
    }

    Result<ExplicitBody> run();

private:
    Status collect();
    void findLaneOrder();
    bool tellsMore(std::uint32_t signal) const;
    std::uint32_t rowsOf(std::uint32_t op) const;
    Status order();
    void findDependencies();
    void foldInto(std::uint32_t op, std::map<std::int32_t, std::uint32_t>& latest, std::vector<std::uint32_t>& needs) const;
    void addRows(std::uint32_t op);
    void copyRow(std::uint32_t op);
    void addReceive(std::uint32_t put, std::uint32_t wait, std::int32_t from);
    void addBare(std::uint32_t op, OpKind kind);
    std::string where(std::uint32_t op) const;
    std::int32_t rankOf(std::uint32_t op) const
    {
        return static_cast<std::int32_t>(std::upper_bound(m_in.rankBegin.begin(), m_in.rankBegin.end(), op) - m_in.rankBegin.begin() - 1);
    }

    static constexpr std::uint32_t kNone = UINT32_MAX;

    const std::stop_token& m_stop;
    const ExplicitBody& m_in;
    BareSignals m_bare;
    ExplicitBody m_out;
    std::map<Connection, Traffic> m_traffic;
    std::map<std::uint32_t, Told> m_pair;          ///< By Signal and by Wait.
    std::vector<std::uint32_t> m_previous;         ///< In the lane; kNone: none.
    std::vector<std::uint32_t> m_order;            ///< All operations, each behind what it waits for.
    std::vector<std::uint32_t> m_row;              ///< By operation: its first new row.
    std::vector<std::int32_t> m_rowLane;           ///< By new row.
    std::vector<std::uint8_t> m_more;              ///< By operation: a Signal that tells of more than its Puts.
    std::vector<std::vector<std::uint32_t>> m_needs; ///< By operation: rows its own rows wait for, besides the lane.
    std::vector<std::vector<std::uint32_t>> m_ends;  ///< By operation: rows after which it is done.
};

std::string TwoSided::where(std::uint32_t op) const
{
    const auto rank = std::upper_bound(m_in.rankBegin.begin(), m_in.rankBegin.end(), op) - m_in.rankBegin.begin() - 1;
    return "operation " + std::to_string(op - m_in.rankBegin[static_cast<std::size_t>(rank)]) + " of rank " + std::to_string(rank);
}

Status TwoSided::collect()
{
    for (std::int32_t rank = 0; rank < m_in.rankCount(); ++rank) {
        for (std::uint32_t op = m_in.rankBegin[static_cast<std::size_t>(rank)]; op < m_in.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            checkStop(m_stop);
            const OpKind kind = m_in.kind[op];
            if (kind != OpKind::Put && kind != OpKind::Signal && kind != OpKind::Wait)
                continue;
            Traffic& traffic = m_traffic[kind == OpKind::Wait ? Connection{m_in.peer[op], rank, m_in.connection[op]} : Connection{rank, m_in.peer[op], m_in.connection[op]}];
            if (kind == OpKind::Put)
                traffic.puts.push_back(op);
            else if (kind == OpKind::Wait)
                traffic.waits.push_back(op);
            else
                traffic.batches.push_back({op, traffic.batches.empty() ? 0 : traffic.batches.back().end, traffic.puts.size()});
        }
    }
    for (const auto& [connection, traffic] : m_traffic) {
        const std::string between = " from rank " + std::to_string(std::get<0>(connection)) + " to rank " + std::to_string(std::get<1>(connection)) + " on connection "
            + std::to_string(std::get<2>(connection));
        const std::size_t told = traffic.batches.empty() ? 0 : traffic.batches.back().end;
        if (told < traffic.puts.size())
            return invalidInput("no signal tells of the put of " + where(traffic.puts[told]) + between);
        if (traffic.batches.size() != traffic.waits.size())
            return invalidInput(std::to_string(traffic.batches.size()) + " signals" + between + " meet " + std::to_string(traffic.waits.size()) + " waits");
        for (std::size_t k = 0; k < traffic.waits.size(); ++k) {
            checkStop(m_stop);
            m_pair[traffic.waits[k]] = {&traffic, k};
            m_pair[traffic.batches[k].signal] = {&traffic, k};
        }
    }
    return {};
}

/// The columns that may be empty stay empty.
void TwoSided::copyRow(std::uint32_t op)
{
    const auto copy = [op](auto& to, const auto& from) {
        if (!from.empty())
            to.push_back(from[op]);
    };
    copy(m_out.kind, m_in.kind);
    copy(m_out.peer, m_in.peer);
    copy(m_out.connection, m_in.connection);
    copy(m_out.lane, m_in.lane);
    copy(m_out.chunk, m_in.chunk);
    copy(m_out.count, m_in.count);
    copy(m_out.bytes, m_in.bytes);
    copy(m_out.duration, m_in.duration);
    copy(m_out.sourceBuffer, m_in.sourceBuffer);
    copy(m_out.targetBuffer, m_in.targetBuffer);
    copy(m_out.sourceOffset, m_in.sourceOffset);
    copy(m_out.targetOffset, m_in.targetOffset);
    copy(m_out.step, m_in.step);
    copy(m_out.slot, m_in.slot);
    copy(m_out.sourceId, m_in.sourceId);
    copy(m_out.fused, m_in.fused);
    copy(m_out.tags, m_in.tags);
    copy(m_out.startPs, m_in.startPs);
    copy(m_out.route, m_in.route);
}

void TwoSided::addReceive(std::uint32_t put, std::uint32_t wait, std::int32_t from)
{
    copyRow(put);
    m_out.kind.back() = OpKind::Receive;
    m_out.peer.back() = from;
    m_out.lane.back() = m_in.lane[wait];
    m_out.step.back() = m_in.step[wait];
    m_out.sourceBuffer.back() = BufferKind::None;
    m_out.sourceOffset.back() = 0;
    if (!m_in.sourceId.empty())
        m_out.sourceId.back() = m_in.sourceId[wait];
    if (!m_in.fused.empty())
        m_out.fused.back() = 0;
    if (!m_in.startPs.empty())
        m_out.startPs.back() = -1;
    if (!m_in.route.empty())
        m_out.route.back() = -1;
}

void TwoSided::addBare(std::uint32_t op, OpKind kind)
{
    copyRow(op);
    m_out.kind.back() = kind;
    m_out.count.back() = 0;
    m_out.bytes.back() = kSemaphoreBytes;
    m_out.sourceBuffer.back() = m_out.targetBuffer.back() = BufferKind::None;
    m_out.sourceOffset.back() = m_out.targetOffset.back() = 0;
}

void TwoSided::findLaneOrder()
{
    m_previous.assign(m_in.size(), kNone);
    for (std::size_t rank = 0; rank + 1 < m_in.rankBegin.size(); ++rank) {
        std::map<std::int32_t, std::uint32_t> last;
        for (std::uint32_t op = m_in.rankBegin[rank]; op < m_in.rankBegin[rank + 1]; ++op) {
            checkStop(m_stop);
            if (m_in.lane[op] < 0)
                continue;
            const auto [found, first] = last.try_emplace(m_in.lane[op], op);
            if (!first)
                m_previous[op] = std::exchange(found->second, op);
        }
    }
}

/// Does the peer learn more from the signal than that the Puts are there?
bool TwoSided::tellsMore(std::uint32_t signal) const
{
    const Told& told = m_pair.at(signal);
    if (told.bare())
        return true;
    const std::uint32_t put = told.traffic->puts[told.range().end - 1];
    for (std::uint32_t at = m_previous[signal]; at != put; at = m_previous[at]) {
        if (at == kNone || m_in.kind[at] != OpKind::Signal || m_in.dependBegin[at] != m_in.dependBegin[at + 1])
            return true;
    }
    const auto begin = m_in.depends.begin() + m_in.dependBegin[signal];
    return std::any_of(begin, m_in.depends.begin() + m_in.dependBegin[signal + 1], [put](std::uint32_t other) { return other != put; });
}

std::uint32_t TwoSided::rowsOf(std::uint32_t op) const
{
    const OpKind kind = m_in.kind[op];
    if (kind != OpKind::Signal && kind != OpKind::Wait)
        return 1;
    const Told& told = m_pair.at(op);
    const std::uint32_t bare = m_bare == BareSignals::Keep && m_more[told.range().signal] != 0 ? 1 : 0;
    return bare + (kind == OpKind::Wait ? static_cast<std::uint32_t>(told.range().end - told.range().begin) : 0);
}

Status TwoSided::order()
{
    const std::uint32_t count = m_in.size();
    std::vector<std::vector<std::uint32_t>> next(count);
    std::vector<std::uint32_t> missing(count, 0);
    const auto edge = [&](std::uint32_t from, std::uint32_t to) {
        next[from].push_back(to);
        ++missing[to];
    };
    std::map<Connection, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> messages;
    for (std::uint32_t op = 0; op < count; ++op) {
        checkStop(m_stop);
        if (m_previous[op] != kNone)
            edge(m_previous[op], op);
        for (std::uint32_t at = m_in.dependBegin[op]; at < m_in.dependBegin[op + 1]; ++at)
            edge(m_in.depends[at], op);
        if (m_in.kind[op] == OpKind::Wait)
            edge(m_pair.at(op).range().signal, op);
        else if (m_in.kind[op] == OpKind::Send)
            messages[{rankOf(op), m_in.peer[op], m_in.connection[op]}].first.push_back(op);
        else if (receives(m_in.kind[op]))
            messages[{m_in.peer[op], rankOf(op), m_in.connection[op]}].second.push_back(op);
    }
    for (const auto& [connection, sides] : messages) {
        for (std::size_t k = 0; k < std::min(sides.first.size(), sides.second.size()); ++k)
            edge(sides.first[k], sides.second[k]);
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t op = 0; op < count; ++op) {
        if (missing[op] == 0)
            ready.push(op);
    }
    while (!ready.empty()) {
        checkStop(m_stop);
        const std::uint32_t op = ready.top();
        ready.pop();
        m_order.push_back(op);
        for (const std::uint32_t later : next[op]) {
            if (--missing[later] == 0)
                ready.push(later);
        }
    }
    if (m_order.size() == count)
        return {};
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::uint32_t left) { return left > 0; }) - missing.begin();
    return invalidInput("operations wait for each other in a ring; one of those that never start is " + where(static_cast<std::uint32_t>(stuck)));
}

/// What a wait hands on to its rank when no message does: everything the rank has done before it.
void TwoSided::foldInto(std::uint32_t op, std::map<std::int32_t, std::uint32_t>& latest, std::vector<std::uint32_t>& needs) const
{
    if (m_in.kind[op] == OpKind::Wait || receives(m_in.kind[op])) {
        for (const auto& [lane, other] : latest) {
            if (lane != m_in.lane[op])
                needs.insert(needs.end(), m_ends[other].begin(), m_ends[other].end());
        }
    }
    latest[m_in.lane[op]] = op;
}

void TwoSided::findDependencies()
{
    m_needs.resize(m_in.size());
    m_ends.resize(m_in.size());
    std::vector<std::map<std::int32_t, std::uint32_t>> latest(static_cast<std::size_t>(m_in.rankCount()));
    for (const std::uint32_t op : m_order) {
        checkStop(m_stop);
        std::vector<std::uint32_t>& needs = m_needs[op];
        for (std::uint32_t at = m_in.dependBegin[op]; at < m_in.dependBegin[op + 1]; ++at) {
            const std::vector<std::uint32_t>& ends = m_ends[m_in.depends[at]];
            needs.insert(needs.end(), ends.begin(), ends.end());
        }
        if (m_bare == BareSignals::Fold)
            foldInto(op, latest[static_cast<std::size_t>(rankOf(op))], needs);
        // An operation without a row passes on what it waited for.
        const std::uint32_t previous = m_previous[op];
        if (previous != kNone && rowsOf(previous) == 0)
            needs.insert(needs.end(), m_ends[previous].begin(), m_ends[previous].end());
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());

        const std::uint32_t rows = rowsOf(op);
        std::vector<std::uint32_t>& ends = m_ends[op];
        if (rows == 0) {
            ends = needs;
            if (previous != kNone)
                ends.insert(ends.end(), m_ends[previous].begin(), m_ends[previous].end());
        } else if (m_in.lane[op] >= 0) {
            ends.push_back(m_row[op] + rows - 1);
        } else {
            for (std::uint32_t row = 0; row < rows; ++row)
                ends.push_back(m_row[op] + row);
        }
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
}

void TwoSided::addRows(std::uint32_t op)
{
    checkStop(m_stop);
    const OpKind kind = m_in.kind[op];
    if (kind == OpKind::Put) {
        copyRow(op);
        m_out.kind.back() = OpKind::Send;
        m_out.targetBuffer.back() = BufferKind::None;
        m_out.targetOffset.back() = 0;
    } else if (kind == OpKind::Signal || kind == OpKind::Wait) {
        const Told& told = m_pair.at(op);
        if (kind == OpKind::Wait) {
            for (std::size_t put = told.range().begin; put < told.range().end; ++put)
                addReceive(told.traffic->puts[put], op, m_in.peer[op]);
        }
        if (m_bare == BareSignals::Keep && m_more[told.range().signal] != 0)
            addBare(op, kind == OpKind::Signal ? OpKind::Send : OpKind::Receive);
    } else {
        copyRow(op);
    }
    for (std::uint32_t row = m_row[op]; row < m_out.size(); ++row) {
        if (row == m_row[op] || m_in.lane[op] < 0) {
            for (const std::uint32_t need : m_needs[op]) {
                const bool sameLane = m_out.lane[row] >= 0 && need < row && m_rowLane[need] == m_out.lane[row];
                if (!sameLane)
                    m_out.depends.push_back(need);
            }
        }
        m_out.dependBegin.push_back(static_cast<std::uint32_t>(m_out.depends.size()));
    }
}

Result<ExplicitBody> TwoSided::run()
{
    if (Status status = collect(); !status)
        return std::move(status).error();
    findLaneOrder();
    if (m_bare == BareSignals::Fold) {
        const auto free = std::find_if(m_in.lane.begin(), m_in.lane.end(), [](std::int32_t lane) { return lane < 0; });
        if (free != m_in.lane.end())
            return Error{ErrorCode::Unsupported, "signals without data cannot be left out: " + where(static_cast<std::uint32_t>(free - m_in.lane.begin())) + " has no lane", {}, {}};
    }
    m_more.assign(m_in.size(), 0);
    for (std::uint32_t op = 0; op < m_in.size(); ++op) {
        checkStop(m_stop);
        m_more[op] = m_in.kind[op] == OpKind::Signal && tellsMore(op) ? 1 : 0;
    }
    if (Status status = order(); !status)
        return std::move(status).error();

    m_out.receiveSlots = m_in.receiveSlots;
    m_out.routes = m_in.routes;
    m_out.chunkWeights = m_in.chunkWeights;
    m_out.buffers = m_in.buffers;
    m_out.teams = m_in.teams;
    std::uint32_t row = 0;
    for (std::uint32_t op = 0; op < m_in.size(); ++op) {
        checkStop(m_stop);
        m_row.push_back(row);
        row += rowsOf(op);
        m_rowLane.resize(row, m_in.lane[op]);
    }
    findDependencies();
    m_out.rankBegin.push_back(0);
    m_out.dependBegin.push_back(0);
    for (std::size_t rank = 0; rank + 1 < m_in.rankBegin.size(); ++rank) {
        for (std::uint32_t op = m_in.rankBegin[rank]; op < m_in.rankBegin[rank + 1]; ++op)
            addRows(op);
        m_out.rankBegin.push_back(m_out.size());
    }
    return std::move(m_out);
}

} // namespace

bool isOneSided(const Program& program)
{
    if (program.isTemplate())
        return false;
    const std::vector<OpKind>& kinds = program.asExplicit().kind;
    return std::any_of(kinds.begin(), kinds.end(), [](OpKind kind) { return kind == OpKind::Put || kind == OpKind::Signal || kind == OpKind::Wait; });
}

Result<ProgramPtr> toTwoSided(const ProgramPtr& program, BareSignals bare, const std::stop_token& stop)
{
    if (!isOneSided(*program))
        return program;
    Program filled = *program;
    if (std::get<1>(filled.body).bytes.empty())
        std::get<1>(filled.body).bytes.assign(std::get<1>(filled.body).size(), -1);
    auto body = untilStopped([&] { return TwoSided(filled, bare, stop).run(); });
    if (!body)
        return std::move(body).error();
    if (std::all_of(body.value().bytes.begin(), body.value().bytes.end(), [](std::int64_t bytes) { return bytes < 0; }))
        body.value().bytes.clear();
    filled.body = std::move(body).value();
    return ProgramPtr(std::make_shared<const Program>(std::move(filled)));
}

} // namespace fabricscope
