// Loaded into a program before everything else: a disk that does not answer. FABRICSCOPE_DEAD says what waits for ever, "folder" (the flush of
// folders) or "file" (that of files, and removing them); a file FABRICSCOPE_DEAD_MARK.NAME appears when it is asked for.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool dead(const char* what)
{
    const char* const wanted = std::getenv("FABRICSCOPE_DEAD");
    return wanted != nullptr && std::strcmp(wanted, what) == 0;
}

[[noreturn]] void waitForEver(const char* name)
{
    const char* const mark = std::getenv("FABRICSCOPE_DEAD_MARK");
    const int file = ::open((std::string(mark == nullptr ? "" : mark) + '.' + name).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ::close(file);
    for (;;)
        ::pause();
}

} // namespace

extern "C" int fsync(int file)
{
    struct stat info {};
    if (::fstat(file, &info) == 0 && dead(S_ISDIR(info.st_mode) ? "folder" : "file"))
        waitForEver("fsync");
    return static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int unlink(const char* path) noexcept
{
    if (dead("file"))
        waitForEver("unlink");
    return static_cast<int>(::syscall(SYS_unlink, path));
}
