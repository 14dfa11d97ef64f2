#include "core/planner/best/planbounds.h"

#include "core/plan/sends.h"

#include <algorithm>

namespace fabricscope {

PlanGroups groupsOf(const PlanLayout& layout)
{
    return {layout.tensorGroup, layout.contextGroup, layout.pipelineGroup, layout.expertGroup, layout.denseGroup, layout.denseShard, layout.denseCopies, layout.expertDataGroup, layout.expertShard, layout.expertCopies};
}

namespace {

constexpr std::size_t kPipelineGroup = 2;

/// How far apart the two ranks of a pair along the pipeline are, in places of it; 0: it is no such pair.
std::int64_t pairDistance(const PlanGroup& group, const PlanGroup& pipeline)
{
    if (group.axes.size() != 1 || group.axes.front().size != 2 || pipeline.axes.size() != 1 || group.name == pipeline.name || !group.name.starts_with(pipeline.name + ' '))
        return 0;
    return group.axes.front().stride / pipeline.axes.front().stride;
}

} // namespace

std::size_t MessageTimes::indexOf(const PlanLayout& layout, const PlanCommunication& row)
{
    const bool shared = layout.data.zero > 0;
    const std::optional<PlanGroups>& groups = m_orders.front()[shared ? 1 : 0];
    if (!groups)
        return kUnknown;
    Message message{row, 0, shared, 0};
    const auto found = std::find(groups->begin(), groups->end(), row.group);
    message.group = static_cast<std::size_t>(found - groups->begin());
    if (found == groups->end()) {
        message.group = kPipelineGroup;
        message.pair = pairDistance(row.group, (*groups)[kPipelineGroup]);
        if (message.pair == 0)
            return kUnknown;
    }
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
        const Message& other = m_messages[i];
        if (other.row.kind == row.kind && other.row.bytes == row.bytes && other.group == message.group && other.shared == shared && other.pair == message.pair)
            return i;
    }
    m_messages.push_back(std::move(message));
    return m_messages.size() - 1;
}

double MessageTimes::seconds(std::size_t order, std::size_t message)
{
    if (message == kUnknown)
        return 0;
    std::vector<double>& known = m_seconds[order];
    if (known.size() <= message)
        known.resize(message + 1, -1);
    double& seconds = known[message];
    if (seconds >= 0)
        return seconds;
    Message& one = m_messages[message];
    const std::optional<PlanGroups>& groups = m_orders[order][one.shared ? 1 : 0];
    if (!groups)
        return seconds = 0;
    const PlanGroup& group = (*groups)[one.group];
    one.row.group.axes = one.pair == 0 ? group.axes : std::vector<GroupFamily::Axis>{{2, group.axes.front().stride * one.pair}};
    return seconds = m_npu.communication(one.row);
}

StepBounds::StepBounds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts, const PlanNpu& npu, MessageTimes& messages)
    : m_spread(spread)
    , m_layout(*spread.layout)
    , m_messages(messages)
    , m_stages(stageSeconds(spread, parts))
    , m_least(leastSeconds(m_stages))
    , m_alike(alikePlaces(spread))
    , m_optimizer(optimizerSeconds(spread, npu))
{
    for (const std::int64_t place : m_alike.example) {
        std::vector<Row>& rows = m_rows.emplace_back();
        for (const PlanCommunication& row : npu.communication ? communicationsOf(spread, place) : std::vector<PlanCommunication>{})
            rows.push_back({messages.indexOf(m_layout, row), static_cast<double>(row.count), stepShareOf(m_layout, row)});
    }
}

StepBounds::Sums StepBounds::sumOf(std::size_t order, const std::vector<Row>& rows)
{
    Sums sums;
    for (const Row& row : rows) {
        const double each = m_messages.seconds(order, row.message);
        const double all = each * row.count;
        switch (row.share) {
        case StepShare::Latency: sums.latency = std::max(sums.latency, each); break;
        case StepShare::Forward: sums.forward += all; break;
        case StepShare::Backward: sums.backward += all; break;
        case StepShare::RingForward: sums.ringForward += all; break;
        case StepShare::RingBackward: sums.ringBackward += all; break;
        case StepShare::Data: sums.data += all; break;
        case StepShare::Units: sums.units += all; break;
        case StepShare::After: sums.after += all; break;
        }
    }
    return sums;
}

double StepBounds::passesOf(std::int64_t place) const
{
    return static_cast<double>(m_layout.stagesOfRank(place).size()) * static_cast<double>(m_layout.microBatchesOfStage()) * (m_layout.isDual() ? 2 : 1);
}

double StepBounds::least(std::size_t order)
{
    std::vector<Sums> sums;
    double latency = 0;
    for (const std::vector<Row>& rows : m_rows) {
        sums.push_back(sumOf(order, rows));
        latency = std::max(latency, sums.back().latency);
    }
    std::vector<WorkSeconds> stages = m_stages;
    std::vector<WorkSeconds> least = m_least;
    for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
        const Sums& sum = sums[m_alike.classOf[static_cast<std::size_t>(place)]];
        const double passes = passesOf(place);
        for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
            for (std::vector<WorkSeconds>* of : {&stages, &least}) {
                WorkSeconds& one = (*of)[static_cast<std::size_t>(stage)];
                one.forward += sum.forward / passes + exposedRing(m_layout, sum.ringForward / passes, one.ringForward);
                one.backward += sum.backward / passes + exposedRing(m_layout, sum.ringBackward / passes, one.ringBackward);
            }
        }
    }
    double exposed = 0;
    for (std::size_t i = 0; i < m_alike.example.size(); ++i) {
        double backward = 0;
        double busy = 0;
        for (const std::int64_t stage : m_layout.stagesOfRank(m_alike.example[i])) {
            const WorkSeconds& of = stages[static_cast<std::size_t>(stage)];
            backward += of.backward + of.weight;
            busy += of.all() * static_cast<double>(m_layout.microBatchesOfStage());
        }
        exposed = std::max(exposed, exposedSeconds(m_layout, sums[i].data, sums[i].units, sums[i].after, backward, busy));
    }
    return pipelineSeconds(least, latency) + exposed + m_optimizer;
}

double StepBounds::leastComputing()
{
    return pipelineSeconds(m_least, 0);
}

double StepBounds::leastOnAverage(double computing, std::size_t order)
{
    double sum = 0;
    double longest = 0;
    std::vector<double> ofClass;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Sums sums = sumOf(order, m_rows[i]);
        ofClass.push_back(sums.forward + sums.backward);
        longest = std::max({longest, ofClass.back() / passesOf(m_alike.example[i]), sums.latency});
    }
    for (const std::size_t which : m_alike.classOf)
        sum += ofClass[which];
    double stage = 0;
    for (const WorkSeconds& one : m_stages)
        stage = std::max(stage, one.all());
    return certain(computing + sum / static_cast<double>(m_layout.pipelineSize), longest + stage);
}

double StepBounds::pipelineSeconds(const std::vector<WorkSeconds>& stages, double latency) const
{
    const PipelineSchedule schedule = m_layout.shape.schedule;
    const bool whole = schedule == PipelineSchedule::GPipe || schedule == PipelineSchedule::OneForwardOneBackward || schedule == PipelineSchedule::Interleaved;
    const auto passes = static_cast<double>(m_layout.microBatchesOfStage());
    const std::int64_t places = m_layout.pipelineSize;
    // What others do before the first micro-batch reaches a stage, and after the last one has left it.
    std::vector<double> head(static_cast<std::size_t>(places) + 1, 0);
    std::vector<double> tail = head;
    double longest = latency;
    for (std::size_t place = 0; place < static_cast<std::size_t>(places); ++place) {
        head[place + 1] = head[place] + stages[place].forward + latency;
        tail[place + 1] = tail[place] + stages[place].backward + (whole ? stages[place].weight : 0) + latency;
    }
    for (const WorkSeconds& stage : stages)
        longest = std::max(longest, stage.all());
    double least = 0;
    for (std::int64_t place = 0; place < places; ++place) {
        double busy = 0;
        double weights = 0;
        for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
            busy += stages[static_cast<std::size_t>(stage)].all() * passes;
            weights += stages[static_cast<std::size_t>(stage)].weight * passes;
        }
        const auto own = static_cast<std::size_t>(place);
        const std::size_t other = m_layout.isDual() ? static_cast<std::size_t>(places) - 1 - own : own; // Micro-batches come from both ends.
        const double first = std::min(head[own], head[other]);
        const double last = std::min(tail[own], tail[other]);
        // Gradients of weights may come after the last micro-batch has left.
        least = std::max(least, whole ? first + busy + last : first + std::max(busy, busy - weights + last));
    }
    return certain(least, longest);
}

double StepBounds::certain(double seconds, double longest) const
{
    // Every operation is rounded to a tick: a picosecond, or more where all of them would be too long to add up (stepTimes()).
    const double passes = 3 * static_cast<double>(m_layout.microBatches);
    const double whole = longest * passes * static_cast<double>(m_layout.stages()) * 2;
    const double tick = whole < 1e5 ? 1e-12 : whole * 1e-14;
    return std::max(0.0, seconds * (1 - 1e-9) - tick * (passes * static_cast<double>(m_layout.chunks + 1) + 3 * static_cast<double>(m_layout.stages()) + 8));
}

} // namespace fabricscope
