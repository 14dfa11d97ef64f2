#pragma once

#include <stop_token>

namespace fabricscope::cli {

/// Turns Ctrl-C (SIGINT) and SIGTERM into a stop request. Construct it before any other thread starts.
/// A signal while nothing can be stopped (see Stoppable), or a second one, ends the program at once with exit code 4.
class Interrupt {
public:
    Interrupt();
    std::stop_token token() const { return m_source.get_token(); }

    /// While one of these lives, the work looks at the stop token.
    class Stoppable {
    public:
        Stoppable();
        ~Stoppable();
        Stoppable(const Stoppable&) = delete;
        Stoppable& operator=(const Stoppable&) = delete;
    };

private:
    std::stop_source m_source;
};

} // namespace fabricscope::cli
