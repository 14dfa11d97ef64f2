#pragma once

#include <memory>
#include <stop_token>
#include <string>

namespace fabricscope {
class OutputFiles;
}

namespace fabricscope::cli {

/// Turns Ctrl-C (SIGINT), SIGTERM and SIGHUP into a stop request. Construct it before any other thread starts.
///
/// The first signal says that the program is stopping and requests the stop; work that looks at the token ends with the error Cancelled.
/// Whoever has not ended 0.2 s later, or at a second signal, is ended: temporary files are removed, the exit code is 4. Once
/// the files have their names (OutputFiles::commit) the program is done and its own exit code counts. A second signal ends it even while a
/// disk does not answer; where the files have their names by then, with the code of an output that may not be written.
class Interrupt {
public:
    explicit Interrupt(std::shared_ptr<OutputFiles> outputs);
    std::stop_token token() const { return m_source.get_token(); }
    /// From here on a stop leads to a result, the best so far: it may take 5 s instead of 0.2 s.
    void allowBestSoFar();
    /// What whoever is ended from outside leaves on standard output, where no answer stands there.
    void answerWith(std::string text);
    /// True: the answer on standard output is the program's, from now on; false: it is being ended, and that was said there.
    bool takeAnswer();

private:
    struct State;
    std::stop_source m_source;
    std::shared_ptr<State> m_state;
};

} // namespace fabricscope::cli
