#include "core/base/outputfiles.h"

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

Error abandoned()
{
    return Error{ErrorCode::Cancelled, "stopped before the output was complete", {}, {}};
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

/// The file a path stands for, behind symbolic links.
std::string targetOf(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_symlink(path, ignored)) {
        const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
        if (!resolved.empty())
            return resolved.string();
    }
    return path;
}

/// What is known of a path before anything is written to it.
struct Existing {
    bool exists = false;
    bool regular = false;
    mode_t mode = 0;
};

Result<Existing> look(const std::string& path)
{
    struct stat info {};
    Existing found;
    found.exists = ::stat(path.c_str(), &info) == 0;
    if (found.exists && S_ISDIR(info.st_mode))
        return notWritable(path, EISDIR);
    found.regular = !found.exists || S_ISREG(info.st_mode);
    found.mode = info.st_mode & 07777U;
    if (found.exists && found.regular && ::access(path.c_str(), W_OK) != 0)
        return notWritable(path, errno);
    return found;
}

} // namespace

OutputFiles::~OutputFiles()
{
    const std::scoped_lock lock(m_mutex);
    removeAll();
}

void OutputFiles::removeAll()
{
    for (const Temporary& temporary : m_temporaries)
        ::unlink(temporary.name.c_str());
    m_temporaries.clear();
}

Result<OutputFiles::Made> OutputFiles::create(Temporary temporary, int suffixLength)
{
    // Under the lock: abandon() either sees the file or keeps it from being made.
    const std::scoped_lock lock(m_mutex);
    if (m_abandoned)
        return abandoned();
    const int file = ::mkostemps(temporary.name.data(), suffixLength, O_CLOEXEC);
    if (file < 0)
        return notWritable(temporary.path, errno);
    m_temporaries.push_back(std::move(temporary));
    return Made{file, m_temporaries.back().name};
}

Status OutputFiles::write(const std::string& path, std::string_view content)
{
    const Result<Existing> found = look(path);
    if (!found)
        return found.error();
    if (!found.value().regular) {
        const std::scoped_lock lock(m_mutex);
        m_direct.push_back({path, std::string(content)});
        return {};
    }
    const std::string target = targetOf(path);
    const Result<Made> made = create({target + ".XXXXXX", target, path}, 0);
    if (!made)
        return made.error();
    const int file = made.value().file;
    int failure = writeAll(file, content);
    if (failure == 0 && ::fchmod(file, found.value().exists ? found.value().mode : (0666U & ~currentUmask())) != 0)
        failure = errno;
    if (::close(file) != 0 && failure == 0)
        failure = errno;
    if (failure == 0)
        return {};
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_temporaries, [&](const Temporary& temporary) {
        const bool own = temporary.name == made.value().name;
        if (own)
            ::unlink(temporary.name.c_str());
        return own;
    });
    return notWritable(path, failure);
}

Result<std::string> OutputFiles::open(const std::string& path)
{
    const Result<Existing> found = look(path);
    if (!found)
        return found.error();
    if (!found.value().regular)
        return notWritable(path, EINVAL);
    const std::string target = targetOf(path);
    const Result<Made> made = create({target + ".XXXXXX", target, path}, 0);
    if (!made)
        return made.error();
    const bool allowed = ::fchmod(made.value().file, found.value().exists ? found.value().mode : (0666U & ~currentUmask())) == 0;
    const int failure = allowed ? 0 : errno;
    ::close(made.value().file);
    if (failure != 0)
        return notWritable(path, failure);
    return made.value().name;
}

Result<std::string> OutputFiles::scratch(const std::string& suffix, std::string_view content)
{
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    const std::string name = (error ? std::filesystem::path("/tmp") : folder).string() + "/fabricscope-XXXXXX" + suffix;
    const Result<Made> made = create({name, {}, name}, static_cast<int>(suffix.size()));
    if (!made)
        return made.error();
    const int failure = writeAll(made.value().file, content);
    ::close(made.value().file);
    if (failure != 0)
        return notWritable(name, failure);
    return made.value().name;
}

Status OutputFiles::commit()
{
    Status status;
    for (const Direct& direct : m_direct) { // Not under the lock: a pipe may let it wait.
        const int file = ::open(direct.path.c_str(), O_WRONLY | O_CLOEXEC);
        int failure = file < 0 ? errno : writeAll(file, direct.content);
        if (file >= 0 && ::close(file) != 0 && failure == 0)
            failure = errno;
        if (failure != 0 && status)
            status = notWritable(direct.path, failure);
    }
    const std::scoped_lock lock(m_mutex);
    m_direct.clear();
    if (m_abandoned)
        return abandoned();
    for (Temporary& temporary : m_temporaries) {
        if (temporary.target.empty())
            continue;
        if (::rename(temporary.name.c_str(), temporary.target.c_str()) != 0) {
            if (status)
                status = notWritable(temporary.path, errno);
            ::unlink(temporary.name.c_str());
        }
        temporary.name.clear();
    }
    std::erase_if(m_temporaries, [](const Temporary& temporary) { return temporary.name.empty(); });
    m_committed = true;
    return status;
}

bool OutputFiles::abandon()
{
    const std::scoped_lock lock(m_mutex);
    removeAll();
    if (m_committed)
        return false;
    m_abandoned = true;
    return true;
}

} // namespace fabricscope
