#include "app/cli/output/progressteller.h"

#include "app/cli/values.h"
#include "core/base/files/writeall.h"
#include "core/report/jsonwriter.h"
#include "core/study/tabletext.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

constexpr std::chrono::milliseconds kFirst{500};
constexpr std::chrono::milliseconds kBetween{100};

/// "3.1 M".
std::string scaledRate(double value)
{
    static constexpr std::array<std::pair<double, std::string_view>, 3> kScales{{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
    for (const auto& [scale, letter] : kScales) {
        if (value >= scale)
            return withDecimals(value / scale, 1) + std::string(letter);
    }
    return withDecimals(value, value < 10 ? 1 : 0);
}

std::string progressJson(const ShownProgress& progress, double secondsLeft)
{
    JsonWriter json;
    json.beginCompactObject();
    json.key("progress");
    json.beginCompactObject();
    json.member("phase", progress.phase);
    json.key("share");
    progress.share >= 0 ? json.number(withDecimals(std::min(progress.share, 1.0), 6)) : json.null();
    if (progress.perSecond > 0) {
        json.key("per_s");
        json.number(withDecimals(progress.perSecond, 3));
        json.member("of", progress.things);
    }
    json.key("left_s");
    secondsLeft >= 0 ? json.number(withDecimals(secondsLeft, 1)) : json.null();
    json.endObject();
    json.endObject();
    return json.text(); // Ends its line.
}

} // namespace

std::string progressText(const ShownProgress& progress, double secondsLeft)
{
    std::string text(progress.phase);
    if (progress.share >= 0)
        text += "  " + withDecimals(std::floor(100 * std::min(progress.share, 1.0)), 0) + " %";
    if (progress.perSecond > 0)
        text += "  " + scaledRate(progress.perSecond) + ' ' + std::string(progress.things) + "/s";
    if (secondsLeft >= 0)
        text += "  " + durationText(secondsLeft) + " left";
    return text;
}

ProgressTeller::ProgressTeller()
{
    if (const char* const named = std::getenv(kProgressVariable)) {
        const auto number = wholeNumber<int>(named);
        if (number && *number > STDERR_FILENO && ::fcntl(*number, F_GETFD) >= 0) {
            m_descriptor = *number;
            ::fcntl(m_descriptor, F_SETFD, FD_CLOEXEC);
            m_form = Form::Json;
            // Without who started it nobody wants the answer.
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        }
        return;
    }
    const char* const terminal = std::getenv("TERM");
    // One that is "dumb" cannot erase a line.
    if (::isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb" && *terminal)
        m_form = Form::Line;
    m_next = m_begin + (m_form == Form::Line ? kFirst : std::chrono::milliseconds(0));
}

void ProgressTeller::beQuiet()
{
    if (m_form == Form::Line)
        m_form = Form::None;
}

void ProgressTeller::tell(const ShownProgress& progress)
{
    if (m_form == Form::None)
        return;
    const std::lock_guard lock(m_mutex);
    const Clock::time_point now = Clock::now();
    if (m_phase != progress.phase) {
        m_phase = progress.phase;
        m_begin = now;
    }
    if (now < m_next)
        return;
    m_next = now + kBetween;
    constexpr double kLeastShare = 0.01; // Of less nothing can be said.
    const double spent = std::chrono::duration<double>(now - m_begin).count();
    const double left = progress.secondsLeft >= 0 ? progress.secondsLeft : progress.share >= kLeastShare && spent > 0 ? spent * (1 - std::min(progress.share, 1.0)) / progress.share : -1;
    if (m_form == Form::Json) {
        writeAll(m_descriptor, progressJson(progress, left));
        return;
    }
    writeAll(STDERR_FILENO, "\r\x1b[K" + progressText(progress, left));
    m_drawn = true;
}

void ProgressTeller::tellPart(std::string_view json)
{
    if (m_form != Form::Json)
        return;
    const std::lock_guard lock(m_mutex);
    writeAll(m_descriptor, "{\"partial\": " + std::string(json.substr(0, json.find('\n'))) + "}\n");
}

void ProgressTeller::aside(const std::function<void()>& write)
{
    const std::lock_guard lock(m_mutex);
    erase();
    write();
}

void ProgressTeller::erase()
{
    if (m_drawn)
        writeAll(STDERR_FILENO, "\r\x1b[K");
    m_drawn = false;
}

} // namespace fabricscope::cli
