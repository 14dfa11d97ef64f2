#include "core/base/files/outputfiles.h"

#include "core/base/files/outputtarget.h"
#include "core/base/files/temporaryname.h"
#include "core/base/files/writeall.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
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

/// umask() tells only by setting another one, for a moment and for all threads: two that ask at once would leave none, and every file open to all.
mode_t currentUmask()
{
    constexpr std::string_view kKey = "Umask:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(kKey))
            return static_cast<mode_t>(std::strtoul(line.c_str() + kKey.size(), nullptr, 8));
    }
    const mode_t mask = ::umask(0); // Without /proc.
    ::umask(mask);
    return mask;
}

/// What is known of a path before anything is written to it.
struct Existing {
    std::string target; ///< Behind symbolic links.
    int stream = -1;    ///< "-", /dev/stdout and the like.
    bool exists = false;
    bool regular = false;
    mode_t mode = 0;
    uid_t user = 0;
    gid_t group = 0;
};

Result<Existing> look(const std::string& path)
{
    Existing found;
    found.target = outputTarget(path);
    if (found.target.empty())
        return notWritable(path, path.empty() ? ENOENT : ELOOP);
    found.stream = streamOf(found.target);
    if (found.stream >= 0) {
        if (::fcntl(found.stream, F_GETFD) < 0)
            return notWritable(path, errno);
        return found;
    }
    struct stat info {};
    found.exists = ::stat(found.target.c_str(), &info) == 0;
    if (!found.exists && errno != ENOENT)
        return notWritable(path, errno);
    if ((found.exists && S_ISDIR(info.st_mode)) || found.target.ends_with('/'))
        return notWritable(path, EISDIR);
    found.regular = !found.exists || S_ISREG(info.st_mode);
    found.mode = info.st_mode & 07777U;
    found.user = info.st_uid;
    found.group = info.st_gid;
    if (found.exists && found.regular && ::access(found.target.c_str(), W_OK) != 0)
        return notWritable(path, errno);
    return found;
}

/// Mode and, where allowed, owner of the file that is replaced. 0, or the error number.
int likeBefore(int file, const Existing& before)
{
    // Only the superuser may give files away; else the file becomes ours, as with any editor.
    if (before.exists && (before.user != ::geteuid() || before.group != ::getegid()))
        [[maybe_unused]] const int refused = ::fchown(file, before.user, before.group);
    return ::fchmod(file, before.exists ? before.mode : (0666U & ~currentUmask())) == 0 ? 0 : errno;
}

/// Brings the content of a file to disk, piece by piece while `goesOn()`: nothing ends a process before a flush that it waits for, and that of a large file
/// takes seconds on a busy disk.
void flushPieces(int file, auto&& goesOn)
{
    constexpr off_t kPiece = off_t{4} << 20;
    struct stat info {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    for (off_t begin = 0; begin < info.st_size && goesOn(); begin += kPiece) {
        if (::sync_file_range(file, begin, kPiece, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) != 0)
            return; // fsync() says what is wrong.
    }
}

/// 0, or the error number. File systems that cannot flush say EINVAL.
int flushed(const std::string& path, int flags, auto&& goesOn)
{
    const int file = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC | flags);
    if (file < 0)
        return errno == EACCES ? 0 : errno; // What may be written need not be readable.
    flushPieces(file, goesOn);
    if (!goesOn()) {
        ::close(file);
        return 0;
    }
    const int failure = ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    ::close(file);
    return failure;
}

/// All of a file system at once: for many files.
int flushedAround(const std::string& folder)
{
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return errno == EACCES ? 0 : errno;
    const int failure = ::syncfs(file) == 0 ? 0 : errno;
    ::close(file);
    return failure;
}

/// For mkostemps() and mkdtemp(), where the system cleans up.
std::string scratchPattern()
{
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    return (error ? std::filesystem::path("/tmp") : folder).string() + "/fabricscope-XXXXXX";
}

std::string folderOf(const std::string& path)
{
    return std::filesystem::path(path).parent_path().string();
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
    std::error_code ignored;
    for (const std::string& folder : m_folders)
        std::filesystem::remove_all(folder, ignored);
    m_folders.clear();
}

Result<OutputFiles::Made> OutputFiles::create(Temporary temporary, int suffixLength)
{
    if (const std::string folder = folderOf(temporary.name); m_cleaned.insert(folder).second)
        removeStaleTemporaries(folder.empty() ? "." : folder);
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
    const std::string& target = found.value().target;
    if (!found.value().regular) {
        const std::scoped_lock lock(m_mutex);
        m_direct.push_back({path, target, std::string(content)});
        return {};
    }
    const Result<Made> made = create({temporaryName(target), target, path}, kTemporaryEnding);
    if (!made)
        return made.error();
    const int file = made.value().file;
    // In pieces: the system removes no file that is being written to, so abandon() waits for the end of one of them.
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    int failure = 0;
    while (!content.empty() && failure == 0 && !isAbandoned()) {
        failure = writeAll(file, content.substr(0, kPiece));
        content.remove_prefix(std::min(kPiece, content.size()));
    }
    if (failure == 0 && !content.empty()) {
        ::close(file);
        return abandoned();
    }
    if (failure == 0)
        failure = likeBefore(file, found.value());
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
    const std::string& target = found.value().target;
    if (!found.value().regular)
        return notWritable(path, EINVAL);
    const Result<Made> made = create({temporaryName(target), target, path}, kTemporaryEnding);
    if (!made)
        return made.error();
    const int failure = likeBefore(made.value().file, found.value());
    ::close(made.value().file);
    if (failure != 0)
        return notWritable(path, failure);
    return made.value().name;
}

Result<std::string> OutputFiles::scratch(const std::string& suffix, std::string_view content)
{
    const std::string name = scratchPattern() + suffix;
    const Result<Made> made = create({name, {}, name}, static_cast<int>(suffix.size()));
    if (!made)
        return made.error();
    const int failure = writeAll(made.value().file, content);
    ::close(made.value().file);
    if (failure != 0)
        return notWritable(name, failure);
    return made.value().name;
}

Result<std::string> OutputFiles::scratchFolder()
{
    std::string name = scratchPattern();
    // As create(): abandon() either sees the folder or keeps it from being made.
    const std::scoped_lock lock(m_mutex);
    if (m_abandoned)
        return abandoned();
    if (!::mkdtemp(name.data()))
        return notWritable(name, errno);
    m_folders.push_back(name);
    return name;
}

bool OutputFiles::isAbandoned()
{
    const std::scoped_lock lock(m_mutex);
    return m_abandoned;
}

Status OutputFiles::flush(const std::vector<Temporary>& files)
{
    constexpr std::size_t kFewFiles = 8;
    const bool few = files.size() <= kFewFiles;
    std::set<std::string> folders;
    for (const Temporary& file : files) {
        const std::string folder = folderOf(file.name);
        const int failure = few ? flushed(file.name, 0, [this] { return !isAbandoned(); }) : folders.insert(folder).second ? flushedAround(folder) : 0;
        if (failure != 0 && failure != ENOENT) // Abandoned meanwhile.
            return notWritable(file.path, failure);
    }
    return {};
}

Status OutputFiles::commit()
{
    Status status;
    for (const Direct& direct : m_direct) { // Not under the lock: a pipe may let it wait.
        const int stream = streamOf(direct.target);
        const int file = stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0) : ::open(direct.target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        int failure = file < 0 ? errno : writeAll(file, direct.content);
        if (file >= 0 && ::close(file) != 0 && failure == 0)
            failure = errno;
        if (failure != 0 && status)
            status = notWritable(direct.path, failure);
    }
    std::vector<Temporary> named;
    {
        const std::scoped_lock lock(m_mutex);
        std::copy_if(m_temporaries.begin(), m_temporaries.end(), std::back_inserter(named), [](const Temporary& temporary) { return !temporary.target.empty(); });
    }
    // On disk before they get their names, nor under the lock: a disk can be slow.
    if (Status full = flush(named); !full)
        return full;
    {
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
        removeAll(); // What is left are scratch files.
        m_committed = true;
    }
    std::set<std::string> folders;
    for (const Temporary& file : named) {
        const std::string folder = folderOf(file.target);
        const int failure = folders.insert(folder).second ? flushed(folder, O_DIRECTORY, [] { return true; }) : 0;
        if (failure != 0 && status)
            status = notWritable(file.path, failure);
    }
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
