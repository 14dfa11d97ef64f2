#include "core/base/files/outputtarget.h"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace fabricscope {

namespace fs = std::filesystem;

int streamOf(const std::string& path)
{
    if (path == "-" || path == "/dev/stdout")
        return STDOUT_FILENO;
    if (path == "/dev/stderr")
        return STDERR_FILENO;
    const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd/";
    for (const std::string_view folder : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/"), std::string_view(own)}) {
        if (!path.starts_with(folder))
            continue;
        int number = -1;
        const auto [end, error] = std::from_chars(path.data() + folder.size(), path.data() + path.size(), number);
        if (error == std::errc() && end == path.data() + path.size() && number >= 0)
            return number;
    }
    return -1;
}

std::string outputTarget(const std::string& path)
{
    constexpr int kMostLinks = 40; // As Linux.
    fs::path at(path);
    for (int links = 0; links <= kMostLinks; ++links) {
        std::error_code error;
        if (streamOf(at.string()) >= 0 || fs::symlink_status(at, error).type() != fs::file_type::symlink)
            return at.string();
        const fs::path next = fs::read_symlink(at, error);
        if (error)
            return {};
        at = next.is_absolute() ? next : at.parent_path() / next;
    }
    return {};
}

} // namespace fabricscope
