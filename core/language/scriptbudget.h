#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

namespace fabricscope {

/// What a script may still use. Work is counted in instructions of Lua; what our own functions do is charged in the same unit, so that one
/// call cannot hide more work than the script has left. Everything is counted, nothing is timed: the same script always ends the same way.
class ScriptBudget {
public:
    /// Why something was refused. Memory: more than the script may use; Exhausted: this machine or process has no more.
    enum class Refusal : std::uint8_t { None, Work, Memory, Text, Stopped, Exhausted };

    ScriptBudget(std::int64_t instructions, std::int64_t memoryBytes, std::stop_token stop)
        : m_work(instructions)
        , m_memory(memoryBytes)
        , m_stop(std::move(stop))
    {
    }

    /// Takes `units` of the work that is left. False when it is used up or the user stopped the script.
    bool work(std::int64_t units)
    {
        m_work -= units;
        m_sinceLook += units;
        if (m_sinceLook >= kLookEvery) {
            m_sinceLook = 0;
            if (m_stop.stop_requested())
                return refuse(Refusal::Stopped);
        }
        return m_work >= 0 || refuse(Refusal::Work);
    }
    /// Notes work of something that cannot fail here; the next work() sees it.
    void charge(std::int64_t units)
    {
        m_work -= units;
        m_sinceLook += units;
    }

    /// Takes memory. False, and nothing taken, when there is not so much left.
    bool take(std::int64_t bytes)
    {
        if (bytes > m_memory)
            return refuse(Refusal::Memory);
        m_memory -= bytes;
        return true;
    }
    void give(std::int64_t bytes) { m_memory += bytes; }

    bool refuse(Refusal why)
    {
        if (m_refusal == Refusal::None)
            m_refusal = why;
        return false;
    }
    Refusal refusal() const { return m_refusal; }

private:
    static constexpr std::int64_t kLookEvery = 20'000; ///< Well under a millisecond.

    std::int64_t m_work;
    std::int64_t m_memory;
    std::stop_token m_stop;
    std::int64_t m_sinceLook = 0;
    Refusal m_refusal = Refusal::None;
};

} // namespace fabricscope
