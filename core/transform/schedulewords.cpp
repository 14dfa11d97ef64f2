#include "core/transform/schedulewords.h"

#include "core/base/nearestword.h"

#include <algorithm>

namespace fabricscope::transform {

namespace {

bool isStepNameByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Words and braces of one line.
class StepLine {
public:
    explicit StepLine(std::string_view line) : m_line(line) {}

    void skip()
    {
        while (m_at < m_line.size() && (m_line[m_at] == ' ' || m_line[m_at] == '\t'))
            ++m_at;
    }
    bool atEnd()
    {
        skip();
        return m_at >= m_line.size();
    }
    bool take(char c)
    {
        if (atEnd() || m_line[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    std::string word()
    {
        skip();
        const std::size_t begin = m_at;
        while (m_at < m_line.size() && isStepNameByte(m_line[m_at]))
            ++m_at;
        return std::string(m_line.substr(begin, m_at - begin));
    }
    Error wrong(std::string message, std::string expected) const
    {
        Error error{ErrorCode::InvalidInput, std::move(message), {}, std::move(expected)};
        error.place.column = static_cast<int>(m_at) + 1;
        return error;
    }

private:
    std::string_view m_line;
    std::size_t m_at = 0;
};

/// "{a, b}".
Status readSet(StepLine& line, std::vector<std::string>& names)
{
    if (!line.take('{'))
        return line.wrong("a set of stages is missing", "{stage, stage, ...}");
    do {
        std::string name = line.word();
        if (name.empty())
            return line.wrong("the name of a stage is missing", "{stage, stage, ...}");
        names.push_back(std::move(name));
    } while (line.take(','));
    if (!line.take('}'))
        return line.wrong("the set is not closed", "}");
    return {};
}

std::string formOf(StepKind kind)
{
    switch (kind) {
    case StepKind::Split: return "split ALL_REDUCE";
    case StepKind::Reorder: return "reorder ALL_GATHER {stage, ...}";
    case StepKind::AsSlice: return "as_slice TENSOR";
    case StepKind::Fuse: return "fuse {stage, stage, ...}";
    case StepKind::Overlap: return "overlap STAGE STAGE ...";
    case StepKind::Dead: return "dead ALL_GATHER";
    }
    return {};
}

} // namespace

std::string ScheduleStep::text() const
{
    std::string out(keyOf(kTransformSteps, kind));
    std::size_t first = 0;
    if (kind == StepKind::Reorder && !names.empty())
        out += ' ' + names[first++];
    const bool set = kind == StepKind::Reorder || kind == StepKind::Fuse;
    for (std::size_t i = first; i < names.size(); ++i)
        out += (set ? (i == first ? " {" : ", ") : " ") + names[i];
    return set ? out + '}' : out;
}

Result<ScheduleStep> parseStep(std::string_view text)
{
    StepLine line(text);
    const std::string word = line.word();
    const auto kind = valueOf(kTransformSteps, word);
    if (!kind) {
        const std::vector<std::string_view> words = keysOf(kTransformSteps);
        StepLine start(text);
        start.skip();
        return start.wrong("there is no step \"" + word + '"' + didYouMean(word, words), keyList(kTransformSteps));
    }
    ScheduleStep step;
    step.kind = *kind;
    const bool set = *kind == StepKind::Reorder || *kind == StepKind::Fuse;
    while (*kind != StepKind::Fuse) {
        std::string name = line.word();
        if (name.empty())
            break;
        step.names.push_back(std::move(name));
        if (*kind != StepKind::Overlap)
            break;
    }
    const std::size_t least = *kind == StepKind::Overlap ? 2 : *kind == StepKind::Fuse ? 0 : 1;
    if (step.names.size() < least)
        return line.wrong("a name is missing", formOf(*kind));
    if (set) {
        if (Status status = readSet(line, step.names); !status)
            return status.error();
    }
    if (!line.atEnd())
        return line.wrong("the step goes on where it should end", formOf(*kind));
    std::vector<std::string> sorted = step.names;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return line.wrong('"' + *twice + "\" is named twice", formOf(*kind));
    return step;
}

Result<Schedule> parseSchedule(std::string_view text, const std::string& file)
{
    Schedule schedule;
    int number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        const std::size_t lineBegin = begin;
        begin = end + 1;
        ++number;
        line = line.substr(0, line.find('#'));
        const auto trim = [&line](std::string_view bytes) {
            const std::size_t first = std::min(line.find_first_not_of(bytes), line.size());
            line.remove_prefix(first);
            line = line.substr(0, line.find_last_not_of(bytes) + 1);
        };
        trim(" \t\r");
        if (line == "-" || line.starts_with("- ")) {
            line.remove_prefix(1);
            trim(" \t");
        }
        if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front())
            line = line.substr(1, line.size() - 2);
        if (line.empty())
            continue;
        Place place;
        place.file = file;
        place.line = number;
        place.column = static_cast<int>(line.data() - text.data() - static_cast<std::ptrdiff_t>(lineBegin)) + 1;
        auto step = parseStep(line);
        if (!step) {
            Error error = std::move(step).error();
            place.column += error.place.column - 1;
            error.place = std::move(place);
            return error;
        }
        if (schedule.size() >= kMostSteps)
            return Error{ErrorCode::InvalidInput, "the schedule is too long", place, "at most " + std::to_string(kMostSteps) + " steps"};
        step.value().place = std::move(place);
        schedule.push_back(std::move(step).value());
    }
    return schedule;
}

} // namespace fabricscope::transform
