#include "core/trace/commgroups.h"

#include "core/trace/bytestream.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace fabricscope {

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

/// Reads {"name": [numbers], ...} and nothing else of JSON, so that every complaint has its line.
class GroupParser {
public:
    GroupParser(std::string_view text, const std::string& file) : m_text(text) { m_groups.file = file; }

    Result<CommGroups> run()
    {
        if (!take('{'))
            return fail("the group file is not a JSON object", "{\"1\": [0, 1], \"2\": [2, 3]}");
        std::set<std::string> names;
        if (!take('}')) {
            do {
                CommGroup group;
                skipSpace();
                group.line = m_line;
                if (!name(group.id))
                    return fail(atEnd() ? "the group file is cut off here" : "no group name here", "a name in quotes");
                if (!names.insert(group.id).second)
                    return fail("group \"" + group.id + "\" is listed twice", {});
                if (!take(':') || !take('['))
                    return fail(atEnd() ? "the group file is cut off here" : "group \"" + group.id + "\" has no list of ranks", "a list such as [0, 1]");
                if (!take(']')) {
                    do {
                        std::int64_t rank = 0;
                        if (!number(rank))
                            return fail(atEnd() ? "the group file is cut off inside group \"" + group.id + '"' : "a member of group \"" + group.id + "\" is no rank number", "a whole number from 0");
                        group.ranks.push_back(rank);
                    } while (take(','));
                    if (!take(']'))
                        return fail(atEnd() ? "the group file is cut off inside group \"" + group.id + '"' : "the list of group \"" + group.id + "\" is not closed here", "\",\" or \"]\"");
                }
                m_groups.groups.push_back(std::move(group));
            } while (take(','));
            if (!take('}'))
                return fail(atEnd() ? "the group file is cut off here" : "the groups are not closed here", "\",\" or \"}\"");
        }
        skipSpace();
        if (!atEnd())
            return fail("text behind the end of the groups", {});
        return std::move(m_groups);
    }

private:
    bool atEnd() const { return m_at >= m_text.size(); }

    Error fail(std::string message, std::string expected) const
    {
        Place place;
        place.file = m_groups.file;
        place.line = m_line;
        place.column = static_cast<int>(m_at - m_lineBegin) + 1;
        return invalidInput(std::move(message), std::move(place), std::move(expected));
    }

    void skipSpace()
    {
        for (; !atEnd(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '\n') {
                ++m_line;
                m_lineBegin = m_at + 1;
            } else if (c != ' ' && c != '\t' && c != '\r') {
                return;
            }
        }
    }

    bool take(char c)
    {
        skipSpace();
        if (atEnd() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    bool name(std::string& out)
    {
        if (!take('"'))
            return false;
        for (; !atEnd(); ++m_at) {
            char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20)
                return false;
            if (c == '\\') {
                ++m_at;
                if (atEnd() || (m_text[m_at] != '"' && m_text[m_at] != '\\' && m_text[m_at] != '/'))
                    return false;
                c = m_text[m_at];
            }
            out.push_back(c);
        }
        return false;
    }

    bool number(std::int64_t& out)
    {
        skipSpace();
        const char* const begin = m_text.data() + m_at;
        const char* const end = m_text.data() + m_text.size();
        const auto [stop, code] = std::from_chars(begin, end, out);
        if (code != std::errc() || (stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E')))
            return false;
        m_at += static_cast<std::size_t>(stop - begin);
        return true;
    }

    std::string_view m_text;
    CommGroups m_groups;
    std::size_t m_at = 0;
    std::size_t m_lineBegin = 0;
    int m_line = 1;
};

} // namespace

const CommGroup* CommGroups::find(std::string_view id) const
{
    const auto found = std::find_if(groups.begin(), groups.end(), [id](const CommGroup& group) { return group.id == id; });
    return found == groups.end() ? nullptr : &*found;
}

Result<CommGroups> parseCommGroups(std::string_view text, const std::string& file)
{
    return GroupParser(text, file).run();
}

Result<CommGroups> readCommGroups(const std::string& path)
{
    Place place;
    place.file = path;
    auto stream = ByteStream::open(path, place);
    if (!stream)
        return std::move(stream).error();
    if (stream.value().fileSize() > kLargestFile)
        return invalidInput("the group file is larger than 1 GiB", place);
    std::string text;
    std::size_t size = 0;
    for (;;) {
        text.resize(size + (std::size_t{1} << 16));
        const auto got = stream.value().read(reinterpret_cast<std::uint8_t*>(text.data()) + size, text.size() - size);
        if (!got)
            return got.error();
        if (got.value() == 0)
            break;
        size += got.value();
    }
    text.resize(size);
    return parseCommGroups(text, path);
}

Diagnostics checkCommGroups(const CommGroups& groups, std::int64_t rankCount)
{
    Diagnostics found;
    for (const CommGroup& group : groups.groups) {
        Place place;
        place.file = groups.file;
        place.line = group.line;
        const std::string name = "group \"" + group.id + '"';
        if (group.ranks.empty())
            found.push_back(finding("group-empty", invalidInput(name + " has no members", place)));
        std::vector<std::int64_t> sorted = group.ranks;
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end())
            found.push_back(finding("group-member-twice", invalidInput(name + " lists rank " + std::to_string(*twice) + " more than once", place)));
        if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= rankCount)) {
            const std::int64_t bad = sorted.front() < 0 ? sorted.front() : sorted.back();
            found.push_back(finding("group-absent-rank", invalidInput(name + " lists rank " + std::to_string(bad) + ", which does not exist", place,
                "ranks 0 to " + std::to_string(rankCount - 1))));
        }
        if (group.id == "0" && static_cast<std::int64_t>(sorted.size()) != rankCount)
            found.push_back(warning("group-zero", "the file lists a group \"0\", a name that ASTRA-sim keeps for all ranks; here it means the " + std::to_string(sorted.size()) + " ranks listed", place));
    }
    return found;
}

} // namespace fabricscope
