#include "core/base/files/outputcheck.h"

#include "core/base/files/outputtarget.h"
#include "core/base/showntext.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace fabricscope {

namespace {

namespace fs = std::filesystem;

/// The same for two names of one file: device and number of the file, or, where there is none yet, of its folder, and its name in it.
using Identity = std::tuple<dev_t, ino_t, std::string>;

constexpr std::size_t kShownPath = 200;

/// Nothing for devices, and where the folder does not exist either.
std::optional<Identity> identityOf(const std::string& path)
{
    const std::string target = outputTarget(path);
    const int stream = streamOf(target);
    struct stat info {};
    if ((stream >= 0 ? ::fstat(stream, &info) : ::stat(target.c_str(), &info)) == 0) {
        if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
            return std::nullopt;
        return Identity{info.st_dev, info.st_ino, {}};
    }
    const fs::path folder = fs::path(target).parent_path();
    if (::stat(folder.empty() ? "." : folder.c_str(), &info) != 0)
        return std::nullopt;
    return Identity{info.st_dev, info.st_ino, fs::path(target).filename().string()};
}

/// Is `name` BASE.RANK with an ending of traces?
bool isOfPrefix(std::string_view name, std::string_view base)
{
    if (!name.starts_with(base) || name.size() <= base.size() || name[base.size()] != '.')
        return false;
    name.remove_prefix(base.size() + 1);
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(digits);
    return digits > 0 && (name == ".et" || name == ".et.gz" || name == ".json");
}

/// The files of a prefix that exist.
std::vector<std::string> filesOf(const std::string& prefix)
{
    std::vector<std::string> files;
    const fs::path path(prefix);
    const std::string base = path.filename().string();
    std::error_code error;
    for (fs::directory_iterator entry(path.has_parent_path() ? path.parent_path() : fs::path("."), error), end; !error && entry != end; entry.increment(error)) {
        if (isOfPrefix(entry->path().filename().native(), base))
            files.push_back((path.parent_path() / entry->path().filename()).string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

struct Known {
    const NamedFile* file = nullptr;
    std::string path;
    bool output = false;
};

Error collision(const NamedFile& output, const std::string& path, const Known& other)
{
    std::string message = quotedText(path, kShownPath);
    if (path != other.path)
        message += " is the same file as " + quotedText(other.path, kShownPath) + ", which";
    message += (other.output ? " is also written by " : " is read by this run as ") + other.file->name;
    Error error{ErrorCode::Usage, std::move(message), {}, "another file"};
    error.place.field = output.name;
    return error;
}

class OutputCheck {
public:
    void addInput(const NamedFile& file)
    {
        // As an input "-" is another stream than as an output.
        if (!file.isPrefix)
            return add(file, file.path == "-" ? "/dev/stdin" : file.path, false);
        for (const std::string& path : filesOf(file.path))
            add(file, path, false);
    }

    Status addOutput(const NamedFile& file)
    {
        if (!file.isPrefix) {
            if (Status status = compare(file, file.path); !status)
                return status;
            // A file that a prefix may come to write, though it does not exist.
            for (const NamedFile* prefix : m_prefixes) {
                if (isOfPrefix(fs::path(file.path).filename().string(), fs::path(prefix->path).filename().string()) && sameFolder(file.path, prefix->path))
                    return collision(file, file.path, {prefix, prefix->path, true});
            }
            add(file, file.path, true);
            return {};
        }
        for (const auto& [identity, known] : m_known) {
            if (known.output && isOfPrefix(fs::path(known.path).filename().string(), fs::path(file.path).filename().string()) && sameFolder(known.path, file.path))
                return collision(file, file.path, known);
        }
        m_prefixes.push_back(&file);
        for (const std::string& path : filesOf(file.path)) {
            if (Status status = compare(file, path); !status)
                return status;
            add(file, path, true);
        }
        return {};
    }

private:
    void add(const NamedFile& file, const std::string& path, bool output)
    {
        if (const auto identity = identityOf(path))
            m_known.emplace(*identity, Known{&file, path, output});
    }

    Status compare(const NamedFile& file, const std::string& path) const
    {
        const auto identity = identityOf(path);
        const auto found = identity ? m_known.find(*identity) : m_known.end();
        if (found == m_known.end() || (found->second.output && found->second.file == &file))
            return {};
        return collision(file, path, found->second);
    }

    static bool sameFolder(const std::string& a, const std::string& b)
    {
        const auto folder = [](const std::string& path) {
            const fs::path parent = fs::path(path).parent_path();
            return parent.empty() ? std::string(".") : parent.string();
        };
        std::error_code ignored;
        return fs::equivalent(folder(a), folder(b), ignored);
    }

    std::map<Identity, Known> m_known;
    std::vector<const NamedFile*> m_prefixes;
};

} // namespace

Status checkOutputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs)
{
    const auto given = [](const NamedFile& file) { return !file.path.empty(); };
    if (std::none_of(outputs.begin(), outputs.end(), given))
        return {};
    OutputCheck check;
    for (const NamedFile& file : inputs) {
        if (given(file))
            check.addInput(file);
    }
    for (const NamedFile& file : outputs) {
        if (!given(file))
            continue;
        if (Status status = check.addOutput(file); !status)
            return status;
    }
    return {};
}

} // namespace fabricscope
