#include "widgets/transform/rewritelanes.h"

#include "core/base/index.h"
#include "widgets/base/showntexts.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

using transform::Op;
using transform::PartKind;
using transform::TimedKernel;

struct RewriteLaneTexts {
    Q_DECLARE_TR_FUNCTIONS(RewriteLaneTexts)
};

bool isProductOp(Op op)
{
    return op == Op::MatMul || op == Op::Conv;
}

/// Group of the pipeline, from 0, and 0 for processors, 1 for links inside, 2 for those to the next group.
std::pair<int, int> laneOf(const TimedKernel& kernel, PartKind kind)
{
    const int resource = kernel.time.resource;
    const int links = ((resource % 3) + 3) % 3;
    const int group = std::max(0, (resource - links) / 3);
    return {group, kind == PartKind::Compute ? 0 : std::max(links, 1)};
}

QString laneName(std::pair<int, int> lane, bool groups)
{
    const QString name = lane.second == 0 ? RewriteLaneTexts::tr("Compute") : lane.second == 1 ? RewriteLaneTexts::tr("Collectives") : RewriteLaneTexts::tr("Send");
    return groups ? RewriteLaneTexts::tr("%1 %2").arg(name).arg(lane.first) : name;
}

/// Sorted and joined where they touch.
std::vector<LaneSpan> joinedSpans(std::vector<LaneSpan> spans)
{
    std::sort(spans.begin(), spans.end(), [](const LaneSpan& a, const LaneSpan& b) { return a.begin < b.begin; });
    std::vector<LaneSpan> joined;
    for (const LaneSpan& span : spans) {
        if (!joined.empty() && span.begin <= joined.back().end)
            joined.back().end = std::max(joined.back().end, span.end);
        else
            joined.push_back(span);
    }
    return joined;
}

/// What is in the first and not in the second; both joined.
std::vector<LaneSpan> differenceOfSpans(const std::vector<LaneSpan>& spans, const std::vector<LaneSpan>& taken)
{
    std::vector<LaneSpan> left;
    std::size_t next = 0;
    for (const LaneSpan& span : spans) {
        SimTime from = span.begin;
        while (next < taken.size() && taken[next].end <= from)
            ++next;
        for (std::size_t i = next; i < taken.size() && taken[i].begin < span.end; ++i) {
            if (from < taken[i].begin)
                left.push_back({from, taken[i].begin});
            from = std::max(from, taken[i].end);
        }
        if (from < span.end)
            left.push_back({from, span.end});
    }
    return left;
}

/// The chunks of a kernel that does one thing, where they are known.
const std::vector<transform::ChunkSpan>* chunksOfKernel(const transform::ProgramTimes& times, const TimedKernel& kernel, const transform::TensorProgram& program)
{
    if (kernel.time.parts.size() != 1)
        return nullptr;
    for (const transform::OverlapTimes& chain : times.overlaps) {
        for (std::size_t k = 0; k < chain.stages.size() && k < chain.spans.size(); ++k) {
            for (const std::int32_t stage : kernel.kernel.stages) {
                if (program.stages[at(stage)].name == chain.stages[k])
                    return &chain.spans[k];
            }
        }
    }
    return nullptr;
}

} // namespace

Activity activityOfPart(PartKind kind)
{
    switch (kind) {
    case PartKind::ReduceScatter: return Activity::ReduceScatter;
    case PartKind::AllGather: return Activity::AllGather;
    case PartKind::Send: return Activity::SendReceive;
    case PartKind::ScalarAllReduce:
    case PartKind::AllReduce: return Activity::AllReduce;
    case PartKind::Reduce:
    case PartKind::Broadcast: return Activity::Broadcast;
    case PartKind::Compute: break;
    }
    return Activity::Memory;
}

Activity activityOfKernel(const transform::TensorProgram& program, const transform::Kernel& kernel)
{
    Activity found = Activity::Memory;
    for (const std::int32_t number : kernel.stages) {
        switch (const transform::Stage& stage = program.stages[at(number)]; stage.op) {
        case Op::AllReduce: found = stage.isScalarAllReduce() && kernel.stages.size() > 1 ? found : Activity::AllReduce; break;
        case Op::ReduceScatter: return Activity::ReduceScatter;
        case Op::AllGather: return Activity::AllGather;
        case Op::Send: return Activity::SendReceive;
        case Op::Reduce:
        case Op::Broadcast: return Activity::Broadcast;
        case Op::MatMul:
        case Op::Conv: return Activity::Compute;
        default: break;
        }
    }
    return found;
}

RewriteLanes lanesOf(const transform::TensorProgram& program, const transform::ProgramTimes& times)
{
    std::map<std::string, const TimedKernel*> kernels;
    for (const TimedKernel& kernel : times.kernels)
        kernels[kernel.kernel.name] = &kernel;
    std::map<std::pair<int, int>, RewriteLane> lanes;
    std::vector<LaneSpan> computing;
    std::vector<LaneSpan> sending;
    const auto add = [&](const TimedKernel& kernel, PartKind kind, LaneBar bar) {
        (kind == PartKind::Compute ? computing : sending).push_back({bar.begin, bar.end});
        lanes[laneOf(kernel, kind)].bars.push_back(std::move(bar));
    };
    for (const transform::TimelineRow& row : times.timeline) {
        const TimedKernel& kernel = *kernels.at(row.kernel);
        const transform::Stage* const stage = program.stage(row.stage);
        const Activity activity = row.kind == PartKind::Compute && stage && isProductOp(stage->op) ? Activity::Compute : activityOfPart(row.kind);
        const QString name = texts::shown(row.stage);
        const std::vector<transform::ChunkSpan>* const chunks = chunksOfKernel(times, kernel, program);
        if (!chunks) {
            add(kernel, row.kind, {row.begin, row.end, name, name, activity});
            continue;
        }
        for (std::size_t i = 0; i < chunks->size(); ++i)
            add(kernel, row.kind, {(*chunks)[i].begin, (*chunks)[i].end, name, QStringLiteral("%1 %2/%3").arg(name).arg(i + 1).arg(chunks->size()), activity});
    }
    RewriteLanes made;
    made.total = times.total;
    made.exposed = differenceOfSpans(joinedSpans(std::move(sending)), joinedSpans(computing));
    if (!computing.empty())
        made.waiting = made.exposed;
    for (auto& [key, lane] : lanes) {
        lane.name = laneName(key, program.groups > 1);
        std::stable_sort(lane.bars.begin(), lane.bars.end(), [](const LaneBar& a, const LaneBar& b) { return a.begin < b.begin; });
        if (key.second != 0) {
            // Both at once: what is left of the lane without what is left of it without the other.
            std::vector<LaneSpan> own;
            for (const LaneBar& bar : lane.bars)
                own.push_back({bar.begin, bar.end});
            own = joinedSpans(std::move(own));
            lane.exposed = differenceOfSpans(own, differenceOfSpans(own, made.exposed));
        }
        made.lanes.push_back(std::move(lane));
    }
    return made;
}

} // namespace fabricscope
