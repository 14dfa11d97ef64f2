#include "app/cli/clients/requestprocess.h"

#include "app/cli/output/progressteller.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace fabricscope::cli {

namespace {

/// Of an answer; a result of more would have to be held several times.
constexpr std::size_t kMostOutput = std::size_t{256} << 20;
/// Where the process finds what it tells us through.
constexpr int kToldDescriptor = 3;

void closeIt(int& descriptor)
{
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

/// What can be read without waiting; closes the descriptor at its end.
template <typename Take>
void drain(int& descriptor, Take&& take)
{
    std::array<char, std::size_t{1} << 16> bytes;
    while (descriptor >= 0) {
        const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
        if (count > 0) {
            take(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
        } else if (count == 0) {
            closeIt(descriptor);
        } else if (errno != EINTR) {
            if (errno != EAGAIN)
                closeIt(descriptor);
            return;
        }
    }
}

Error notStarted(int number)
{
    if (number == E2BIG)
        return invalidInput("the arguments are too long to start a command", {}, "long texts as files of the request");
    return Error{ErrorCode::Internal, std::string("no process for the request: ") + std::strerror(number), {}, {}};
}

} // namespace

/// Three pipes; the ends that are not handed on are closed with it.
struct RequestProcess::Pipes {
    std::array<std::array<int, 2>, 3> ends{{{-1, -1}, {-1, -1}, {-1, -1}}};

    bool open()
    {
        for (auto& [from, to] : ends) {
            int both[2];
            if (::pipe2(both, O_CLOEXEC) != 0)
                return false;
            from = both[0];
            to = both[1];
            // Ours alone: the flag is one of the open file, and each end is one.
            ::fcntl(from, F_SETFL, O_NONBLOCK);
        }
        return true;
    }
    ~Pipes()
    {
        for (auto& pair : ends) {
            closeIt(pair[0]);
            closeIt(pair[1]);
        }
    }
};

namespace {

/// Starts this program again; 0, or the error number.
int spawn(const std::vector<std::string>& arguments, const char* folder, const std::array<int, 3>& outputs, pid_t& process)
{
    std::vector<char*> words;
    std::string name = "fabricscope-cli";
    words.push_back(name.data());
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    std::string told = std::string(kProgressVariable) + '=' + std::to_string(kToldDescriptor);
    std::vector<char*> environment{told.data()};
    for (char** entry = environ; *entry; ++entry)
        environment.push_back(*entry);
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, outputs[0], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, outputs[1], STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, outputs[2], kToldDescriptor);
    if (folder)
        ::posix_spawn_file_actions_addchdir_np(&actions, folder);
    // We block the signals that end us, and ignore others.
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP})
        sigaddset(&usual, number);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failure = ::posix_spawn(&process, "/proc/self/exe", &actions, &attributes, words.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return failure;
}

} // namespace

Result<std::unique_ptr<RequestProcess>> RequestProcess::start(std::string id, const std::vector<std::string>& arguments, std::unique_ptr<RequestFolder> folder)
{
    Pipes pipes;
    if (!pipes.open())
        return notStarted(errno);
    std::unique_ptr<RequestProcess> request(new RequestProcess);
    if (const int failure = spawn(arguments, folder ? folder->path().c_str() : nullptr, {pipes.ends[0][1], pipes.ends[1][1], pipes.ends[2][1]}, request->m_process); failure != 0)
        return notStarted(failure);
    // Not pidfd_open(): the header of glibc 2.36 does not declare it for C++.
    request->m_handle = static_cast<int>(::syscall(SYS_pidfd_open, request->m_process, 0));
    request->m_id = std::move(id);
    request->m_folder = std::move(folder);
    request->m_out = std::exchange(pipes.ends[0][0], -1);
    request->m_messages = std::exchange(pipes.ends[1][0], -1);
    request->m_told = std::exchange(pipes.ends[2][0], -1);
    return request;
}

RequestProcess::~RequestProcess()
{
    if (m_process > 0 && !m_ended) {
        ::kill(m_process, SIGKILL);
        while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {}
    }
    for (int* const descriptor : {&m_handle, &m_out, &m_messages, &m_told})
        closeIt(*descriptor);
}

void RequestProcess::cancel() const
{
    if (!m_ended)
        ::kill(m_process, SIGTERM);
}

void RequestProcess::addPolled(std::vector<pollfd>& polled) const
{
    for (const int descriptor : {m_handle, m_out, m_messages, m_told}) {
        if (descriptor >= 0)
            polled.push_back({descriptor, POLLIN, 0});
    }
}

bool RequestProcess::advance(const Take& take)
{
    int status = 0;
    // Before reading: what it wrote until it ended is read below.
    if (!m_ended && ::waitpid(m_process, &status, WNOHANG) == m_process) {
        m_ended = true;
        m_exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        m_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        closeIt(m_handle);
    }
    const auto message = [&](std::string line, bool whole) { take({Line::Kind::Message, whole ? std::move(line) : std::string("(a message that is too long)")}); };
    const auto told = [&](std::string line, bool whole) {
        if (whole)
            take({Line::Kind::Told, std::move(line)});
    };
    drain(m_messages, [&](std::string_view bytes) { m_messageLines.add(bytes, message); });
    drain(m_told, [&](std::string_view bytes) { m_toldLines.add(bytes, told); });
    drain(m_out, [&](std::string_view bytes) {
        m_tooLong = m_tooLong || bytes.size() > kMostOutput - m_output.size();
        if (!m_tooLong)
            m_output += bytes;
    });
    if (m_ended)
        m_messageLines.finish(message);
    return m_ended;
}

} // namespace fabricscope::cli
