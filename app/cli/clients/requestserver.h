#pragma once

#include "app/cli/commandline.h"
#include "app/cli/clients/requestprocess.h"

#include <deque>
#include <set>
#include <stop_token>

namespace fabricscope::cli {

/// What the requests of a client may take together.
struct RequestLimits {
    int atOnce = 1;
    std::int64_t memoryEach = 0;                      ///< Bytes; 0: no limit.
    std::size_t lineBytes = std::size_t{16} << 20;    ///< Of one request.
    std::size_t waitingBytes = std::size_t{64} << 20; ///< Of all that wait.
};

/// Answers the requests of one client, lines on a descriptor, with lines on another (manual: serve). One thread; every request is a process.
class RequestServer {
public:
    /// `commands`: of the program; those with --json are the methods.
    RequestServer(const std::vector<KnownCommand>& commands, const RequestLimits& limits, int from, int to);
    ~RequestServer();
    RequestServer(const RequestServer&) = delete;
    RequestServer& operator=(const RequestServer&) = delete;

    /// Until the input ends and all is answered, or it is told to stop: then what runs is cancelled and answered so. Error: NotWritable, where the
    /// client takes no answers any more.
    Status run(const std::stop_token& stop);

private:
    struct Waiting {
        std::string id;
        ClientRequest request;
        std::size_t bytes = 0;
    };

    void take(std::string line, bool whole);
    void queue(std::string id, ClientRequest request, std::size_t bytes);
    void cancel(const std::string& id, const std::string& other);
    void startWaiting();
    void start(Waiting waiting);
    void stopAll();
    void waitForMore();
    void readRequests();
    void advanceRequests();
    bool isKnown(const std::string& id) const;
    void answer(const std::string& line);

    std::set<std::string> m_methods;
    RequestLimits m_limits;
    int m_from;
    int m_to;
    int m_wake = -1; ///< Readable once it shall stop.
    LineSplitter m_lines;
    std::deque<Waiting> m_waiting;
    std::size_t m_waitingBytes = 0;
    std::vector<std::unique_ptr<RequestProcess>> m_running;
    bool m_ended = false;   ///< No more requests.
    bool m_stopped = false;
    int m_failure = 0;      ///< Error number of the output.
};

} // namespace fabricscope::cli
