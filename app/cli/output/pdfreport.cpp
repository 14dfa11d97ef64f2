#include "app/cli/output/pdfreport.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/design/file/readdesign.h"
#include "core/report/contentfile.h"
#include "core/report/outputfile.h"
#include "core/run/memorylimit.h"
#include "core/yaml/tree.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace fabricscope::cli {

namespace {

namespace fs = std::filesystem;

/// Beside this program (installed), in the build tree, or on the search path.
std::optional<std::string> desktopProgram()
{
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        for (const fs::path& place : {self.parent_path() / "fabricscope", self.parent_path() / ".." / "desktop" / "fabricscope"})
            if (::access(place.c_str(), X_OK) == 0 && fs::is_regular_file(place, error))
                return place.lexically_normal().string();
    }
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const fs::path place = fs::path(rest.substr(0, colon)) / "fabricscope";
        if (::access(place.c_str(), X_OK) == 0 && fs::is_regular_file(place, error))
            return place.string();
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return std::nullopt;
}

/// Runs the program to its end, or ends it when told to stop. Its exit code; -1: it was killed. Errors: it cannot be started; Cancelled.
Result<int> runToEnd(const std::string& program, std::vector<std::string> arguments, const std::stop_token& stop)
{
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    // It handles signals its own way, not as this program does.
    sigset_t none;
    sigset_t pipes;
    sigemptyset(&none);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &pipes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failure = ::posix_spawn(&child, program.c_str(), nullptr, &attributes, pointers.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    if (failure == ENOMEM || failure == EAGAIN)
        return outOfMemory();
    if (failure != 0)
        return Error{ErrorCode::Unsupported, "the desktop program " + program + " cannot be started", {}, {}};
    constexpr timespec kLook{0, 10'000'000};
    int status = 0;
    for (pid_t ended = 0; ended != child;) {
        ended = ::waitpid(child, &status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            return Error{ErrorCode::Internal, "the desktop program was lost", {}, {}};
        if (ended == child)
            break;
        if (stop.stop_requested())
            ::kill(child, SIGKILL);
        ::nanosleep(&kLook, nullptr);
    }
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped while the report was made", {}, {}};
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

ErrorCode codeOfExit(int exit)
{
    for (const ErrorCode code : {ErrorCode::NotWritable, ErrorCode::Cancelled, ErrorCode::MemoryLimit, ErrorCode::InvalidInput})
        if (exitCode(code) == exit)
            return code;
    return ErrorCode::Internal;
}

} // namespace

bool isPdfName(std::string_view path)
{
    return path.size() > 4 && path.ends_with(".pdf");
}

std::string designTextOf(const Design& design, const std::stop_token& stop)
{
    if (!design.file.empty()) {
        const Result<std::string> text = readTextFile(design.file, YamlDocument::kMaxBytes);
        if (text) {
            const Result<LoadedDesign> again = readDesignText(text.value(), design.file, {}, stop);
            if (again && designHash(again.value().design, stop) == designHash(design, stop))
                return text.value();
        }
    }
    return writeDesign(design, stop);
}

Status writePdfReport(const std::string& path, ReportContent content, Session& session)
{
    const std::optional<std::string> program = desktopProgram();
    if (!program)
        return Error{ErrorCode::Unsupported, "PDF reports are written by the desktop program fabricscope, which is not installed", {}, "a name that ends in .html"};
    const Result<std::string> handedOver = session.outputs()->scratch(".report", contentFileText(std::move(content)));
    const Result<std::string> pdf = handedOver ? session.outputs()->scratch(".pdf") : handedOver;
    if (!pdf)
        return endsTheJob(pdf.error()) ? pdf.error() : Error{ErrorCode::NotWritable, "the folder for temporary files cannot be written", {}, {}};
    const Result<int> exit = runToEnd(*program, {*program, "--export-report", pdf.value(), handedOver.value()}, session.stopToken());
    if (!exit)
        return exit.error();
    const ErrorCode code = codeOfExit(exit.value());
    // Qt and the loader of programs abort when memory runs out: under a limit that somebody set, that is what happened.
    const MemoryBound bound = memoryBound();
    if (exit.value() != 0 && code == ErrorCode::Internal && bound.kind != MemoryBound::Kind::None && bound.bytes < defaultMemoryLimit())
        return Error{ErrorCode::MemoryLimit, "the desktop program, which writes PDF reports, did not get through with so little memory", {}, {}};
    if (exit.value() != 0)
        return Error{code, "the report " + path + " was not written", {}, {}};
    constexpr std::size_t kMostPdf = std::size_t{1} << 30;
    const Result<std::string> printed = readTextFile(pdf.value(), kMostPdf);
    if (!printed)
        return printed.error();
    return session.outputs()->write(path, printed.value());
}

} // namespace fabricscope::cli
