#include "core/plan/lower/ranktasks.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/plan/lower/gradienttasks.h"
#include "core/plan/lower/passtasks.h"

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
    RankTasks(const PipelineWork& work, const RankPlace& place, const std::stop_token& stop)
        : m_stop(stop)
        , m_work(work)
        , m_shape(work.orders.shape)
        , m_place(place)
        , m_rank(place.rank)
        , m_passes(m_writer, m_place, firstRingTag(m_shape))
    {
        if (!work.steps.empty()) {
            m_step = &work.steps[at(m_rank)];
            m_gradients.emplace(*m_step, m_writer, m_shape.stagesPerRank(), static_cast<std::int32_t>(m_shape.perDirection() - 1));
        }
    }

    RankGraph write()
    {
        for (const PipelineOperation& operation : m_work.orders.ranks[at(m_rank)]) {
            checkStop(m_stop);
            add(operation);
        }
        if (m_gradients)
            m_gradients->finish(m_last);
        return m_writer.take();
    }

private:
    void add(const PipelineOperation& operation)
    {
        std::vector<TaskIndex> inputs = m_last;
        receiveInputs(operation, inputs);
        const StageWork& stage = m_work.of(operation.pass.stage);
        if (operation.kind != PipelineOperation::Kind::Pair) {
            m_last = run(operation, inputs);
        } else if (stage.pairPs >= 0 && m_work.of(operation.other.stage).pairPs >= 0) {
            const std::int64_t other = m_work.of(operation.other.stage).pairPs;
            TaskWriter::Cost cost;
            cost.durationPs = stage.pairPs / 2 + other / 2 + (stage.pairPs % 2 + other % 2 + 1) / 2;
            m_last = {m_writer.compute(operationText(m_shape, operation), cost, inputs)};
        } else { // Side by side. Both outputs are there at the end of both.
            std::vector<TaskIndex> ends = run({PipelineOperation::Kind::Forward, operation.pass, {}}, inputs);
            const std::vector<TaskIndex> back = run({PipelineOperation::Kind::FullBackward, operation.other, {}}, inputs);
            ends.insert(ends.end(), back.begin(), back.end());
            m_last = std::move(ends);
        }
        sendOutputs(operation);
    }

    const std::vector<WorkPiece>& piecesOf(const PipelineOperation& operation) const
    {
        const StageWork& stage = m_work.of(operation.pass.stage);
        switch (operation.kind) {
        case PipelineOperation::Kind::Backward: return stage.backward;
        case PipelineOperation::Kind::Weight: return stage.weight;
        case PipelineOperation::Kind::FullBackward: return stage.full;
        default: return stage.forward;
        }
    }

    std::int64_t launchOf(const PipelineOperation& operation) const
    {
        const StageLaunches& launches = m_work.of(operation.pass.stage).launches;
        switch (operation.kind) {
        case PipelineOperation::Kind::Backward: return launches.backward;
        case PipelineOperation::Kind::Weight: return launches.weight;
        case PipelineOperation::Kind::FullBackward: return launches.full;
        default: return launches.forward;
        }
    }

    /// \pre the operation is no pair
    std::vector<TaskIndex> run(const PipelineOperation& operation, const std::vector<TaskIndex>& inputs)
    {
        using Kind = PipelineOperation::Kind;
        PassTasks::Pass pass{&piecesOf(operation), &m_work.of(operation.pass.stage), m_step, operationText(m_shape, operation), inputs, m_last, false};
        pass.gathers = m_step && m_step->zero == 3 && (operation.kind == Kind::Forward || (m_step->gatherAgain && operation.kind != Kind::Weight));
        const bool gradients = m_gradients && (operation.kind == Kind::Weight || operation.kind == Kind::FullBackward);
        std::vector<TaskIndex> last = m_passes.add(pass, [&](const WorkPiece& piece, TaskIndex task) {
            if (gradients)
                m_gradients->made(piece, operation.pass.microBatch, task);
        });
        if (gradients)
            m_gradients->stageDone(operation.pass.microBatch, last.front());
        // No pass is over before the host has launched it.
        if (const std::int64_t launch = launchOf(operation); launch > 0)
            last.push_back(m_writer.host(pass.name + " launches", launch, inputs));
        return last;
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
        inputs.push_back(m_writer.message(TaskKind::Receive, boundary.gradient ? "receive gradient" : "receive", lower.sendBytes, (from - m_rank) * m_place.pipelineStride, tagOf(boundary), {}));
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
        m_writer.message(TaskKind::Send, boundary.gradient ? "send gradient" : "send", lower.sendBytes, (to - m_rank) * m_place.pipelineStride, tagOf(boundary), m_last);
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
    const RankPlace& m_place;
    std::int32_t m_rank;
    TaskWriter m_writer;
    PassTasks m_passes;
    const StepWork* m_step = nullptr;
    std::optional<GradientTasks> m_gradients;
    std::vector<TaskIndex> m_last; ///< Ends of the operation before.
};

} // namespace

RankGraph pipelineTasks(const PipelineWork& work, const RankPlace& place, const std::stop_token& stop)
{
    return RankTasks(work, place, stop).write();
}

std::int64_t pipelineTaskCount(const PipelineWork& work)
{
    std::int64_t count = 0;
    const auto pieces = [](const std::vector<WorkPiece>& list, std::int64_t launch) {
        std::int64_t tasks = launch > 0 ? 2 : 1;
        for (const WorkPiece& piece : list)
            tasks += 1 + 2 * piece.unitCount + (piece.denseGradients > 0 ? 2 : 0) + std::int64_t{5} * piece.ringSteps;
        return tasks;
    };
    for (const auto& operations : work.orders.ranks) {
        for (const PipelineOperation& operation : operations) {
            using Kind = PipelineOperation::Kind;
            const StageWork& stage = work.of(operation.pass.stage);
            switch (operation.kind) {
            case Kind::Forward: count += pieces(stage.forward, stage.launches.forward); break;
            case Kind::Backward: count += pieces(stage.backward, stage.launches.backward); break;
            case Kind::Weight: count += pieces(stage.weight, stage.launches.weight); break;
            case Kind::FullBackward: count += pieces(stage.full, stage.launches.full); break;
            case Kind::Pair:
                count += pieces(stage.forward, stage.launches.forward) + pieces(work.of(operation.other.stage).full, work.of(operation.other.stage).launches.full);
                break;
            }
            // A receive and a send for each pass; where a way starts and ends there are fewer.
            count += operation.kind == Kind::Pair ? 4 : operation.kind == Kind::Weight ? 0 : 2;
        }
    }
    return count;
}

} // namespace fabricscope
