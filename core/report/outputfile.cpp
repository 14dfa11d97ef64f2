#include "core/report/outputfile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fabricscope {

namespace {

Error notWritable(const std::string& path, int number)
{
    Error error{ErrorCode::NotWritable, std::string("cannot be written: ") + std::strerror(number), {}, {}};
    error.place.file = path;
    return error;
}

/// 0, or the error number.
int writeAll(int file, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return errno;
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

mode_t currentUmask()
{
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mask;
}

} // namespace

Status writeOutputFile(const std::string& path, std::string_view content)
{
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return notWritable(path, EISDIR);
    if (exists && !S_ISREG(info.st_mode)) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0)
            return notWritable(path, errno);
        const int failure = writeAll(file, content);
        if (::close(file) != 0 || failure != 0)
            return notWritable(path, failure != 0 ? failure : errno);
        return {};
    }
    if (exists && ::access(path.c_str(), W_OK) != 0)
        return notWritable(path, errno);

    // A symbolic link keeps pointing where it did: the file behind it is replaced.
    std::error_code ignored;
    std::string target = path;
    if (std::filesystem::is_symlink(path, ignored)) {
        const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
        if (!resolved.empty())
            target = resolved.string();
    }
    std::string temporary = target + ".XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0)
        return notWritable(path, errno);
    int failure = writeAll(file, content);
    if (failure == 0 && ::fchmod(file, exists ? (info.st_mode & 07777U) : (0666U & ~currentUmask())) != 0)
        failure = errno;
    if (::close(file) != 0 && failure == 0)
        failure = errno;
    if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0)
        failure = errno;
    if (failure != 0) {
        ::unlink(temporary.c_str());
        return notWritable(path, failure);
    }
    return {};
}

} // namespace fabricscope
