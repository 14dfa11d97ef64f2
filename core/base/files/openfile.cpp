#include "core/base/files/openfile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fabricscope {

namespace {

Error notReadable(const Place& place, std::string message, std::string expected = {})
{
    return {ErrorCode::NotReadable, std::move(message), place, std::move(expected)};
}

Error failed(const Place& place, const char* what, int number)
{
    return notReadable(place, number == ENOENT || number == ENOTDIR ? "file not found" : std::string(what) + ": " + std::strerror(number));
}

Status checkKind(const struct stat& status, const Place& place)
{
    if (S_ISREG(status.st_mode))
        return {};
    if (S_ISDIR(status.st_mode))
        return notReadable(place, "is a folder, not a file");
    const char* const kind = S_ISFIFO(status.st_mode) ? "is a pipe" : S_ISSOCK(status.st_mode) ? "is a socket" : S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? "is a device" : "is no file";
    return notReadable(place, kind, "a regular file");
}

constexpr const char* kStandardInput = "/proc/self/fd/0";

} // namespace

bool isInputFile(const std::string& path)
{
    struct stat status {};
    return ::stat(path == "-" ? kStandardInput : path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<OpenFile> OpenFile::open(const std::string& path, Place place)
{
    if (place.file.empty())
        place.file = path;
    // "-" is standard input, from its beginning every time: the command line keeps it in memory where it is no file.
    const char* const name = path == "-" ? kStandardInput : path.c_str();
    // A name with a zero byte would be cut there by the system.
    if (path.empty() || path.find('\0') != std::string::npos)
        return notReadable(place, "file not found");
    // Asked before opening, as opening a device may do something, and again after it, as the name may mean another file by then.
    struct stat status {};
    if (::stat(name, &status) != 0)
        return failed(place, "cannot be opened", errno);
    if (Status kind = checkKind(status, place); !kind)
        return std::move(kind).error();
    OpenFile file;
    // Without O_NONBLOCK opening a pipe that nobody writes to would wait for ever.
    file.m_descriptor = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.m_descriptor < 0 || ::fstat(file.m_descriptor, &status) != 0)
        return failed(place, "cannot be opened", errno);
    if (Status kind = checkKind(status, place); !kind)
        return std::move(kind).error();
    file.m_size = static_cast<std::uint64_t>(status.st_size);
    file.m_place = std::move(place);
    return file;
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size), m_place(std::move(other.m_place))
{
}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    std::swap(m_place, other.m_place);
    return *this;
}

OpenFile::~OpenFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<std::size_t> OpenFile::read(void* to, std::size_t room)
{
    for (;;) {
        const ssize_t got = ::read(m_descriptor, to, room);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return failed(m_place, "cannot be read", errno);
    }
}

Result<std::size_t> OpenFile::readAt(void* to, std::size_t room, std::uint64_t offset) const
{
    for (;;) {
        const ssize_t got = ::pread(m_descriptor, to, room, static_cast<off_t>(offset));
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return failed(m_place, "cannot be read", errno);
    }
}

Status OpenFile::skip(std::uint64_t count)
{
    if (::lseek(m_descriptor, static_cast<off_t>(count), SEEK_CUR) < 0)
        return failed(m_place, "cannot be read", errno);
    return {};
}

} // namespace fabricscope
