// Any bytes as the rows of a small explicit program.
#include "core/verify/verify.h"

#include <cstddef>
#include <cstdint>

using namespace fabricscope;

namespace {

/// Bytes one after another; 0 behind the end.
class ByteSource {
public:
    ByteSource(const std::uint8_t* data, std::size_t size) : m_data(data), m_size(size) {}

    bool empty() const { return m_at >= m_size; }
    int next() { return m_at < m_size ? m_data[m_at++] : 0; }
    /// Mostly small, now and then extreme.
    std::int32_t number()
    {
        const int byte = next();
        return byte < 250 ? byte % 12 - 1 : byte == 250 ? INT32_MAX : byte == 251 ? INT32_MIN : byte * 1000;
    }

private:
    const std::uint8_t* m_data;
    std::size_t m_size;
    std::size_t m_at = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ByteSource bytes(data, size);
    Program program;
    program.op = static_cast<CollectiveOp>(bytes.next() % 10);
    program.ranks = 1 + bytes.next() % 6;
    program.chunks = 1 + bytes.next() % 12;
    program.root = bytes.next() % 7;
    const int flags = bytes.next();
    program.inPlace = (flags & 1) != 0;
    program.outOfPlace = (flags & 2) != 0;
    program.protocol = static_cast<WireProtocol>(flags / 4 % 4);
    ExplicitBody body;
    body.receiveSlots = flags / 16 % 3;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        BufferSizes sizes = contractSizes(program.op, program.ranks, program.chunks, rank, 0);
        sizes.scratch = bytes.next() % 5;
        body.buffers.push_back(sizes);
    }
    if ((flags & 128) != 0)
        body.buffers.clear();
    if (program.ranks > 1)
        body.teams = {{0, 1}};
    body.rankBegin.push_back(0);
    body.dependBegin.push_back(0);
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        const auto begin = static_cast<std::uint32_t>(body.kind.size());
        for (int rows = bytes.next() % 24; rows > 0 && !bytes.empty(); --rows) {
            const auto op = static_cast<std::uint32_t>(body.kind.size());
            body.kind.push_back(static_cast<OpKind>(bytes.next() % 11));
            body.peer.push_back(bytes.number());
            body.connection.push_back(bytes.next() % 3);
            body.lane.push_back(bytes.next() % 4 - 1);
            body.chunk.push_back(0);
            body.count.push_back(bytes.number());
            body.sourceBuffer.push_back(static_cast<BufferKind>(bytes.next() % 5));
            body.targetBuffer.push_back(static_cast<BufferKind>(bytes.next() % 5));
            body.sourceOffset.push_back(bytes.number());
            body.targetOffset.push_back(bytes.number());
            body.step.push_back(static_cast<std::int32_t>(op - begin));
            const int more = bytes.next();
            body.fused.push_back(static_cast<std::uint8_t>(more % 7 == 0 && op > begin && body.lane[op - 1] == body.lane[op] ? 1 : 0));
            if (more >= 128)
                body.depends.push_back(more == 255 ? UINT32_MAX : begin + static_cast<std::uint32_t>(bytes.next() % 24));
            body.dependBegin.push_back(static_cast<std::uint32_t>(body.depends.size()));
        }
        body.rankBegin.push_back(static_cast<std::uint32_t>(body.kind.size()));
    }
    program.body = std::move(body);
    VerifyOptions options;
    options.slotCounts = {1, 2};
    const Verification result = verify(program, options);
    for (const VerifyFinding& finding : result.findings) {
        if (result.valid && finding.severity == Severity::Error)
            __builtin_trap();
    }
    return 0;
}
