#include "core/language/scriptbuild.h"

#include "core/language/scriptlanes.h"
#include "core/program/programbuilder.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

/// Where the instances of an operation lie.
class Pieces {
public:
    explicit Pieces(const ScriptTrace& trace)
        : m_all(trace.multiplicity())
        , m_batched(trace.layout() == ScriptTrace::Layout::Batched)
        , m_chunks(trace.start().collective.chunks)
        , m_scratch(static_cast<std::size_t>(trace.start().collective.ranks), 0)
    {
        bool single = true;
        const auto look = [&](std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count) {
            if (buffer != BufferKind::Scratch)
                return;
            std::int32_t& size = m_scratch[static_cast<std::size_t>(rank)];
            size = std::max(size, index + count);
            m_mostScratch = std::max(m_mostScratch, size);
            single = single && count == 1;
        };
        for (const ScriptOperation& operation : trace.operations()) {
            look(operation.fromRank, operation.fromBuffer, operation.fromIndex, operation.count);
            look(operation.toRank, operation.toBuffer, operation.toIndex, operation.count);
            if (operation.team < 0)
                continue;
            for (const std::int32_t member : trace.teams()[static_cast<std::size_t>(operation.team)]) {
                look(member, operation.fromBuffer, operation.fromIndex, operation.count);
                look(member, operation.toBuffer, operation.toIndex, operation.count);
            }
        }
        m_scratchBatched = m_batched || (single && trace.wholeInstances() == m_all);
    }

    std::int32_t mostScratch() const { return m_mostScratch; }
    /// Chunks of one instance of `instances`.
    std::int32_t count(std::int32_t count, std::int32_t instances) const { return count * (m_all / instances); }
    std::int32_t first(std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t count_, std::int32_t instances, std::int32_t i) const
    {
        if (buffer == BufferKind::Scratch && m_scratchBatched)
            return index + i * m_scratch[static_cast<std::size_t>(rank)];
        return chunk(index, count_, instances, i);
    }
    std::int32_t chunk(std::int32_t index, std::int32_t count_, std::int32_t instances, std::int32_t i) const
    {
        return m_batched ? index + i * m_chunks : index * m_all + i * count(count_, instances);
    }
    /// Weights of the chunks' pieces.
    std::vector<std::int64_t> weights(const std::vector<std::int64_t>& chunks) const
    {
        std::vector<std::int64_t> out(chunks.size() * static_cast<std::size_t>(m_all));
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = m_batched ? chunks[i % chunks.size()] : chunks[i / static_cast<std::size_t>(m_all)];
        return out;
    }

private:
    std::int32_t m_all;
    bool m_batched;
    std::int32_t m_chunks;
    std::vector<std::int32_t> m_scratch; ///< Chunks of one instance, by rank.
    std::int32_t m_mostScratch = 0;
    bool m_scratchBatched = false;
};

/// Writes operations of a script as rows of a program.
class RowWriter {
public:
    RowWriter(ScriptTrace& trace, const Pieces& pieces, ScriptLanes& lanes, std::int32_t channels, ProgramBuilder& builder)
        : m_trace(trace)
        , m_all(trace.multiplicity())
        , m_channels(channels)
        , m_teams(trace.teams())
        , m_pieces(pieces)
        , m_lanes(lanes)
        , m_builder(builder)
    {
    }

    /// An operation, and those fused to it one by one; all have as many instances.
    Status write(std::span<const ScriptOperation> chain)
    {
        std::vector<std::pair<std::int32_t, std::int32_t>> lanes; // Of the sending and the receiving side, before instances.
        for (const ScriptOperation& operation : chain) {
            if (operation.form != ScriptForm::Transfer) {
                lanes.emplace_back(m_lanes.alone(operation), 0);
                continue;
            }
            if (operation.fused) {
                if (Status status = m_lanes.pass(operation, lanes.back().second); !status)
                    return status;
            }
            const std::int32_t sending = operation.fused ? lanes.back().second : m_lanes.sending(operation);
            lanes.emplace_back(sending, operation.fromRank == operation.toRank ? 0 : m_lanes.receiving(operation));
        }
        for (std::int32_t i = 0; i < chain.front().instances; ++i) {
            for (std::size_t k = 0; k < chain.size(); ++k) {
                if (Status status = add(chain[k], i, lanes[k].first * m_all + i, lanes[k].second * m_all + i); !status)
                    return status;
            }
        }
        return {};
    }

private:
    using Row = ProgramBuilder::Row;

    std::int32_t place(const ScriptOperation& operation, std::int32_t rank, BufferKind buffer, std::int32_t index, std::int32_t i) const
    {
        return m_pieces.first(rank, buffer, index, operation.count, operation.instances, i);
    }

    Status add(const ScriptOperation& operation, std::int32_t i, std::int32_t lane, std::int32_t receiveLane)
    {
        Row row;
        row.rank = operation.fromRank;
        row.peer = operation.toRank;
        row.connection = operation.how.channel + i * m_channels;
        row.lane = lane;
        row.chunk = m_pieces.chunk(operation.chunk, operation.count, operation.instances, i);
        row.count = m_pieces.count(operation.count, operation.instances);
        row.sourceBuffer = operation.fromBuffer;
        row.sourceOffset = place(operation, operation.fromRank, operation.fromBuffer, operation.fromIndex, i);
        row.step = operation.how.step;
        row.tags = operation.how.tags;
        row.sourceId = static_cast<std::uint64_t>(operation.line);
        if (m_all > 1)
            row.tags.instance = static_cast<std::int16_t>(i);
        const std::int32_t target = place(operation, operation.toRank, operation.toBuffer, operation.toIndex, i);
        switch (operation.form) {
        case ScriptForm::Transfer:
            addTransfer(operation, row, target, receiveLane);
            return {};
        case ScriptForm::Put:
            row.kind = OpKind::Put;
            row.targetBuffer = operation.toBuffer;
            row.targetOffset = target;
            m_builder.add(row);
            return {};
        case ScriptForm::Signal:
        case ScriptForm::Wait:
            return addTelling(operation, row);
        case ScriptForm::SwitchCopy:
        case ScriptForm::SwitchReduce:
        case ScriptForm::SwitchBoth:
            addSwitch(operation, row, target);
            return {};
        }
        return {};
    }

    void addTransfer(const ScriptOperation& operation, Row row, std::int32_t target, std::int32_t receiveLane)
    {
        const bool local = operation.fromRank == operation.toRank;
        row.kind = !local ? OpKind::Send : operation.reduce ? OpKind::Reduce : OpKind::Copy;
        if (local) {
            row.peer = -1;
            row.connection = 0;
            row.targetBuffer = operation.toBuffer;
            row.targetOffset = target;
        }
        if (operation.fused) {
            row.fused = true;
            row.sourceBuffer = BufferKind::Fused;
            row.sourceOffset = 0;
        }
        m_builder.add(row);
        if (local)
            return;
        row.rank = operation.toRank;
        row.kind = operation.reduce ? OpKind::ReceiveReduce : OpKind::Receive;
        row.peer = operation.fromRank;
        row.lane = receiveLane;
        row.fused = false;
        row.sourceBuffer = operation.reduce ? operation.toBuffer : BufferKind::None;
        row.sourceOffset = operation.reduce ? target : 0;
        row.targetBuffer = operation.toBuffer;
        row.targetOffset = target;
        m_builder.add(row);
    }

    Status addTelling(const ScriptOperation& operation, Row row)
    {
        const bool signals = operation.form == ScriptForm::Signal;
        row.rank = signals ? operation.fromRank : operation.toRank;
        row.peer = signals ? operation.toRank : operation.fromRank;
        row.kind = signals ? OpKind::Signal : OpKind::Wait;
        row.count = 0;
        row.chunk = 0;
        row.sourceBuffer = BufferKind::None;
        row.sourceOffset = 0;
        const ProgramBuilder::Op added = m_builder.add(row);
        const auto made = m_copies.find({row.rank, row.connection});
        if (!signals || made == m_copies.end())
            return {};
        // It also tells of copies by switches that were made for its rank before.
        const std::vector<Copy>& copies = made->second;
        const auto [told, isNew] = m_told.try_emplace({row.rank, row.peer, row.connection}, 0);
        bool affords = m_trace.budget().work(static_cast<std::int64_t>(copies.size() - told->second)) && (!isNew || m_trace.budget().take(kToldBytes));
        for (std::size_t& at = told->second; affords && at < copies.size(); ++at) {
            const std::vector<std::int32_t>& team = m_teams[static_cast<std::size_t>(copies[at].team)];
            if (!std::binary_search(team.begin(), team.end(), row.peer))
                continue;
            affords = m_trace.budget().take(kDependBytes);
            m_builder.depend(added, copies[at].operation);
        }
        if (affords)
            return {};
        Error error = m_trace.exhausted();
        error.place.line = operation.line;
        return error;
    }

    void addSwitch(const ScriptOperation& operation, Row row, std::int32_t target)
    {
        row.peer = operation.team; // The channel stays: signals on it tell of the copy.
        const bool sums = operation.form != ScriptForm::SwitchCopy;
        const bool passed = operation.form == ScriptForm::SwitchBoth;
        row.targetBuffer = operation.toBuffer;
        row.targetOffset = target;
        if (sums) {
            row.kind = OpKind::SwitchReduce;
            if (passed) {
                row.targetBuffer = BufferKind::None;
                row.targetOffset = 0;
            }
            m_builder.add(row);
            if (!passed)
                return;
            row.fused = true;
            row.sourceBuffer = BufferKind::Fused;
            row.sourceOffset = 0;
            row.targetBuffer = operation.toBuffer;
            row.targetOffset = target;
        }
        row.kind = OpKind::SwitchMulticast;
        m_copies[{row.rank, row.connection}].push_back({m_builder.add(row), operation.team});
    }

    /// A copy by a switch.
    struct Copy {
        ProgramBuilder::Op operation;
        std::int32_t team;
    };

    static constexpr std::int64_t kToldBytes = 64;   ///< A node of m_told.
    static constexpr std::int64_t kDependBytes = 24; ///< In the builder, with the reserve of its vector, and in the program.

    ScriptTrace& m_trace;
    std::int32_t m_all;
    std::int32_t m_channels;
    const std::vector<std::vector<std::int32_t>>& m_teams;
    const Pieces& m_pieces;
    ScriptLanes& m_lanes;
    ProgramBuilder& m_builder;
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Copy>> m_copies; ///< By (rank, connection: channel of the script, of the instance).
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::size_t> m_told; ///< By (rank, peer, connection): copies looked at.
};

} // namespace

Result<ProgramPtr> buildProgram(ScriptTrace& trace, std::string provenance)
{
    const ScriptTrace::Start& start = trace.start();
    const ScriptCollective& collective = start.collective;
    const std::int32_t all = trace.multiplicity();
    const Pieces pieces(trace);
    if (std::int64_t{pieces.mostScratch()} * all > ScriptTrace::kMostChunks)
        return invalidInput("The instances need " + std::to_string(std::int64_t{pieces.mostScratch()} * all) + " chunks of scratch on one rank", {},
                            "at most " + std::to_string(ScriptTrace::kMostChunks));
    // Dependencies are looked for in the memory of the program: all pieces of what was touched.
    if (!trace.budget().work(trace.cells() * all / 4))
        return trace.exhausted();

    if (Status status = trace.checkSignals(); !status)
        return std::move(status).error();
    ScriptLanes lanes(collective.ranks);
    if (Status status = lanes.choose(trace.operations()); !status)
        return std::move(status).error();
    std::int32_t channels = 1;
    for (const ScriptOperation& operation : trace.operations())
        channels = std::max(channels, operation.how.channel + 1);

    ProgramBuilder builder(collective.op, collective.ranks, collective.chunks * all, collective.root);
    Program& header = builder.header();
    header.inPlace = start.inPlace;
    header.outOfPlace = start.outOfPlace;
    header.protocol = start.protocol;
    header.minBytes = start.minBytes;
    header.maxBytes = start.maxBytes;
    Result<std::optional<Conditions>> conditions = trace.conditions();
    if (!conditions)
        return std::move(conditions).error();
    if (conditions.value())
        header.conditions = std::make_shared<const Conditions>(*std::move(conditions.value()));
    if (!trace.chunkWeights().empty())
        builder.extras().chunkWeights = pieces.weights(trace.chunkWeights());

    RowWriter writer(trace, pieces, lanes, channels, builder);
    builder.extras().teams = trace.teams();
    const std::vector<ScriptOperation>& operations = trace.operations();
    for (std::size_t first = 0; first < operations.size();) {
        std::size_t end = first + 1; // What is sent on in one step stands together, instance by instance.
        while (end < operations.size() && operations[end].fused)
            ++end;
        if (Status status = writer.write({operations.data() + first, end - first}); !status)
            return std::move(status).error();
        first = end;
    }
    builder.inferDependencies();
    return builder.finish(start.name, std::move(provenance));
}

} // namespace fabricscope
