#include "app/cli/pdfreport.h"

#include "core/base/textfile.h"
#include "core/design/yamltree.h"
#include "core/report/outputfile.h"
#include "core/report/runfile.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// A file of our own that goes away with this object.
class TemporaryFile {
public:
    TemporaryFile()
    {
        std::error_code error;
        const fs::path folder = fs::temp_directory_path(error);
        m_path = (error ? fs::path("/tmp") : folder).string() + "/fabricscope-XXXXXX.run";
        constexpr int kSuffix = 4;
        const int file = ::mkstemps(m_path.data(), kSuffix);
        m_made = file >= 0;
        if (m_made)
            ::close(file);
    }
    ~TemporaryFile()
    {
        if (m_made)
            ::unlink(m_path.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    bool made() const { return m_made; }
    const std::string& path() const { return m_path; }

private:
    std::string m_path;
    bool m_made = false;
};

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

std::string designTextOf(const Design& design)
{
    if (!design.file.empty()) {
        const Result<std::string> text = readTextFile(design.file, YamlDocument::kMaxBytes);
        if (text) {
            const Result<LoadedDesign> again = readDesignText(text.value(), design.file);
            if (again && designHash(again.value().design) == designHash(design))
                return text.value();
        }
    }
    return writeDesign(design);
}

Status writePdfReport(const std::string& path, const RunSummary& summary, const RunCost& cost)
{
    const std::optional<std::string> program = desktopProgram();
    if (!program)
        return Error{ErrorCode::Unsupported, "PDF reports are written by the desktop program fabricscope, which is not installed", {}, "a name that ends in .html"};
    const TemporaryFile run;
    if (!run.made())
        return Error{ErrorCode::NotWritable, "the folder for temporary files cannot be written", {}, {}};
    if (Status status = saveRun(run.path(), summary, cost); !status)
        return status;

    std::string option = "--export-report";
    std::string output = path;
    std::string input = run.path();
    std::array<char*, 5> arguments{const_cast<char*>(program->c_str()), option.data(), output.data(), input.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, program->c_str(), nullptr, nullptr, arguments.data(), environ) != 0)
        return Error{ErrorCode::Unsupported, "the desktop program " + *program + " cannot be started", {}, {}};
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return Error{ErrorCode::Internal, "the desktop program was lost", {}, {}};
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return Error{codeOfExit(exit), "the report " + path + " was not written", {}, {}};
}

} // namespace fabricscope::cli
