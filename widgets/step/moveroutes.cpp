#include "widgets/step/moveroutes.h"

#include <algorithm>

namespace fabricscope {

StepRoutes::StepRoutes(CollectiveReplayPtr replay) : m_replay(std::move(replay)) {}

const std::vector<LinkId>& StepRoutes::route(std::uint32_t index)
{
    const ReplayMove& move = m_replay->moves()[index];
    // Positions are below 2^20, phases few.
    const std::uint64_t key = (static_cast<std::uint64_t>(move.phase) << 42) | (static_cast<std::uint64_t>(move.source) << 21)
                              | static_cast<std::uint64_t>(move.target);
    const auto found = m_routes.find(key);
    if (found != m_routes.end())
        return found->second;
    return m_routes.emplace(key, m_replay->why(index).route).first->second;
}

std::vector<LinkId> StepRoutes::linksOf(const ReplayStep& step)
{
    std::vector<LinkId> links;
    for (std::uint32_t i = step.firstMove; i < step.firstMove + step.moveCount; ++i) {
        const std::vector<LinkId>& of = route(i);
        links.insert(links.end(), of.begin(), of.end());
    }
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
}

std::int64_t StepRoutes::sendBegin(std::uint32_t index)
{
    const ReplayMove& move = m_replay->moves()[index];
    const std::vector<LinkId>& links = route(index);
    const Scenario& scenario = m_replay->scenario();
    if (links.empty() || !scenario.costs)
        return move.readyPs;
    const std::int64_t occupancy = scenario.costs->occupancy(scenario.structure->classOf(links.front()), move.bytes);
    return std::clamp(move.leftPs - occupancy, move.readyPs, std::max(move.readyPs, move.leftPs));
}

MoveProgress StepRoutes::progress(std::uint32_t index, std::int64_t ps)
{
    const ReplayMove& move = m_replay->moves()[index];
    if (ps >= move.donePs)
        return {MoveProgress::State::Done, 1, 1};
    if (ps < move.readyPs)
        return {};
    const std::int64_t begin = sendBegin(index);
    if (ps < begin)
        return {MoveProgress::State::Waiting, 0, 0};
    const double along = static_cast<double>(ps - begin) / static_cast<double>(move.donePs - begin);
    if (ps >= move.leftPs)
        return {MoveProgress::State::Arriving, 1, along};
    return {MoveProgress::State::Sending, static_cast<double>(ps - begin) / static_cast<double>(move.leftPs - begin), along};
}

std::span<const std::uint32_t> StepRoutes::movesFrom(std::int32_t position)
{
    if (m_fromBegin.empty()) {
        m_fromBegin.assign(static_cast<std::size_t>(m_replay->size()) + 1, 0);
        for (const ReplayMove& move : m_replay->moves())
            ++m_fromBegin[static_cast<std::size_t>(move.source) + 1];
        for (std::size_t i = 1; i < m_fromBegin.size(); ++i)
            m_fromBegin[i] += m_fromBegin[i - 1];
        m_from.resize(m_replay->moves().size());
        std::vector<std::uint32_t> next(m_fromBegin.begin(), m_fromBegin.end() - 1);
        for (std::uint32_t i = 0; i < m_from.size(); ++i)
            m_from[next[static_cast<std::size_t>(m_replay->moves()[i].source)]++] = i;
    }
    const std::size_t at = static_cast<std::size_t>(position);
    return std::span<const std::uint32_t>(m_from).subspan(m_fromBegin[at], m_fromBegin[at + 1] - m_fromBegin[at]);
}

std::vector<std::uint32_t> StepRoutes::movesTo(std::int32_t position, std::int32_t chunk) const
{
    std::vector<std::uint32_t> result;
    for (const ReplayStep& step : m_replay->steps(chunk))
        for (std::uint32_t i = step.firstMove; i < step.firstMove + step.moveCount; ++i)
            if (m_replay->moves()[i].target == position)
                result.push_back(i);
    return result;
}

} // namespace fabricscope
