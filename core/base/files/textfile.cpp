#include "core/base/files/textfile.h"

#include "core/base/files/openfile.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// "16 MiB", "70 bytes".
std::string sizeText(std::size_t bytes)
{
    for (const auto& [shift, unit] : {std::pair{30, " GiB"}, {20, " MiB"}, {10, " KiB"}}) {
        if (bytes >> shift != 0 && bytes % (std::size_t{1} << shift) == 0)
            return std::to_string(bytes >> shift) + unit;
    }
    return std::to_string(bytes) + " bytes";
}

/// Up to `most` bytes from the start.
Result<std::string> readStart(OpenFile& file, std::size_t most)
{
    std::string text;
    // One byte more than the file has shows its end without growing the text; files of /proc say 0.
    constexpr std::size_t kBlock = 65536;
    for (std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), most - 1)) + 1;; room = std::max(kBlock, text.size() / 2)) {
        const std::size_t before = text.size();
        text.resize(before + std::min(room, most - before));
        std::size_t filled = before;
        while (filled < text.size()) {
            const auto got = file.read(text.data() + filled, text.size() - filled);
            if (!got)
                return got.error();
            if (got.value() == 0)
                break;
            filled += got.value();
        }
        const bool ended = filled < text.size();
        text.resize(filled);
        if (ended || filled == most)
            return text;
    }
}

} // namespace

Result<std::string> readTextFile(const std::string& path, std::size_t limit)
{
    auto file = OpenFile::open(path);
    if (!file)
        return std::move(file).error();
    Place place;
    place.file = path;
    const auto tooLarge = [&] { return invalidInput("the file is larger than " + sizeText(limit), place); };
    if (file.value().size() > limit)
        return tooLarge();
    auto text = readStart(file.value(), limit + 1);
    if (text && text.value().size() > limit)
        return tooLarge();
    return text;
}

Result<std::string> readFileHead(const std::string& path, std::size_t most)
{
    auto file = OpenFile::open(path);
    if (!file)
        return std::move(file).error();
    return readStart(file.value(), most);
}

} // namespace fabricscope
