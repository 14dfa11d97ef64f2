#include "core/base/textfile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace fabricscope {

namespace {

Error fileError(const std::string& path, std::string message)
{
    Error error;
    error.code = ErrorCode::NotReadable;
    error.message = std::move(message);
    error.place.file = path;
    return error;
}

} // namespace

Result<std::string> readTextFile(const std::string& path, std::size_t limit)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (path.empty() || !std::filesystem::exists(status))
        return fileError(path, "file not found");
    if (std::filesystem::is_directory(status))
        return fileError(path, "is a folder, not a file");
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    if (!file)
        return fileError(path, std::string("cannot be opened: ") + std::strerror(errno));
    std::string text;
    std::array<char, 65536> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        if (text.size() + count > limit)
            return fileError(path, "is larger than " + std::to_string(limit) + " bytes");
        text.append(buffer.data(), count);
    }
    if (std::ferror(file.get()))
        return fileError(path, "cannot be read");
    return text;
}

} // namespace fabricscope
