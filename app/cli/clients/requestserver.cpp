#include "app/cli/clients/requestserver.h"

#include "app/cli/clients/answerlines.h"
#include "core/base/files/writeall.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

constexpr std::size_t kMostWaiting = 1000;

Error refusedField(std::string message, const char* field, std::string expected)
{
    Place place;
    place.field = field;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

std::vector<std::string> wordsOf(const std::string& method)
{
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= method.size();) {
        const std::size_t end = std::min(method.find(' ', begin), method.size());
        words.push_back(method.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

} // namespace

RequestServer::RequestServer(const std::vector<KnownCommand>& commands, const RequestLimits& limits, int from, int to)
    : m_limits(limits), m_from(from), m_to(to), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), m_lines(limits.lineBytes)
{
    for (const KnownCommand& row : commands) {
        if (row.hasOption("--json"))
            m_methods.insert(row.name);
    }
}

RequestServer::~RequestServer()
{
    m_running.clear();
    ::close(m_wake);
}

Status RequestServer::run(const std::stop_token& stop)
{
    const std::stop_callback wake(stop, [this] { ::eventfd_write(m_wake, 1); });
    while (m_failure == 0) {
        if (stop.stop_requested() && !m_stopped)
            stopAll();
        startWaiting();
        if (m_ended && m_waiting.empty() && m_running.empty())
            return {};
        waitForMore();
    }
    return Error{ErrorCode::NotWritable, std::string("the answers cannot be written to standard output: ") + std::strerror(m_failure), {}, {}};
}

void RequestServer::stopAll()
{
    m_stopped = m_ended = true;
    for (const Waiting& waiting : m_waiting)
        answer(errorLine(waiting.id, stoppedError()));
    m_waiting.clear();
    for (const auto& request : m_running)
        request->cancel();
}

void RequestServer::waitForMore()
{
    std::vector<pollfd> polled;
    if (!m_stopped)
        polled.push_back({m_wake, POLLIN, 0});
    if (!m_ended)
        polled.push_back({m_from, POLLIN, 0});
    for (const auto& request : m_running)
        request->addPolled(polled);
    ::poll(polled.data(), polled.size(), -1);
    const auto reads = std::find_if(polled.begin(), polled.end(), [&](const pollfd& one) { return one.fd == m_from; });
    if (!m_ended && reads != polled.end() && reads->revents != 0)
        readRequests();
    advanceRequests();
}

void RequestServer::readRequests()
{
    std::array<char, std::size_t{1} << 16> bytes;
    const ssize_t count = ::read(m_from, bytes.data(), bytes.size());
    const auto taken = [this](std::string line, bool whole) { take(std::move(line), whole); };
    if (count > 0) {
        m_lines.add({bytes.data(), static_cast<std::size_t>(count)}, taken);
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        m_ended = true;
        m_lines.finish(taken);
    }
}

void RequestServer::advanceRequests()
{
    std::erase_if(m_running, [this](const std::unique_ptr<RequestProcess>& request) {
        const bool ended = request->advance([&](const RequestProcess::Line& line) {
            answer(line.kind == RequestProcess::Line::Kind::Told ? toldLine(request->id(), line.text) : messageLine(request->id(), line.text));
        });
        if (ended)
            answer(lastLine(*request));
        return ended;
    });
}

void RequestServer::take(std::string line, bool whole)
{
    if (!whole)
        return answer(errorLine("null", invalidInput("the line is too long", {}, "at most " + std::to_string(m_limits.lineBytes >> 20) + " MiB")));
    const std::size_t bytes = line.size();
    RequestLine read = parseRequestLine(line);
    if (!read.request)
        return answer(errorLine(read.id, read.request.error()));
    ClientRequest& request = read.request.value();
    if (request.method == "cancel")
        return cancel(read.id, request.cancels);
    // A second request of that name could not be told from the first.
    if (isKnown(read.id))
        return answer(errorLine("null", refusedField("the id " + read.id + " is that of a request that is not answered yet", "id", "another one")));
    queue(std::move(read.id), std::move(request), bytes);
}

void RequestServer::queue(std::string id, ClientRequest request, std::size_t bytes)
{
    if (!m_methods.contains(request.method)) {
        std::vector<std::string_view> names(m_methods.begin(), m_methods.end());
        names.push_back("cancel");
        return answer(errorLine(id, refusedField("there is no method " + quotedText(request.method) + didYouMean(request.method, names), "method", "a command that answers in JSON (fabricscope-cli schema --commands), or cancel")));
    }
    if (m_waiting.size() >= kMostWaiting || bytes > m_limits.waitingBytes - std::min(m_waitingBytes, m_limits.waitingBytes))
        return answer(errorLine(id, Error{ErrorCode::MemoryLimit, "too many requests wait", {}, "at most " + std::to_string(kMostWaiting) + ", of " + std::to_string(m_limits.waitingBytes >> 20) + " MiB"}));
    m_waitingBytes += bytes;
    m_waiting.push_back({std::move(id), std::move(request), bytes});
}

void RequestServer::cancel(const std::string& id, const std::string& other)
{
    bool found = false;
    for (const auto& request : m_running) {
        if (request->id() == other) {
            request->cancel();
            found = true;
        }
    }
    const auto waiting = std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Waiting& one) { return one.id == other; });
    if (waiting != m_waiting.end()) {
        m_waitingBytes -= waiting->bytes;
        m_waiting.erase(waiting);
        found = true;
        answer(errorLine(other, stoppedError()));
    }
    if (id != "null")
        answer(cancelLine(id, found));
}

void RequestServer::startWaiting()
{
    while (!m_waiting.empty() && m_running.size() < static_cast<std::size_t>(m_limits.atOnce)) {
        Waiting next = std::move(m_waiting.front());
        m_waiting.pop_front();
        m_waitingBytes -= next.bytes;
        start(std::move(next));
    }
}

void RequestServer::start(Waiting waiting)
{
    std::vector<std::string> arguments = wordsOf(waiting.request.method);
    const std::vector<std::string>& own = waiting.request.arguments;
    arguments.insert(arguments.end(), own.begin(), own.end());
    arguments.emplace_back("--json");
    if (m_limits.memoryEach > 0)
        arguments.push_back("--memory-limit=" + std::to_string(m_limits.memoryEach) + " B");
    std::unique_ptr<RequestFolder> folder;
    if (!waiting.request.files.empty()) {
        Result<std::unique_ptr<RequestFolder>> made = RequestFolder::make(waiting.request.files);
        if (!made)
            return answer(errorLine(waiting.id, made.error()));
        folder = std::move(made).value();
    }
    Result<std::unique_ptr<RequestProcess>> request = RequestProcess::start(waiting.id, arguments, std::move(folder));
    if (!request)
        return answer(errorLine(waiting.id, request.error()));
    m_running.push_back(std::move(request).value());
}

bool RequestServer::isKnown(const std::string& id) const
{
    return std::any_of(m_running.begin(), m_running.end(), [&](const auto& request) { return request->id() == id; })
        || std::any_of(m_waiting.begin(), m_waiting.end(), [&](const Waiting& waiting) { return waiting.id == id; });
}

void RequestServer::answer(const std::string& line)
{
    if (m_failure == 0)
        m_failure = writeAll(m_to, line);
}

} // namespace fabricscope::cli
