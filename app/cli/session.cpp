#include "app/cli/session.h"

#include "app/cli/interrupt.h"
#include "app/cli/output/errorjson.h"
#include "app/cli/memorynet.h"
#include "core/base/shownlines.h"
#include "core/base/files/writeall.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

/// Long results in pieces: the memory may be scarce. 0, or the error number.
int writeShown(int file, std::string_view text)
{
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n', std::min(kPiece, text.size() - 1)), text.size() - 1) + 1;
        if (const int failure = writeAll(file, shownLines(text.substr(0, end))); failure != 0)
            return failure;
        text.remove_prefix(end);
    }
    return 0;
}

} // namespace

SessionStreams streamsOfProgram(Interrupt& interrupt)
{
    return {[](std::string_view text) { return writeShown(STDOUT_FILENO, text); }, [](std::string_view text) { writeAll(STDERR_FILENO, shownLines(text)); },
            [&interrupt] { interrupt.allowBestSoFar(); }, [&interrupt](std::string text) { interrupt.answerWith(std::move(text)); }, [&interrupt] { return interrupt.takeAnswer(); }, true};
}

Session::Session(std::stop_token stop, std::shared_ptr<OutputFiles> outputs, SessionStreams streams) : m_stop(std::move(stop)), m_outputs(std::move(outputs)), m_streams(std::move(streams))
{
    if (!ownsProcess()) // The terminal is somebody else's.
        m_progress.beQuiet();
}

void Session::leaveOutput()
{
    m_leaveOutput = true;
    m_streams.takeAnswer();
}

void Session::answerAsJson()
{
    m_json = true;
    m_streams.answerWith(errorJson(Error{ErrorCode::Cancelled, "stopped", {}, {}}));
}

void Session::beQuiet()
{
    m_quiet = true;
    m_progress.beQuiet();
}

void Session::say(std::string_view message)
{
    if (!m_quiet)
        sayError(message);
}

void Session::sayError(std::string_view message)
{
    m_progress.aside([&] { m_streams.say(std::string(message) + '\n'); });
}

void Session::fail(const Error& error)
{
    m_exit = exitCode(error.code);
    if (m_json)
        m_failure = errorJson(error);
    if (error.code == ErrorCode::Cancelled)
        return sayError("cancelled");
    sayError((error.code == ErrorCode::Internal ? "error (a bug of Fabricscope, please report it): " : "error: ") + error.text());
    if (error.code == ErrorCode::MemoryLimit && ownsProcess())
        sayMemoryBound();
}

void Session::failForMemory() noexcept
{
    m_exit = exitCode(ErrorCode::MemoryLimit);
    if (ownsProcess())
        sayOutOfMemory();
}

bool Session::failOn(const Diagnostics& diagnostics)
{
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& entry) { return entry.severity == Severity::Error; });
    if (first == diagnostics.end())
        return false;
    if (m_json)
        m_failure = errorJson(toError(*first));
    for (const Diagnostic& entry : diagnostics) {
        if (entry.severity == Severity::Error)
            sayError(entry.text());
        else if (entry.severity == Severity::Warning)
            say(entry.text());
    }
    m_exit = exitCode(ErrorCode::InvalidInput);
    return true;
}

void Session::allowBestSoFar()
{
    if (!std::exchange(m_bestSoFar, true))
        m_streams.allowBestSoFar();
}

void Session::finish()
{
    m_progress.aside([] {});
    const int cancelled = exitCode(ErrorCode::Cancelled);
    if (m_stop.stop_requested() && m_exit != cancelled)
        fail(Error{ErrorCode::Cancelled, "stopped", {}, {}});
    const bool stopped = m_exit == cancelled;
    if (stopped)
        m_outputs->abandon();
    if (stopped && !m_bestSoFar) {
        writeFailure();
        return;
    }
    if (memoryRanOut() && !stopped && m_exit != exitCode(ErrorCode::MemoryLimit))
        failForMemory();
    if (m_exit == exitCode(ErrorCode::MemoryLimit)) { // What there is of results may be cut off.
        m_outputs->abandon();
        writeFailure();
        return;
    }
    // Some results say themselves what was refused.
    const bool instead = m_output.empty() || m_exit == exitCode(ErrorCode::NotWritable);
    if (instead && !m_failure.empty() && !stopped) {
        writeFailure();
    } else if (const int failure = m_streams.takeAnswer() ? m_streams.print(m_output) : 0; failure != 0) {
        sayError(std::string("error: the result cannot be written to standard output: ") + std::strerror(failure));
        m_exit = exitCode(ErrorCode::NotWritable);
    }
    m_output.clear();
    if (stopped)
        return;
    // One output that failed, and the others do not appear either.
    for (const ErrorCode code : {ErrorCode::NotWritable, ErrorCode::InvalidInput, ErrorCode::MemoryLimit, ErrorCode::Internal}) {
        if (m_exit == exitCode(code)) {
            m_outputs->abandon();
            return;
        }
    }
    if (const Status status = m_outputs->commit(); !status)
        fail(status.error());
}

void Session::writeFailure() const
{
    // Of a machine without memory nothing could be made.
    constexpr std::string_view kForMemory = R"({"schema":1,"error":{"code":6,"file":null,"line":null,"field":null,"message":"there is not enough memory for this","expected":null}})" "\n";
    if (m_json && !m_leaveOutput && m_streams.takeAnswer())
        m_streams.print(m_failure.empty() ? kForMemory : std::string_view(m_failure));
}

std::int64_t Session::elapsedMicroseconds() const
{
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - m_begin).count();
}

} // namespace fabricscope::cli
