#pragma once

#include "core/verify/chunkvalue.h"
#include "core/base/stop.h"
#include "core/verify/memorylayout.h"
#include "core/verify/schedule.h"
#include "core/verify/verifyfindings.h"

#include <memory>
#include <vector>

namespace fabricscope {

/// What the parts of the verifier that follow values share. All live as long as the check.
struct ValueContext {
    const Program& program;
    const Lanes& lanes;
    const Connections& connections;
    const Schedule& schedule;              ///< Complete.
    const std::vector<bool>& usable;       ///< By operation (checkOperations()).
    const std::shared_ptr<const Conditions>& conditions; ///< Of a custom collective; null: unknown.
    const std::stop_token& stop;

    const ExplicitBody& body() const { return program.asExplicit(); }
    /// Is it known what must hold at the end?
    bool hasPostcondition() const
    {
        return program.op == CollectiveOp::Custom ? conditions != nullptr : program.op != CollectiveOp::Barrier;
    }
};

/// Calls `visit(place rank, buffer, index, contributions)` for every chunk of memory that is defined at the start. In an unknown custom
/// collective all inputs are. Throws StopRequested.
template <typename Visit>
void forEachInitial(const ValueContext& context, Visit&& visit)
{
    const Program& program = context.program;
    if (program.op == CollectiveOp::Custom && context.conditions) {
        for (const ChunkValue& chunk : context.conditions->before) {
            checkStop(context.stop);
            visit(chunk.rank, chunk.buffer, chunk.index, chunk.value);
        }
        return;
    }
    std::vector<Contribution> own(1);
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        const std::int32_t inputs = MemoryLayout::sizesOf(program, rank).input;
        for (std::int32_t index = 0; index < inputs; ++index) {
            checkStop(context.stop);
            if (program.op != CollectiveOp::Custom && !definedAtStart(program.op, program.ranks, program.chunks, rank, index, program.root))
                continue;
            own[0] = {rank, index};
            visit(rank, BufferKind::Input, index, own);
        }
    }
}

/// Executes the program in the order of the schedule, with the values of chunks as multisets of contributions; the outcome does not depend on
/// the order unless there is a race. Reports V14, V16 and receives of what is there already. O(operations * count + cells). Throws StopRequested.
class ValueRun {
public:
    ValueRun(const ValueContext& context, const MemoryLayout& layout, VerifyFindings& findings);

    /// Executes.
    void run(const ProgressShare& progress);
    /// Compares with the postcondition. \pre run(). True: it holds.
    bool checkPostcondition();
    /// Receives that brought what their target held already (two-sided, not reduced).
    const std::vector<OpIndex>& repeated() const { return m_repeated; }
    /// First operation that writes an input chunk out of place; kNoOp: none.
    OpIndex inputWriter() const { return m_inputWriter; }

private:
    using Values = std::vector<ChunkMark>;

    void execute(OpIndex op);
    void read(OpIndex op, std::int32_t rank);
    void write(OpIndex op, std::int32_t rank);
    void undefinedRead(OpIndex op, std::int32_t rank, std::int32_t offset, std::string_view what);
    void post(OpIndex op);
    void take(OpIndex op);
    bool holds(CellIndex cell, const ChunkMark& wanted, std::int32_t rank, BufferKind buffer, std::int32_t index);
    std::string wrongText(CellIndex cell, std::int32_t rank, BufferKind buffer, std::int32_t index) const;

    /// Values of messages on their way; places of finished ones are used again.
    struct Mailbox {
        std::vector<ChunkMark> values;
        std::vector<std::uint32_t> begin;                ///< By message.
        std::vector<std::uint32_t> size;                 ///< By message.
        std::vector<std::vector<std::uint32_t>> free;    ///< By size.
    };

    const ValueContext& m_context;
    const ExplicitBody& m_body;
    const MemoryLayout& m_layout;
    VerifyFindings& m_findings;
    std::vector<ChunkMark> m_memory; ///< By cell.
    Mailbox m_mail;
    Values m_made;                   ///< By the operation before in its fused group.
    Values m_source;
    std::vector<OpIndex> m_repeated;
    OpIndex m_inputWriter = kNoOp;
    std::int64_t m_explained = 0;
};

} // namespace fabricscope
