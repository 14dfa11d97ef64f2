#include "core/plan/lower/ranktasks.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// The message between two stages: the activation behind a forward pass, or the gradient behind a backward pass.
struct Boundary {
    bool gradient = false;
    PipelinePass from; ///< The pass that makes it.
};

class RankTasks {
public:
    RankTasks(const PipelineWork& work, std::int32_t rank, const std::stop_token& stop)
        : m_stop(stop)
        , m_work(work)
        , m_shape(work.orders.shape)
        , m_rank(rank)
    {
    }

    RankGraph write()
    {
        for (const PipelineOperation& operation : m_work.orders.ranks[at(m_rank)]) {
            checkStop(m_stop);
            add(operation);
        }
        return m_writer.take();
    }

private:
    void add(const PipelineOperation& operation)
    {
        std::vector<TaskIndex> inputs = m_last;
        receiveInputs(operation, inputs);
        const std::string name = operationText(m_shape, operation);
        const StageWork& stage = m_work.of(operation.pass.stage);
        using Kind = PipelineOperation::Kind;
        switch (operation.kind) {
        case Kind::Forward: m_last = {run(stage.forward, name, inputs)}; break;
        case Kind::Backward: m_last = {run(stage.backward, name, inputs)}; break;
        case Kind::Weight: m_last = {run(stage.weight, name, inputs)}; break;
        case Kind::FullBackward: m_last = {run(stage.full, name, inputs)}; break;
        case Kind::Pair: addPair(operation, name, inputs); break;
        }
        sendOutputs(operation);
    }

    /// Side by side, or as one task where its length is known. Both outputs are there at the end of both.
    void addPair(const PipelineOperation& operation, const std::string& name, const std::vector<TaskIndex>& inputs)
    {
        const StageWork& stage = m_work.of(operation.pass.stage);
        const StageWork& other = m_work.of(operation.other.stage);
        if (stage.pairPs >= 0 && other.pairPs >= 0) {
            TaskWriter::Cost cost;
            cost.durationPs = stage.pairPs / 2 + other.pairPs / 2 + (stage.pairPs % 2 + other.pairPs % 2 + 1) / 2;
            m_last = {m_writer.compute(name, cost, inputs)};
            return;
        }
        const PipelineOperation forward{PipelineOperation::Kind::Forward, operation.pass, {}};
        const PipelineOperation backward{PipelineOperation::Kind::FullBackward, operation.other, {}};
        const TaskIndex a = run(stage.forward, operationText(m_shape, forward), inputs);
        const TaskIndex b = run(other.full, operationText(m_shape, backward), inputs);
        m_last = {a, b};
    }

    /// The pieces one after the other; returns the last one.
    TaskIndex run(const std::vector<WorkPiece>& pieces, const std::string& name, const std::vector<TaskIndex>& inputs)
    {
        std::vector<TaskIndex> after = inputs;
        for (const WorkPiece& piece : pieces) {
            const std::string said = piece.name.empty() ? name : name + ' ' + piece.name;
            const TaskIndex task = piece.kind == WorkPiece::Kind::Compute ? m_writer.compute(said, piece.cost, after) : m_writer.collective(said, piece.op, piece.bytes, piece.family, after);
            after = {task};
        }
        // A stage without layers hands on what it got.
        return pieces.empty() ? m_writer.compute(name, {0, 0, 0, false}, inputs) : after.front();
    }

    std::uint32_t tagOf(const Boundary& boundary) const
    {
        const PipelinePass& pass = boundary.from;
        const std::int64_t way = (boundary.gradient ? 1 : 0) * m_shape.directions() + pass.direction;
        return static_cast<std::uint32_t>((way * m_shape.stages() + pass.stage) * m_shape.perDirection() + pass.microBatch);
    }

    void receive(const Boundary& boundary, std::vector<TaskIndex>& inputs)
    {
        const std::int32_t from = m_shape.rankOf(boundary.from.stage, boundary.from.direction);
        if (from == m_rank)
            return;
        // What crosses a boundary is the output of its lower stage, or the gradient of that.
        const StageWork& lower = m_work.of(boundary.gradient ? boundary.from.stage - 1 : boundary.from.stage);
        inputs.push_back(m_writer.message(TaskKind::Receive, boundary.gradient ? "receive gradient" : "receive", lower.sendBytes, from - m_rank, tagOf(boundary), {}));
    }

    void receiveInputs(const PipelineOperation& operation, std::vector<TaskIndex>& inputs)
    {
        if (operation.isForward() && operation.pass.stage > 0)
            receive({false, {operation.pass.stage - 1, operation.pass.microBatch, operation.pass.direction}}, inputs);
        if (operation.isBackward() && operation.backward().stage + 1 < m_shape.stages())
            receive({true, {operation.backward().stage + 1, operation.backward().microBatch, operation.backward().direction}}, inputs);
    }

    void send(const Boundary& boundary, std::int32_t toStage)
    {
        const std::int32_t to = m_shape.rankOf(toStage, boundary.from.direction);
        if (to == m_rank)
            return;
        const StageWork& lower = m_work.of(std::min(toStage, boundary.from.stage));
        m_writer.message(TaskKind::Send, boundary.gradient ? "send gradient" : "send", lower.sendBytes, to - m_rank, tagOf(boundary), m_last);
    }

    void sendOutputs(const PipelineOperation& operation)
    {
        if (operation.isForward() && operation.pass.stage + 1 < m_shape.stages())
            send({false, operation.pass}, operation.pass.stage + 1);
        if (operation.isBackward() && operation.backward().stage > 0)
            send({true, operation.backward()}, operation.backward().stage - 1);
    }

    const std::stop_token& m_stop;
    const PipelineWork& m_work;
    const PipelineShape& m_shape;
    std::int32_t m_rank;
    TaskWriter m_writer;
    std::vector<TaskIndex> m_last; ///< Ends of the operation before.
};

} // namespace

RankGraph pipelineTasks(const PipelineWork& work, std::int32_t rank, const std::stop_token& stop)
{
    return RankTasks(work, rank, stop).write();
}

std::int64_t pipelineTaskCount(const PipelineWork& work)
{
    std::int64_t count = 0;
    const auto pieces = [](const std::vector<WorkPiece>& list) { return std::max<std::int64_t>(static_cast<std::int64_t>(list.size()), 1); };
    for (const auto& operations : work.orders.ranks) {
        for (const PipelineOperation& operation : operations) {
            using Kind = PipelineOperation::Kind;
            const StageWork& stage = work.of(operation.pass.stage);
            switch (operation.kind) {
            case Kind::Forward: count += pieces(stage.forward); break;
            case Kind::Backward: count += pieces(stage.backward); break;
            case Kind::Weight: count += pieces(stage.weight); break;
            case Kind::FullBackward: count += pieces(stage.full); break;
            case Kind::Pair: count += pieces(stage.forward) + pieces(work.of(operation.other.stage).full); break;
            }
            // A receive and a send for each pass; where a way starts and ends there are fewer.
            count += operation.kind == Kind::Pair ? 4 : operation.kind == Kind::Weight ? 0 : 2;
        }
    }
    return count;
}

} // namespace fabricscope
