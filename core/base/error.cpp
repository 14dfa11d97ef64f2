#include "core/base/error.h"

#include "core/base/index.h"
#include "core/base/showntext.h"

#include <utility>

namespace fabricscope {

int exitCode(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Usage:
    case ErrorCode::InvalidInput:
    case ErrorCode::Unsupported:
    case ErrorCode::NotReadable:
        return 2;
    case ErrorCode::Stuck:
        return 3;
    case ErrorCode::Cancelled:
        return 4;
    case ErrorCode::NotWritable:
        return 5;
    case ErrorCode::MemoryLimit:
        return 6;
    case ErrorCode::Internal:
        break;
    }
    return 70;
}

bool Place::empty() const
{
    return file.empty() && line == 0 && offset < 0 && field.empty() && rank < 0 && !hasNode;
}

std::string Place::text() const
{
    // Names of files and keys come from inputs, too.
    constexpr std::size_t kMostFile = 4096;
    constexpr std::size_t kMostField = 200;
    std::string out = shownText(file, kMostFile);
    if (line > 0) {
        out += (out.empty() ? "line " : ":") + std::to_string(line);
        if (column > 0)
            out += ':' + std::to_string(column);
    }
    const auto add = [&out](const std::string& part) {
        if (!out.empty())
            out += ", ";
        out += part;
    };
    if (offset >= 0)
        add("byte " + std::to_string(offset));
    if (rank >= 0)
        add("rank " + std::to_string(rank));
    if (hasNode)
        add("node " + std::to_string(static_cast<std::uint64_t>(node)));
    if (!field.empty())
        add(shownText(field, kMostField));
    return out;
}

namespace {

std::string compose(const Place& place, const std::string& message, const std::string& expected)
{
    std::string out = place.text();
    if (!out.empty())
        out += ": ";
    out += shownMessage(message);
    if (!expected.empty())
        out += " (expected " + shownMessage(expected) + ')';
    return out;
}

} // namespace

std::string Error::text() const
{
    return compose(place, message, expected);
}

std::string Diagnostic::text() const
{
    static constexpr std::string_view kNames[] = {"note: ", "warning: ", "error: "};
    std::string out{kNames[at(severity)]};
    out += compose(place, message, expected);
    if (!rule.empty())
        out += " [" + rule + ']';
    return out;
}

Diagnostic warning(std::string rule, std::string message, Place place)
{
    return {Severity::Warning, std::move(rule), shownMessage(std::move(message)), std::move(place), {}};
}

Diagnostic note(std::string rule, std::string message, Place place)
{
    return {Severity::Note, std::move(rule), shownMessage(std::move(message)), std::move(place), {}};
}

Diagnostic finding(std::string rule, Error error)
{
    return {Severity::Error, std::move(rule), shownMessage(std::move(error.message)), std::move(error.place), shownMessage(std::move(error.expected))};
}

Error toError(const Diagnostic& diagnostic)
{
    return {ErrorCode::InvalidInput, diagnostic.message, diagnostic.place, diagnostic.expected};
}

Error invalidInput(std::string message, Place place, std::string expected)
{
    return {ErrorCode::InvalidInput, shownMessage(std::move(message)), std::move(place), shownMessage(std::move(expected))};
}

} // namespace fabricscope
