#include "core/base/files/temporaryname.h"

#include "core/base/digest.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace fabricscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".fabricscope-";
constexpr std::string_view kUnique = "-XXXXXX";
constexpr std::string_view kEnding = ".tmp";
static_assert(kEnding.size() == kTemporaryEnding);
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kWhereDigits = 8;
constexpr std::time_t kDaySeconds = 24 * 60 * 60;

/// Eight digits that tell this boot and process namespace from others.
std::string here()
{
    std::string text;
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    std::getline(boot, text);
    std::error_code ignored;
    text += fs::read_symlink("/proc/self/ns/pid", ignored).string();
    return digestOf(text).hex().substr(0, kWhereDigits);
}

struct Writer {
    pid_t process = 0;
    std::string_view where;
};

/// Who wrote NAME.fabricscope-PID-WHERE-XXXXXX.tmp; process 0: not such a name.
Writer writerOf(std::string_view name)
{
    if (!name.ends_with(kEnding))
        return {};
    name.remove_suffix(kEnding.size());
    const std::size_t mark = name.rfind(kMark);
    const std::size_t behind = 1 + kWhereDigits + kUnique.size();
    if (mark == std::string_view::npos || name.size() < mark + kMark.size() + 1 + behind)
        return {};
    const std::string_view number = name.substr(mark + kMark.size(), name.size() - mark - kMark.size() - behind);
    const std::string_view where = name.substr(name.size() - kWhereDigits - kUnique.size(), kWhereDigits);
    pid_t process = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), process);
    const bool good = error == std::errc() && end == number.data() + number.size() && process > 0 && number.data()[number.size()] == '-' && where.data()[kWhereDigits] == '-'
        && where.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return good ? Writer{process, where} : Writer{};
}

bool isStale(const fs::path& path, const Writer& writer, std::string_view own)
{
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    if (writer.where == own)
        return writer.process != ::getpid() && ::kill(writer.process, 0) != 0 && errno == ESRCH;
    return std::time(nullptr) - info.st_mtime > kDaySeconds;
}

} // namespace

std::string temporaryName(const std::string& target)
{
    const fs::path path(target);
    const std::string ending = std::string(kMark) + std::to_string(::getpid()) + '-' + here() + std::string(kUnique) + std::string(kEnding);
    return (path.parent_path() / (path.filename().string().substr(0, kLongestName - ending.size()) + ending)).string();
}

int removeStaleTemporaries(const std::string& folder)
{
    const std::string own = here();
    int removed = 0;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path name = entry->path().filename(); // `writer` looks into it.
        const Writer writer = writerOf(name.native());
        if (writer.process != 0 && isStale(entry->path(), writer, own) && ::unlink(entry->path().c_str()) == 0)
            ++removed;
    }
    return removed;
}

} // namespace fabricscope
