#include "core/step/moverecorder.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/program/nativerule.h"
#include "core/sim/simulate.h"
#include "core/step/explicitparts.h"

#include <map>
#include <span>
#include <utility>

namespace fabricscope {

namespace {

/// Messages of one chunk of `bytes` bytes that goes through `phases`; counting ends above `most`.
std::int64_t messagesOfChunk(const TemplateBody& body, const std::vector<PhaseTemplate>& phases, std::int32_t size, std::int64_t bytes, std::int64_t most)
{
    std::int64_t count = 0;
    std::vector<std::int32_t> coordinates;
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
        const auto axis = static_cast<std::size_t>(phases[phase].axis);
        const PhaseRules rules(phases[phase], body.axes[axis]);
        for (std::int32_t position = 0; position < size && count <= most; ++position) {
            coordinatesOf(position, body.axes, coordinates);
            const std::int64_t held = heldBytes(body.axes, phases, phase, bytes, coordinates);
            const std::int32_t sends = rules.sendCount(coordinates[axis]);
            if (held >= rules.extent() && !rules.rule().halves) {
                count += sends; // No block is empty.
                continue;
            }
            for (std::int32_t index = 0; index < sends; ++index)
                count += rules.send(coordinates[axis], index, held).bytes > 0 ? 1 : 0;
        }
    }
    return count;
}

/// The ways of messages that did not go that of Platform::route(), each once.
class WayList {
public:
    explicit WayList(const Structure& structure)
        : m_structure(structure)
    {
    }

    /// Takes what the engine says of the ways of the message that comes next.
    void tell(std::span<const TakenWay> ways) { m_told.assign(ways.begin(), ways.end()); }
    /// ReplayMove::ways of that message.
    std::int32_t numberOf(const MessageRecord& message)
    {
        std::vector<TakenWay> told;
        told.swap(m_told);
        if (told.empty())
            return -1;
        if (told.size() == 1) {
            m_usual.clear();
            m_structure.platform.route(m_structure.placement.nodeOf(message.source), m_structure.placement.nodeOf(message.target), m_usual);
            if (told.front().links == m_usual)
                return -1;
        }
        std::int64_t bytes = kBytesPerList;
        for (const TakenWay& way : told)
            bytes += static_cast<std::int64_t>(sizeof(TakenWay) + way.links.size() * sizeof(LinkId));
        const auto [entry, isNew] = m_numbers.try_emplace(std::move(told), static_cast<std::int32_t>(m_numbers.size()));
        if (isNew)
            m_bytes += bytes;
        return entry->second;
    }
    std::int64_t bytes() const { return m_bytes; }
    /// By number; the list is empty after that.
    std::vector<std::vector<TakenWay>> take()
    {
        std::vector<std::vector<TakenWay>> lists(m_numbers.size());
        while (!m_numbers.empty()) {
            auto entry = m_numbers.extract(m_numbers.begin());
            lists[at(entry.mapped())] = std::move(entry.key());
        }
        return lists;
    }

private:
    static constexpr std::int64_t kBytesPerList = 128; ///< Of the map, and when it is taken.

    const Structure& m_structure;
    std::map<std::vector<TakenWay>, std::int32_t> m_numbers;
    std::vector<TakenWay> m_told;
    std::vector<LinkId> m_usual;
    std::int64_t m_bytes = 0;
};

/// Can a message of the collective go another way than that of Platform::route()?
bool choosesWays(const Scenario& scenario, const CollectiveInstance& instance)
{
    return scenario.params->network || (!instance.program->isTemplate() && !instance.program->asExplicit().route.empty());
}

} // namespace

std::int64_t messagesOf(const CollectiveInstance& instance, std::int64_t most, const std::stop_token& stop)
{
    const Program& program = *instance.program;
    if (!program.isTemplate())
        return ExplicitSends(program, instance.bytes, stop).count();
    std::int32_t size = 1;
    for (const std::int32_t extent : program.asTemplate().axes)
        size *= extent;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int64_t> sizes = chunkSizes(program, instance.bytes);
    std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> known; // Chunks of one size and order are alike.
    std::int64_t count = 0;
    for (std::int32_t chunk = 0; chunk < program.chunks && count <= most; ++chunk) {
        const auto i = static_cast<std::size_t>(chunk);
        if (sizes[i] == 0)
            continue;
        const auto [entry, added] = known.try_emplace({sizes[i], body.orderOfChunk.empty() ? 0 : body.orderOfChunk[i]}, 0);
        if (added)
            entry->second = messagesOfChunk(body, body.phasesOf(chunk), size, sizes[i], most);
        count += entry->second;
    }
    return count;
}

Result<RecordedMoves> recordMoves(const Scenario& scenario, std::int32_t instance, std::int64_t messages, std::int64_t memoryLimit,
                                  const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const GroupLayout& layout = structure.layouts[at(structure.instances[at(instance)].layout)];
    std::vector<std::int32_t> positionOf(static_cast<std::size_t>(structure.workload->rankCount), -1);
    for (std::int32_t position = 0; position < layout.size(); ++position)
        positionOf[at(layout.rankAt(position))] = position;

    RecordedMoves recorded;
    std::vector<ReplayMove>& moves = recorded.moves;
    moves.reserve(static_cast<std::size_t>(messages));
    std::stop_source enough;
    const std::stop_callback forward(stop, [&enough] { enough.request_stop(); });
    WayList ways(structure);
    const std::int64_t limitOfWays = memoryLimit > 0 ? memoryLimit - messages * static_cast<std::int64_t>(sizeof(ReplayMove)) : INT64_MAX;
    RunOptions options;
    options.engine = EngineChoice::Events; // The one that takes every message on its own.
    options.taskTimes = false;
    options.memoryLimit = memoryLimit;
    if (choosesWays(scenario, structure.instances[at(instance)]))
        options.ways = [&](std::span<const TakenWay> taken) { ways.tell(taken); };
    options.message = [&](const MessageRecord& message) {
        if (message.instance != instance)
            return ways.tell({});
        ReplayMove& move = moves.emplace_back();
        move.source = positionOf[at(message.source)];
        move.target = positionOf[at(message.target)];
        move.chunk = message.chunk;
        move.phase = message.phase;
        move.step = message.step;
        move.slot = message.slot;
        move.bytes = message.bytes;
        move.readyPs = message.readyPs;
        move.leftPs = message.leftPs;
        move.donePs = message.donePs;
        move.ways = ways.numberOf(message);
        if (static_cast<std::int64_t>(moves.size()) == messages || ways.bytes() > limitOfWays)
            enough.request_stop();
    };
    const Result<RunRecord> record = simulate(scenario, options, enough.get_token());
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, "the replay was stopped", {}, {}};
    if (ways.bytes() > limitOfWays)
        return Error{ErrorCode::MemoryLimit, "the ways of " + std::to_string(messages) + " messages need more memory than the limit of " + showBytes({memoryLimit}),
                     {}, "a higher memory limit"};
    if (!record && static_cast<std::int64_t>(moves.size()) != messages)
        return record.error();
    recorded.ways = ways.take();
    return recorded;
}

} // namespace fabricscope
