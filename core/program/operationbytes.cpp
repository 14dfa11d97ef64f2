#include "core/program/operationbytes.h"

#include "core/base/index.h"

namespace fabricscope {

__extension__ using Wide = __int128;

OperationBytes::OperationBytes(const Program& program, std::int64_t bytes)
    : m_body(&program.asExplicit())
    , m_bytes(bytes)
    , m_chunks(program.chunks)
{
    constexpr std::int32_t kMostKept = 1 << 22;
    if (m_body->chunkWeights.empty()) {
        for (std::int32_t chunk = 0; chunk <= m_chunks && m_chunks <= kMostKept; ++chunk)
            m_ends.push_back(static_cast<std::int64_t>(Wide{bytes} * chunk / m_chunks));
        return;
    }
    Wide total = 0;
    for (const std::int64_t weight : m_body->chunkWeights)
        total += weight;
    Wide sum = 0;
    m_ends.push_back(0);
    for (const std::int64_t weight : m_body->chunkWeights) {
        sum += weight;
        // Both factors are below 2^63.
        m_ends.push_back(static_cast<std::int64_t>(Wide{bytes} * sum / total));
    }
}

std::int64_t OperationBytes::end(std::int64_t chunks) const
{
    if (chunks < static_cast<std::int64_t>(m_ends.size()))
        return m_ends[at(chunks)];
    const std::int64_t rounds = chunks / m_chunks;
    const std::int64_t rest = chunks % m_chunks;
    const std::int64_t inside = m_ends.empty() ? static_cast<std::int64_t>(Wide{m_bytes} * rest / m_chunks) : m_ends[at(rest)];
    return rounds * m_bytes + inside;
}

std::int64_t OperationBytes::ofChunks(std::int32_t first, std::int32_t count) const
{
    return end(std::int64_t{first} + count) - end(first);
}

std::int64_t OperationBytes::of(std::size_t operation) const
{
    const std::int64_t absolute = m_body->bytesOf(operation);
    if (absolute >= 0)
        return absolute;
    if (!m_carried.empty() && m_carried[operation] >= 0)
        return m_carried[operation];
    return ofChunks(m_body->chunk[operation], m_body->count[operation]);
}

bool OperationBytes::chunksAreEqual() const
{
    if (m_body->chunkWeights.empty())
        return m_bytes % m_chunks == 0;
    for (std::size_t chunk = 2; chunk < m_ends.size(); ++chunk) {
        if (m_ends[chunk] - m_ends[chunk - 1] != m_ends[1])
            return false;
    }
    return true;
}

} // namespace fabricscope
