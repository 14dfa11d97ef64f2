#include "core/plan/inference/servedwork.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/plan/lower/layerpieces.h"
#include "core/plan/lower/planworkload.h"
#include "core/plan/lower/taskwriter.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

constexpr std::int64_t kTokenIdBytes = 4;

/// Pieces of the pass of one micro-batch, by part of the model: kinds, before, after.
struct PassPieces {
    InferencePass pass;
    std::vector<std::vector<WorkPiece>> parts;
    std::int64_t sendBytes = 0; ///< To the next stage.
};

/// What all ranks have in common.
struct ServedWork {
    std::vector<PassPieces> passes;
    std::vector<std::vector<std::size_t>> partsOfStage; ///< Of each, in their order.
    std::vector<std::int64_t> transferBytes;            ///< By place: keys and values of the prompts of one micro-batch.
};

Error tooManyTasks()
{
    return planError("inference", "more than " + std::to_string(kMaxPlanTasks) + " tasks", "decode_steps, which simulates some of the steps, or larger chunks");
}

class ServedRank {
public:
    ServedRank(const PlanLayout& layout, const ServedWork& work, std::int64_t place, std::int64_t replica, const std::stop_token& stop)
        : m_layout(layout)
        , m_work(work)
        , m_stop(stop)
        , m_place(place)
        , m_prefills(layout.inference->prefillReplicas)
        , m_isPrefill(m_prefills > 0 && replica < m_prefills)
        , m_round(m_prefills > 0 && !m_isPrefill ? (replica - m_prefills) / m_prefills : 0)
    {
        if (m_layout.pipelineAxis >= 0)
            m_stage = static_cast<std::int32_t>(layout.grid.axes()[at(layout.pipelineAxis)].stride);
        if (m_layout.dataAxis >= 0)
            m_replica = layout.grid.axes()[at(layout.dataAxis)].stride;
    }

    RankGraph write()
    {
        m_token.assign(at(m_layout.microBatches), -1);
        if (m_prefills == 0) {
            addPasses(true, true, 0);
        } else if (m_isPrefill) {
            const std::int64_t rounds = (m_layout.dataSize - m_prefills) / m_prefills;
            for (std::int64_t round = 0; round < rounds; ++round)
                addPasses(true, false, round);
        } else {
            addPasses(false, true, m_round);
        }
        return m_writer.take();
    }

private:
    bool isLast() const { return m_place + 1 == m_layout.pipelineSize; }
    /// Difference of places between a replica that prefills and the one it does so for.
    std::int32_t toDecoder(std::int64_t round) const { return static_cast<std::int32_t>(m_prefills * (round + 1) * m_replica); }
    static std::uint32_t transferTag(std::int64_t microBatch, bool token)
    {
        return kFirstTransferTag + static_cast<std::uint32_t>(2 * microBatch + (token ? 1 : 0));
    }

    void addPasses(bool prefill, bool decode, std::int64_t round)
    {
        bool isFirstDecode = true;
        for (std::size_t i = 0; i < m_work.passes.size(); ++i) {
            const PassPieces& pieces = m_work.passes[i];
            const bool decodes = pieces.pass.isDecode();
            if (decodes ? !decode : !prefill)
                continue;
            for (std::int64_t batch = 0; batch < m_layout.microBatches; ++batch) {
                checkStop(m_stop);
                addPass(pieces, batch, m_tag++, decodes && isFirstDecode && !prefill, decodes ? 0 : round, !decode);
            }
            isFirstDecode = isFirstDecode && !decodes;
        }
    }

    /// `tag`: of its messages, the same on all places. `arrives`: keys and values come from another pool.
    void addPass(const PassPieces& pieces, std::int64_t batch, std::uint32_t tag, bool arrives, std::int64_t round, bool handsOver)
    {
        std::vector<TaskIndex> after = m_last;
        const std::string name = passName(pieces.pass);
        const auto bytes = [](std::int64_t count) { return std::max<std::int64_t>(count, 1); };
        const std::int64_t tokenBytes = kTokenIdBytes * m_layout.microBatch;
        if (m_place > 0)
            after.push_back(m_writer.message(TaskKind::Receive, "receive", bytes(pieces.sendBytes), -m_stage, tag, {}));
        if (arrives)
            receiveCache(batch, after);
        else if (m_place == 0 && pieces.pass.isDecode())
            after.push_back(m_layout.pipelineSize == 1 ? m_token[at(batch)] : m_writer.message(TaskKind::Receive, "receive token", tokenBytes, lastStage(), tokenTag(batch), {}));
        m_last = addPieces(pieces, name, after);
        if (!isLast())
            m_writer.message(TaskKind::Send, "send", bytes(pieces.sendBytes), m_stage, tag, m_last);
        if (handsOver && pieces.pass.token == 1)
            m_writer.message(TaskKind::Send, "send keys and values", bytes(m_work.transferBytes[at(m_place)]), toDecoder(round), transferTag(batch, false), m_last);
        if (!isLast() || pieces.pass.token == 0)
            return;
        const TaskIndex token = m_writer.compute(tokenTaskName(pieces.pass.token), {0, 0, 0, false}, m_last);
        m_token[at(batch)] = token;
        const bool isEnd = &pieces == &m_work.passes.back();
        if (handsOver)
            m_writer.message(TaskKind::Send, "send first token", tokenBytes, toDecoder(round) - lastStage(), transferTag(batch, true), {token});
        else if (m_layout.pipelineSize > 1 && !isEnd)
            m_writer.message(TaskKind::Send, "send token", tokenBytes, -lastStage(), tokenTag(batch, true), {token});
    }

    void receiveCache(std::int64_t batch, std::vector<TaskIndex>& after)
    {
        after.push_back(m_writer.message(TaskKind::Receive, "receive keys and values", std::max<std::int64_t>(m_work.transferBytes[at(m_place)], 1), -toDecoder(m_round), transferTag(batch, false), {}));
        if (m_place == 0)
            after.push_back(m_writer.message(TaskKind::Receive, "receive first token", kTokenIdBytes * m_layout.microBatch, lastStage() - toDecoder(m_round), transferTag(batch, true), {}));
    }

    std::int32_t lastStage() const { return static_cast<std::int32_t>((m_layout.pipelineSize - 1) * m_stage); }

    /// Tokens of a micro-batch come back one after the other; sends and receives count them alike.
    std::uint32_t tokenTag(std::int64_t batch, bool sends = false)
    {
        std::map<std::int64_t, std::uint32_t>& counts = sends ? m_sent : m_received;
        return (std::uint32_t{1} << 29) + static_cast<std::uint32_t>(batch + m_layout.microBatches * counts[batch]++);
    }

    static std::string passName(const InferencePass& pass)
    {
        return pass.isDecode() ? "decode " + std::to_string(pass.token) : "prefill " + std::to_string(pass.shape.keys - pass.shape.tokens);
    }

    std::vector<TaskIndex> addPieces(const PassPieces& pieces, const std::string& name, std::vector<TaskIndex> after)
    {
        for (const std::size_t part : m_work.partsOfStage[at(m_place)]) {
            // A chunk that is not the last needs no logits.
            if (part + 1 == pieces.parts.size() && pieces.pass.token == 0)
                continue;
            for (const WorkPiece& piece : pieces.parts[part]) {
                const std::string text = name + ' ' + piece.name;
                after = {piece.kind == WorkPiece::Kind::Collective ? m_writer.collective(text, piece.op, piece.bytes, piece.family, after) : m_writer.compute(text, piece.cost, after)};
            }
        }
        return after;
    }

    const PlanLayout& m_layout;
    const ServedWork& m_work;
    const std::stop_token& m_stop;
    std::int64_t m_place;
    std::int64_t m_prefills;
    bool m_isPrefill;
    std::int64_t m_round;      ///< Of a replica that decodes: when its batch is prefilled.
    std::int32_t m_stage = 0;  ///< Difference to the next place of the pipeline ...
    std::int64_t m_replica = 0; ///< ... and to the next replica.
    std::uint32_t m_tag = 0;
    TaskWriter m_writer;
    std::vector<TaskIndex> m_last;
    std::vector<TaskIndex> m_token; ///< By micro-batch: its newest.
    std::map<std::int64_t, std::uint32_t> m_sent, m_received;
};

Status addPassPieces(const ModelSpec& model, const PlanLayout& layout, const LayerFamilies& families, const NpuKernels* kernels, const std::stop_token& stop, ServedWork& work)
{
    for (const InferencePass& pass : inferencePasses(layout)) {
        checkStop(stop);
        auto made = spreadPass(model, layout, pass);
        if (!made)
            return std::move(made).error();
        const SpreadModel& spread = made.value();
        PassPieces& pieces = work.passes.emplace_back();
        pieces.pass = pass;
        for (const LayerKind& kind : spread.layers.kinds)
            pieces.parts.push_back(piecesOfLayer(spread, kind, families, kernels).forward);
        pieces.parts.push_back(piecesBefore(spread, families, kernels).forward);
        pieces.parts.push_back(piecesBehind(spread, families, kernels).forward);
        pieces.sendBytes = spread.shares->ofTokens(spread.layers.kinds.front().boundaryBytes);
        if (!work.partsOfStage.empty())
            continue;
        for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
            std::vector<std::size_t>& parts = work.partsOfStage.emplace_back();
            if (place == 0)
                parts.push_back(spread.kinds.size());
            for (std::int64_t i = 0; i < layout.stageLayers[at(place)]; ++i)
                parts.push_back(at(spread.layers.kindOf[at(layout.firstLayer(place) + i)]));
            if (place + 1 == layout.pipelineSize)
                parts.push_back(spread.kinds.size() + 1);
            work.transferBytes.push_back(cacheBytesOf(spread, place, layout.inference->prompt));
        }
    }
    return {};
}

/// At least as many tasks as the distinct ranks have.
std::int64_t servedTaskCount(const PlanLayout& layout, const ServedWork& work, std::int64_t replicas)
{
    __extension__ using Wide = __int128;
    Wide count = 0;
    for (const PassPieces& pieces : work.passes) {
        for (const auto& parts : work.partsOfStage) {
            for (const std::size_t part : parts)
                count += static_cast<std::int64_t>(pieces.parts[part].size());
            count += 5;
        }
    }
    return static_cast<std::int64_t>(std::min<Wide>(count * layout.microBatches * replicas, INT64_MAX));
}

} // namespace

Result<WorkloadPtr> lowerInference(const ModelSpec& model, const PlanLayout& layout, std::string source, const std::stop_token& stop, const NpuKernels* kernels)
{
    GroupFamilies groups(layout.grid);
    LayerFamilies families;
    for (const auto& [group, into] : {std::pair{&layout.tensorGroup, &families.tensor}, {&layout.expertGroup, &families.experts}}) {
        auto family = groups.of(*group);
        if (!family)
            return std::move(family).error();
        *into = family.value();
    }
    ServedWork work;
    if (Status status = addPassPieces(model, layout, families, kernels, stop, work); !status)
        return std::move(status).error();
    // Replicas differ only where some prefill for others.
    const std::int64_t prefills = layout.inference->prefillReplicas;
    const std::int64_t kinds = prefills > 0 ? layout.dataSize / prefills : 1;
    if (servedTaskCount(layout, work, kinds) > kMaxPlanTasks)
        return tooManyTasks();
    auto workload = std::make_shared<Workload>();
    const std::int64_t ranks = layout.grid.ranks();
    workload->rankCount = static_cast<std::int32_t>(ranks);
    workload->families = groups.take();
    workload->source = std::move(source);
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        for (std::int64_t kind = 0; kind < kinds; ++kind)
            workload->graphs.push_back(std::make_shared<const RankGraph>(ServedRank(layout, work, place, kind * std::max<std::int64_t>(prefills, 1), stop).write()));
    }
    if (workload->graphs.size() == 1)
        return WorkloadPtr(std::move(workload));
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t place = layout.pipelineAxis < 0 ? 0 : layout.grid.coordinate(rank, layout.pipelineAxis);
        const std::int64_t replica = layout.dataAxis < 0 ? 0 : layout.grid.coordinate(rank, layout.dataAxis);
        workload->graphOfRank.push_back(static_cast<std::int32_t>(place * kinds + (prefills > 0 ? replica / prefills : 0)));
    }
    return WorkloadPtr(std::move(workload));
}

} // namespace fabricscope
