#include "core/step/collectivereplay.h"

#include "core/base/stop.h"
#include "core/program/innetwork.h"
#include "core/step/explicitparts.h"
#include "core/step/moverecorder.h"

#include <algorithm>

namespace fabricscope {

namespace {

Error unsupported(std::string message, std::string expected = {})
{
    return {ErrorCode::Unsupported, std::move(message), {}, std::move(expected)};
}

/// Whether the collective can be stepped through at all.
Status check(const Scenario& scenario, std::int32_t instance)
{
    if (!traitsOf(scenario.model).stepping)
        return unsupported("Stepping shows the models " + modelsWith(&ModelTraits::stepping, "and") + "; run this design under links");
    const auto& instances = scenario.structure->instances;
    if (instance < 0 || static_cast<std::size_t>(instance) >= instances.size()) {
        return invalidInput("there is no collective " + std::to_string(instance), {},
                            instances.empty() ? "a design with collectives" : "0 to " + std::to_string(instances.size() - 1));
    }
    const CollectiveInstance& definition = instances[static_cast<std::size_t>(instance)];
    if (definition.replayPs >= 0)
        return unsupported("this collective takes the time recorded in the trace and sends no messages: there is nothing to step through");
    if (!definition.program)
        return unsupported("this collective sends no messages: its group has one rank, or it has no bytes");
    if (usesSwitches(*definition.program))
        return unsupported("stepping shows messages between ranks; this collective is done by switches", "another algorithm than in_network");
    if (isBroadcast(*definition.program))
        return unsupported("stepping does not show broadcasts", "another collective");
    return {};
}

} // namespace

Result<CollectiveReplayPtr> CollectiveReplay::create(ScenarioPtr scenario, std::int32_t instance, std::int64_t memoryLimit, std::stop_token stop)
{
    return untilStopped([&] { return createOrStop(std::move(scenario), instance, memoryLimit, stop); });
}

Result<CollectiveReplayPtr> CollectiveReplay::createOrStop(ScenarioPtr scenario, std::int32_t instance, std::int64_t memoryLimit, const std::stop_token& stop)
{
    if (Status status = check(*scenario, instance); !status)
        return std::move(status).error();
    const CollectiveInstance& definition = scenario->structure->instances[static_cast<std::size_t>(instance)];
    const std::int64_t messages = messagesOf(definition, kMaxMoves, stop);
    if (messages > static_cast<std::int64_t>(kMaxMoves))
        return unsupported("this collective has more than " + std::to_string(kMaxMoves) + " messages, too many to step through", "fewer ranks or chunks");
    constexpr std::int64_t kBytesPerMove = 2 * sizeof(ReplayMove) + 3 * sizeof(std::uint32_t);
    if (memoryLimit > 0 && messages * kBytesPerMove > memoryLimit)
        return Error{ErrorCode::MemoryLimit, "stepping through " + std::to_string(messages) + " messages needs more memory than the limit of "
                         + showBytes({memoryLimit}), {}, "a higher memory limit"};

    auto recorded = recordMoves(*scenario, instance, messages, memoryLimit, stop);
    if (!recorded)
        return std::move(recorded).error();
    std::vector<ReplayMove> moves = std::move(recorded.value().moves);
    if (moves.empty())
        return unsupported(messages == 0 ? "this collective sends no messages: it has fewer bytes than it has pieces"
                                         : "the simulation cannot finish and did not come as far as this collective");

    std::shared_ptr<CollectiveReplay> replay(new CollectiveReplay);
    replay->m_scenario = std::move(scenario);
    replay->m_instance = instance;
    for (std::int32_t position = 0; position < replay->size(); ++position)
        replay->m_byRank.emplace_back(replay->rankAt(position), position);
    std::sort(replay->m_byRank.begin(), replay->m_byRank.end());
    replay->findDimensions();
    replay->m_moves = std::move(moves);
    replay->m_ways = std::move(recorded.value().ways);
    const bool isTemplate = definition.program->isTemplate();
    if (!isTemplate) {
        if (Status status = replay->assignOperations(stop); !status)
            return std::move(status).error();
    } else if (Status status = replay->addTemplateParts(stop); !status) {
        return std::move(status).error();
    }
    if (Status status = replay->sortMoves(stop); !status)
        return std::move(status).error();
    if (Status status = replay->orderCompletions(stop); !status)
        return std::move(status).error();
    if (!isTemplate && definition.program->asExplicit().hasPlaces()) {
        if (Status status = replay->addPlaces(stop); !status)
            return std::move(status).error();
    } else if (!isTemplate) {
        replay->addExplicitParts(stop);
    }
    replay->addSteps(stop);
    return CollectiveReplayPtr(std::move(replay));
}

const CollectiveInstance& CollectiveReplay::definition() const
{
    return m_scenario->structure->instances[static_cast<std::size_t>(m_instance)];
}

const GroupLayout& CollectiveReplay::layout() const
{
    return m_scenario->structure->layouts[static_cast<std::size_t>(definition().layout)];
}

CollectiveOp CollectiveReplay::op() const
{
    return definition().op;
}

std::int64_t CollectiveReplay::bytes() const
{
    return definition().bytes;
}

std::int32_t CollectiveReplay::size() const
{
    return layout().size();
}

std::int32_t CollectiveReplay::rankAt(std::int32_t position) const
{
    return layout().rankAt(position);
}

NodeId CollectiveReplay::nodeAt(std::int32_t position) const
{
    return m_scenario->structure->placement.nodeOf(rankAt(position));
}

std::int32_t CollectiveReplay::positionOf(std::int32_t rank) const
{
    const auto found = std::lower_bound(m_byRank.begin(), m_byRank.end(), std::pair{rank, std::int32_t{0}});
    return found != m_byRank.end() && found->first == rank ? found->second : -1;
}

std::int32_t CollectiveReplay::chunks() const
{
    return definition().program->isTemplate() ? definition().program->chunks : 1;
}

std::int64_t CollectiveReplay::chunkBytes(std::int32_t chunk) const
{
    const Program& program = *definition().program;
    if (program.isTemplate() && !program.asTemplate().chunkWeights.empty())
        return chunkSizes(program, bytes())[static_cast<std::size_t>(chunk)];
    return blockBytes(bytes(), chunks(), chunk);
}

std::int32_t CollectiveReplay::parts() const
{
    return m_parts->parts();
}

const std::string& CollectiveReplay::partsNote() const
{
    return m_parts->note();
}

std::int32_t CollectiveReplay::complete() const
{
    return m_parts->complete();
}

std::int32_t CollectiveReplay::ownerOf(PartIndex part) const
{
    return m_parts->ownerOf(part);
}

std::int64_t CollectiveReplay::partBytes(std::int32_t chunk, PartIndex part) const
{
    return m_parts->bytesOf(chunkBytes(chunk), part);
}

std::string CollectiveReplay::partName(PartIndex part) const
{
    return m_parts->nameOf(part);
}

std::int64_t CollectiveReplay::beginPs() const
{
    return m_begin;
}

std::int64_t CollectiveReplay::endPs() const
{
    return m_end;
}

std::string CollectiveReplay::algorithmText() const
{
    const Program& program = *definition().program;
    if (!program.isTemplate())
        return program.name.empty() ? "custom" : program.name;
    const TemplateBody& body = program.asTemplate();
    std::string text;
    for (std::size_t axis = 0; axis < body.axes.size(); ++axis) {
        const auto phase = std::find_if(body.phases.begin(), body.phases.end(), [axis](const PhaseTemplate& each) {
            return static_cast<std::size_t>(each.axis) == axis;
        });
        if (phase == body.phases.end())
            continue;
        std::string name(algorithmKey(phase->algorithm));
        std::replace(name.begin(), name.end(), '_', ' ');
        text += (text.empty() ? "" : ", ") + name;
        ReplayStep along;
        along.dimension = m_dimensionOfAxis[axis];
        along.level = layout().levels.empty() ? -1 : static_cast<std::int32_t>(axis);
        if (const std::string line = lineName(along); !line.empty())
            text += " on " + line;
    }
    return text;
}

std::string CollectiveReplay::lineName(const ReplayStep& step) const
{
    if (step.dimension >= 0)
        return "D" + std::to_string(step.dimension);
    return step.level < 0 ? std::string() : layout().levels[static_cast<std::size_t>(step.level)];
}

std::span<const PartIndex> CollectiveReplay::partsOf(const ReplayMove& move) const
{
    return std::span<const PartIndex>(m_parts->table()).subspan(move.firstPart, move.partCount);
}

std::int32_t CollectiveReplay::heldAfter(const ReplayMove& move, std::size_t index) const
{
    return m_parts->heldAfter(move.firstPart + static_cast<std::uint32_t>(index));
}

std::span<const ReplayStep> CollectiveReplay::steps(std::int32_t chunk) const
{
    const auto at = static_cast<std::size_t>(chunk);
    return std::span<const ReplayStep>(m_steps).subspan(m_stepBegin[at], m_stepBegin[at + 1] - m_stepBegin[at]);
}

std::span<const std::uint32_t> CollectiveReplay::completionOrder(std::int32_t chunk) const
{
    const auto at = static_cast<std::size_t>(chunk);
    return std::span<const std::uint32_t>(m_completion).subspan(m_moveBegin[at], m_moveBegin[at + 1] - m_moveBegin[at]);
}

std::int64_t CollectiveReplay::memory() const
{
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size() * sizeof(list[0])); };
    std::int64_t bytes = size(m_moves) + size(m_steps) + size(m_completion) + size(m_bySource) + size(m_operations) + 2 * size(m_parts->table());
    for (const std::vector<TakenWay>& ways : m_ways) {
        bytes += size(ways);
        for (const TakenWay& way : ways)
            bytes += size(way.links);
    }
    constexpr std::int64_t kBytesPerOperation = 128; // Of a program with its order, its writes and their values.
    if (m_program)
        bytes += kBytesPerOperation * (std::int64_t{m_program->body().size()} + m_program->places().count());
    return bytes;
}

std::vector<PartState> CollectiveReplay::initialState(std::int32_t chunk) const
{
    const PartMap& map = *m_parts;
    const std::int32_t parts = map.parts();
    const std::int32_t complete = map.complete();
    const std::int64_t bytes = chunkBytes(chunk);
    std::vector<PartIndex> empty;
    for (PartIndex part = 0; part < parts; ++part) {
        if (map.bytesOf(bytes, part) == 0)
            empty.push_back(part);
    }
    const std::int32_t members = size();
    std::vector<PartState> state(static_cast<std::size_t>(parts) * static_cast<std::size_t>(members));
    for (std::int32_t position = 0; position < members; ++position) {
        // Of the 16 million cells of an all-to-all over 256 only those that hold something.
        const std::span<PartState> row = std::span<PartState>(state).subspan(static_cast<std::size_t>(position) * static_cast<std::size_t>(parts), static_cast<std::size_t>(parts));
        const PartRange held = map.atStart(position);
        for (std::uint32_t part = held.first; part < held.first + held.count; ++part)
            row[part].contributions = map.heldAtStart(position, static_cast<PartIndex>(part));
        for (const PartIndex part : empty)
            row[static_cast<std::size_t>(part)].contributions = complete;
    }
    return state;
}

} // namespace fabricscope
