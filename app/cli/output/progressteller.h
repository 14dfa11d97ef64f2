#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace fabricscope::cli {

/// Names a descriptor that progress and partial results go to as lines of JSON: `serve` sets it for the commands it starts.
inline constexpr const char* kProgressVariable = "FABRICSCOPE_PROGRESS_DESCRIPTOR";

/// How far a command is.
struct ShownProgress {
    std::string_view phase;        ///< "simulating".
    double share = -1;             ///< 0..1; negative: not known.
    double perSecond = 0;          ///< Rate of `things`; 0: none is known.
    std::string_view things = {};  ///< "events".
    double secondsLeft = -1;       ///< Negative: worked out from the share.
};

/// "simulating  42 %  3.1 M events/s  12 s left".
std::string progressText(const ShownProgress& progress, double secondsLeft);

/// Shows how far a command is: a line of the terminal that is written over, lines of JSON for who started it, or nothing. A few times a second; what ends
/// within half a second shows nothing on a terminal. Functions may be called on any thread.
class ProgressTeller {
public:
    ProgressTeller();

    void beQuiet();
    /// Whether anybody sees it.
    bool isShown() const { return m_form != Form::None; }
    void tell(const ShownProgress& progress);
    /// A part of the result that is known already, as a JSON object in one line; only for who started it.
    void tellPart(std::string_view json);
    /// Takes the line away, then writes something else to the terminal.
    void aside(const std::function<void()>& write);

private:
    enum class Form { None, Line, Json };
    using Clock = std::chrono::steady_clock;

    void erase();

    std::mutex m_mutex;
    Form m_form = Form::None;
    int m_descriptor = -1;
    std::string m_phase;
    Clock::time_point m_begin = Clock::now(); ///< Of the phase.
    Clock::time_point m_next;
    bool m_drawn = false;
};

} // namespace fabricscope::cli
