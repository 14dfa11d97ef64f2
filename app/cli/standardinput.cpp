#include "app/cli/standardinput.h"

#include "core/base/files/writeall.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

constexpr std::array<std::string_view, 6> kOutputOptions{"--save", "--timeline", "--report", "--out", "--draw", "--et"};

bool isOutput(std::string_view option)
{
    return std::find(kOutputOptions.begin(), kOutputOptions.end(), option) != kOutputOptions.end();
}

bool namesInput(const std::vector<std::string>& arguments, std::size_t i)
{
    const std::string_view argument = arguments[i];
    if (argument == "-")
        return i == 0 || !isOutput(arguments[i - 1]);
    const std::string_view option = argument.substr(0, argument.find('='));
    return option.starts_with("--") && argument.substr(option.size()) == "=-" && !isOutput(option);
}

Status notReadable(int number)
{
    Error error{ErrorCode::NotReadable, std::string("standard input cannot be read: ") + std::strerror(number), {}, {}};
    error.place.file = "-";
    return error;
}

} // namespace

Status keepStandardInput(const std::vector<std::string>& arguments)
{
    bool needed = false;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        needed = needed || namesInput(arguments, i);
    struct stat status {};
    if (!needed || ::fstat(STDIN_FILENO, &status) != 0 || S_ISREG(status.st_mode))
        return {};
    const int kept = ::memfd_create("stdin", MFD_CLOEXEC);
    if (kept < 0)
        return notReadable(errno);
    std::array<char, std::size_t{1} << 16> bytes;
    for (ssize_t count = 1; count != 0;) {
        count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR)
            return notReadable(errno);
        if (const int failure = count > 0 ? writeAll(kept, {bytes.data(), static_cast<std::size_t>(count)}) : 0; failure != 0)
            return notReadable(failure);
    }
    if (::dup2(kept, STDIN_FILENO) < 0)
        return notReadable(errno);
    ::close(kept);
    return {};
}

} // namespace fabricscope::cli
