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

const MessageTimes::OfOrder& MessageTimes::groupsOfOrder(std::size_t order)
{
    std::optional<OfOrder>& groups = m_orders[order];
    if (!groups)
        groups = m_groups(order);
    return *groups;
}

std::size_t MessageTimes::indexOf(const PlanLayout& layout, const PlanCommunication& row)
{
    const bool shared = layout.data.zero > 0;
    const std::optional<PlanGroups>& groups = groupsOfOrder(0)[shared ? 1 : 0];
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
        if (other.row.kind == row.kind && other.row.bytes == row.bytes && other.group == message.group && other.shared == shared && other.pair == message.pair && other.row.apart.axes.empty() == row.apart.axes.empty())
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
    const std::optional<PlanGroups>& groups = groupsOfOrder(order)[one.shared ? 1 : 0];
    if (!groups)
        return seconds = 0;
    const PlanGroup& group = (*groups)[one.group];
    one.row.group.axes = one.pair == 0 ? group.axes : std::vector<GroupFamily::Axis>{{2, group.axes.front().stride * one.pair}};
    if (!one.row.apart.axes.empty())
        one.row.apart = (*groups)[kPipelineGroup];
    return seconds = m_npu.communication(one.row);
}

StepBounds::StepBounds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts, const PlanNpu& npu, MessageTimes& messages)
    : m_spread(spread)
    , m_layout(*spread.layout)
    , m_npu(npu)
    , m_messages(messages)
    , m_stages(stageSeconds(spread, parts))
    , m_least(leastSeconds(m_stages))
{
    for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place)
        m_stagesOf.push_back(m_layout.stagesOfRank(place));
}

void StepBounds::findRows()
{
    if (!m_rows.empty())
        return;
    m_alike = alikePlaces(m_spread);
    m_optimizer = optimizerSeconds(m_spread, m_npu);
    for (const std::int64_t place : m_alike.example) {
        std::vector<Row>& rows = m_rows.emplace_back();
        for (PlanCommunication& row : m_npu.communication ? communicationsOf(m_spread, place) : std::vector<PlanCommunication>{}) {
            // States may be shared by the group of context alone.
            const bool ofLayers = row.kind == PlanCommunication::Kind::Send || row.kind == PlanCommunication::Kind::AllToAll || row.group != m_layout.contextGroup;
            const std::size_t message = m_messages.indexOf(m_layout, row);
            row.apart.axes.clear();
            rows.push_back({message, m_messages.indexOf(m_layout, row), static_cast<double>(row.count), stepShareOf(m_layout, row), ofLayers});
        }
    }
}

SentSeconds StepBounds::sumOf(std::size_t order, const std::vector<Row>& rows, bool ofPasses)
{
    SentSeconds sums;
    for (const Row& row : rows) {
        const bool state = row.share == StepShare::Data || row.share == StepShare::Units || row.share == StepShare::After;
        if (ofPasses && (state || !row.ofPasses))
            continue;
        sums.add(row.share, m_messages.seconds(order, row.message), row.count, m_messages.seconds(order, row.ofAll) * busyPlaces(m_layout));
    }
    return sums;
}

std::vector<SentSeconds> StepBounds::sumsOf(std::size_t order, bool ofPasses)
{
    findRows();
    std::vector<SentSeconds> sums;
    for (const std::vector<Row>& rows : m_rows)
        sums.push_back(sumOf(order, rows, ofPasses));
    return sums;
}

double StepBounds::passesOf(std::int64_t place) const
{
    return static_cast<double>(m_stagesOf[static_cast<std::size_t>(place)].size()) * static_cast<double>(m_layout.microBatchesOfStage()) * (m_layout.isDual() ? 2 : 1);
}

double StepBounds::known(std::vector<Known>& all, std::size_t order, bool ofPasses)
{
    std::vector<SentSeconds> sums = sumsOf(order, ofPasses);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Known& one) { return one.sums == sums; });
    if (found != all.end())
        return found->seconds;
    const double seconds = secondsOf(sums, ofPasses);
    all.push_back({std::move(sums), seconds});
    return seconds;
}

double StepBounds::least(std::size_t order)
{
    return known(m_known, order, false);
}

double StepBounds::leastPasses(std::size_t order)
{
    return known(m_knownPasses, order, true);
}

double StepBounds::secondsOf(const std::vector<SentSeconds>& sums, bool ofPasses) const
{
    double latency = 0;
    for (const SentSeconds& sum : sums)
        latency = std::max(latency, sum.latency);
    std::vector<WorkSeconds> stages = m_stages;
    for (std::size_t place = 0; place < m_stagesOf.size(); ++place) {
        const SentSeconds& sum = sums[m_alike.classOf[place]];
        const double passes = passesOf(static_cast<std::int64_t>(place));
        for (const std::int64_t stage : m_stagesOf[place])
            addSent(stages[static_cast<std::size_t>(stage)], m_layout, sum, passes);
    }
    std::vector<WorkSeconds> least = stages;
    for (std::size_t stage = 0; stage < least.size(); ++stage)
        least[stage].weight = m_least[stage].weight;
    // Where one pass computes while another sends, either may be all that is seen.
    const double inPasses = hasPairs(m_layout.shape.schedule) ? std::max(pipelineSeconds(m_least, latency), sendingSeconds(stages)) : pipelineSeconds(least, latency);
    if (ofPasses)
        return inPasses;
    double exposed = 0;
    for (std::size_t i = 0; i < m_alike.example.size(); ++i) {
        double backward = 0;
        double busy = 0;
        for (const std::int64_t stage : m_stagesOf[static_cast<std::size_t>(m_alike.example[i])]) {
            const WorkSeconds& of = stages[static_cast<std::size_t>(stage)];
            backward += of.backward + of.weight;
            busy += of.all() * static_cast<double>(m_layout.microBatchesOfStage());
        }
        exposed = std::max(exposed, exposedSeconds(m_layout, sums[i], backward, busy));
    }
    return inPasses + exposed + m_optimizer;
}

double StepBounds::sendingSeconds(const std::vector<WorkSeconds>& stages) const
{
    double most = 0;
    double longest = 0;
    for (const std::vector<std::int64_t>& own : m_stagesOf) {
        double sending = 0;
        for (const std::int64_t stage : own) {
            const auto at = static_cast<std::size_t>(stage);
            sending += (stages[at].all() - m_stages[at].all()) * static_cast<double>(m_layout.microBatchesOfStage());
            longest = std::max(longest, stages[at].all());
        }
        most = std::max(most, sending);
    }
    return certain(most, longest);
}

double StepBounds::leastOnAverage(double computing, std::size_t order, bool pairs)
{
    const std::vector<SentSeconds> sums = sumsOf(order, true);
    double longest = 0;
    SentSeconds all;
    for (std::size_t place = 0; place < m_stagesOf.size(); ++place) {
        const SentSeconds& one = sums[m_alike.classOf[place]];
        all.forward += one.forward + one.backward;
        all.ringForward += one.ringForward;
        all.ringBackward += one.ringBackward;
        longest = std::max({longest, (one.forward + one.backward + one.ringForward + one.ringBackward) / passesOf(static_cast<std::int64_t>(place)), one.latency});
    }
    double stage = 0;
    WorkSeconds blocks; // What all stages may hide messages round the ring behind.
    for (const WorkSeconds& one : m_stages) {
        stage = std::max(stage, one.all());
        blocks.ringForward += one.ringForward * static_cast<double>(m_layout.microBatches);
        blocks.ringBackward += one.ringBackward * static_cast<double>(m_layout.microBatches);
    }
    // However stages are cut, no more is hidden than if the messages of all of them were hidden behind the blocks of all.
    const double rings = exposedRing(m_layout, all.ringForward, blocks.ringForward) + exposedRing(m_layout, all.ringBackward, blocks.ringBackward);
    const double sending = (all.forward + rings) / static_cast<double>(m_layout.pipelineSize);
    return certain(pairs ? std::max(computing, sending) : computing + sending, longest + stage);
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
        for (const std::int64_t stage : m_stagesOf[static_cast<std::size_t>(place)]) {
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
