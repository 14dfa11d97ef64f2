#pragma once

#include "app/cli/clients/requestfolder.h"
#include "core/serve/linesplitter.h"

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

struct pollfd;

namespace fabricscope::cli {

/// A request that runs: this program once more, so that a bug, the memory and the working folder of one request are not those of another.
class RequestProcess {
public:
    struct Line {
        enum class Kind : std::uint8_t { Message, Told } kind; ///< Told: an object that the command wrote for us, as JSON.
        std::string text;
    };
    using Take = std::function<void(Line)>;

    /// `arguments`: of the program. `folder`: its working folder, or null: ours. Error: InvalidInput (the arguments are too long), Internal.
    static Result<std::unique_ptr<RequestProcess>> start(std::string id, const std::vector<std::string>& arguments, std::unique_ptr<RequestFolder> folder);
    /// Ends the process at once if it still runs.
    ~RequestProcess();
    RequestProcess(const RequestProcess&) = delete;
    RequestProcess& operator=(const RequestProcess&) = delete;

    const std::string& id() const { return m_id; }
    /// Asks the process to stop.
    void cancel() const;
    /// Adds what is to be waited for.
    void addPolled(std::vector<pollfd>& polled) const;
    /// Takes what can be read without waiting, and hands on what it says; true: the process has ended, and all is read.
    bool advance(const Take& take);

    // After it has ended:

    /// -1: it was ended by the signal endSignal().
    int exitCode() const { return m_exit; }
    int endSignal() const { return m_signal; }
    /// Standard output; cut off when it was too long.
    const std::string& output() const { return m_output; }
    bool isTooLong() const { return m_tooLong; }
    const RequestFolder* folder() const { return m_folder.get(); }

private:
    struct Pipes;
    RequestProcess() = default;

    std::string m_id;
    std::unique_ptr<RequestFolder> m_folder;
    pid_t m_process = -1;
    int m_handle = -1; ///< Of the process: readable when it has ended.
    int m_out = -1;
    int m_messages = -1;
    int m_told = -1;
    std::string m_output;
    LineSplitter m_messageLines{std::size_t{1} << 16};
    LineSplitter m_toldLines{std::size_t{1} << 20};
    bool m_ended = false;
    bool m_tooLong = false;
    int m_exit = -1;
    int m_signal = 0;
};

} // namespace fabricscope::cli
