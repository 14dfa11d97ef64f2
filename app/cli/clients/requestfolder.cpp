#include "app/cli/clients/requestfolder.h"

#include "core/base/files/textfile.h"
#include "core/base/files/writeall.h"
#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

namespace fs = std::filesystem;

/// Of one file that is handed back.
constexpr std::size_t kMostWritten = std::size_t{16} << 20;

Error cannotWrite(const std::string& name, int number)
{
    Error error{ErrorCode::NotWritable, std::string("the file of the request cannot be written: ") + std::strerror(number), {}, {}};
    error.place.file = name;
    return error;
}

Status writeNew(const std::string& path, const RequestFile& file)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return cannotWrite(file.name, errno);
    const int failure = writeAll(descriptor, file.text);
    ::close(descriptor);
    return failure == 0 ? Status() : Status(cannotWrite(file.name, failure));
}

bool isText(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text.substr(at));
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

} // namespace

Result<std::unique_ptr<RequestFolder>> RequestFolder::make(const std::vector<RequestFile>& files)
{
    std::error_code failure;
    std::string name = (fs::temp_directory_path(failure) / "fabricscope-serve-XXXXXX").string();
    if (failure || !::mkdtemp(name.data()))
        return cannotWrite(name, failure ? failure.value() : errno);
    std::unique_ptr<RequestFolder> folder(new RequestFolder);
    folder->m_path = name;
    for (const RequestFile& file : files) {
        const fs::path path = fs::path(name) / file.name;
        fs::create_directories(path.parent_path(), failure);
        if (failure)
            return cannotWrite(file.name, failure.value());
        if (Status status = writeNew(path.string(), file); !status)
            return std::move(status).error();
        folder->m_given.push_back(file.name);
    }
    std::sort(folder->m_given.begin(), folder->m_given.end());
    return folder;
}

RequestFolder::~RequestFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

std::string RequestFolder::writtenJson() const
{
    std::error_code failure;
    std::vector<std::string> names;
    for (fs::recursive_directory_iterator entry(m_path, failure), end; !failure && entry != end; entry.increment(failure)) {
        std::error_code ignored;
        std::string name = entry->path().lexically_relative(m_path).string();
        if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored) && !std::binary_search(m_given.begin(), m_given.end(), name))
            names.push_back(std::move(name));
    }
    if (names.empty())
        return {};
    std::sort(names.begin(), names.end());
    JsonWriter json;
    json.beginCompactObject();
    for (const std::string& name : names) {
        const Result<std::string> text = readTextFile((fs::path(m_path) / name).string(), kMostWritten);
        json.key(name);
        text && isText(text.value()) ? json.string(text.value()) : json.null();
    }
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
