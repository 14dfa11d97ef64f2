#include "core/program/program.h"

#include <xxhash.h>

#include <array>
#include <memory>
#include <new>

namespace fabricscope {

namespace {

/// Words of a program in a fixed order; every column is preceded by its length, so no two programs share a sequence. Digested as they come: those of a large
/// program would take as much memory as the program twice. The digest is that of all words together (digestOf()).
class Words {
public:
    Words()
        : m_state(XXH3_createState())
    {
        if (!m_state)
            throw std::bad_alloc();
        XXH3_128bits_reset(m_state.get());
    }

    void add(std::int64_t word)
    {
        if (m_count == m_words.size())
            flush();
        m_words[m_count++] = word;
    }

    template <typename T>
    void column(const std::vector<T>& values)
    {
        add(static_cast<std::int64_t>(values.size()));
        for (const T& value : values)
            add(static_cast<std::int64_t>(value));
    }

    template <typename T>
    void columns(const std::vector<std::vector<T>>& lists)
    {
        add(static_cast<std::int64_t>(lists.size()));
        for (const std::vector<T>& list : lists)
            column(list);
    }

    Digest digest()
    {
        flush();
        const XXH128_hash_t hash = XXH3_128bits_digest(m_state.get());
        return {hash.low64, hash.high64};
    }

private:
    void flush()
    {
        XXH3_128bits_update(m_state.get(), m_words.data(), m_count * sizeof(std::int64_t));
        m_count = 0;
    }

    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> m_state;
    std::array<std::int64_t, 1024> m_words{};
    std::size_t m_count = 0;
};

void addPhases(Words& words, const std::vector<PhaseTemplate>& phases)
{
    words.add(static_cast<std::int64_t>(phases.size()));
    for (const PhaseTemplate& phase : phases) {
        words.add(static_cast<std::int64_t>(phase.kind));
        words.add(static_cast<std::int64_t>(phase.algorithm));
        words.add(phase.axis);
        words.add(phase.window);
        words.add(phase.minus ? 1 : 0);
    }
}

void addBody(Words& words, const TemplateBody& body)
{
    words.column(body.axes);
    addPhases(words, body.phases);
    words.add(static_cast<std::int64_t>(body.orders.size()));
    for (const std::vector<PhaseTemplate>& order : body.orders)
        addPhases(words, order);
    words.column(body.orderOfChunk);
    words.column(body.chunkWeights);
}

void addBody(Words& words, const ExplicitBody& body)
{
    words.column(body.rankBegin);
    words.column(body.kind);
    words.column(body.peer);
    words.column(body.connection);
    words.column(body.lane);
    words.column(body.chunk);
    words.column(body.count);
    words.column(body.bytes);
    words.column(body.duration);
    words.column(body.sourceBuffer);
    words.column(body.targetBuffer);
    words.column(body.sourceOffset);
    words.column(body.targetOffset);
    words.column(body.step);
    words.column(body.slot);
    words.column(body.sourceId);
    words.column(body.dependBegin);
    words.column(body.depends);
    words.add(body.receiveSlots);
    words.column(body.fused);
    words.add(static_cast<std::int64_t>(body.tags.size()));
    for (const OpTags& tags : body.tags) {
        for (const std::int16_t tag : {tags.phase, tags.dimension, tags.tree, tags.instance})
            words.add(tag);
    }
    words.column(body.startPs);
    words.column(body.route);
    words.columns(body.routes);
    words.column(body.chunkWeights);
    words.add(static_cast<std::int64_t>(body.buffers.size()));
    for (const BufferSizes& sizes : body.buffers) {
        for (const std::int32_t size : {sizes.input, sizes.output, sizes.scratch})
            words.add(size);
    }
    words.columns(body.teams);
}

void addValues(Words& words, const std::vector<ChunkValue>& values)
{
    words.add(static_cast<std::int64_t>(values.size()));
    for (const ChunkValue& chunk : values) {
        words.add(chunk.rank);
        words.add(static_cast<std::int64_t>(chunk.buffer));
        words.add(chunk.index);
        words.add(static_cast<std::int64_t>(chunk.value.size()));
        for (const Contribution& contribution : chunk.value) {
            words.add(contribution.rank);
            words.add(contribution.index);
        }
    }
}

} // namespace

Digest Program::digest() const
{
    Words words;
    words.add(static_cast<std::int64_t>(op));
    words.add(ranks);
    words.add(chunks);
    words.add(window);
    words.add(static_cast<std::int64_t>(body.index()));
    words.add(root);
    words.add(static_cast<std::int64_t>(protocol));
    words.add((inPlace ? 1 : 0) + (outOfPlace ? 2 : 0));
    words.add(minBytes);
    words.add(maxBytes);
    words.add(conditions ? 1 : 0);
    if (conditions) {
        addValues(words, conditions->before);
        addValues(words, conditions->after);
    }
    std::visit([&words](const auto& alternative) { addBody(words, alternative); }, body);
    return words.digest();
}

} // namespace fabricscope
