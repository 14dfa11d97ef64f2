#include "core/language/scriptbuild.h"

#include "core/language/scriptlanes.h"
#include "core/program/programbuilder.h"

#include <algorithm>

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

    for (const ScriptOperation& operation : trace.operations()) {
        const bool local = operation.fromRank == operation.toRank;
        const std::int32_t instances = operation.instances;
        ProgramBuilder::How how;
        how.reduce = operation.reduce;
        how.step = operation.how.step;
        how.tags = operation.how.tags;
        how.sourceId = static_cast<std::uint64_t>(operation.line);
        const std::int32_t sendLane = lanes.sending(operation) * all;
        const std::int32_t receiveLane = local ? 0 : lanes.receiving(operation) * all;
        for (std::int32_t i = 0; i < instances; ++i) {
            const auto place = [&](std::int32_t rank, BufferKind buffer, std::int32_t index) {
                return ProgramBuilder::Place{rank, buffer, pieces.first(rank, buffer, index, operation.count, instances, i)};
            };
            how.chunk = pieces.chunk(operation.chunk, operation.count, instances, i);
            how.connection = operation.how.channel + i * channels;
            how.sendLane = sendLane + i;
            how.receiveLane = receiveLane + i;
            if (all > 1)
                how.tags.instance = static_cast<std::int16_t>(i);
            const ProgramBuilder::Place from = place(operation.fromRank, operation.fromBuffer, operation.fromIndex);
            const ProgramBuilder::Place to = place(operation.toRank, operation.toBuffer, operation.toIndex);
            const std::int32_t count = pieces.count(operation.count, instances);
            if (local)
                builder.local(from, to, count, how);
            else
                builder.transfer(from, to, count, how);
        }
    }
    builder.inferDependencies();
    return builder.finish(start.name, std::move(provenance));
}

} // namespace fabricscope
