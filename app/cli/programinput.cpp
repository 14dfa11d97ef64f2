#include "app/cli/programinput.h"

#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/savedprograms.h"
#include "app/cli/values.h"
#include "core/base/textfile.h"
#include "core/language/script.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programtext.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::cli {

namespace {

bool endsWith(const std::string& text, std::string_view end)
{
    return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin(), [](char a, char b) {
        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
}

/// "4x8" or "4,8".
Result<std::vector<std::int32_t>> axesOf(const std::string& text)
{
    std::vector<std::int32_t> axes;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        std::int32_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 1)
            break;
        axes.push_back(extent);
        if (next == end)
            return axes;
        if (*next != 'x' && *next != ',')
            break;
        at = next + 1;
    }
    return usageError("\"" + text + "\" is no shape", "--axes", "sizes of at least 1, the first is the fastest part of the rank: 8 or 4x8");
}

Result<ProgramInput> generated(const ProgramSource& source, const std::stop_token& stop)
{
    GenerateRequest request;
    request.algorithm = source.algorithm;
    request.chunks = source.chunks;
    const auto op = collectiveNamed(source.op, "--op");
    if (!op)
        return op.error();
    request.op = op.value();
    auto axes = axesOf(source.axes);
    if (!axes)
        return std::move(axes).error();
    request.axes = std::move(axes).value();
    request.stop = stop;
    auto program = generateProgram(request);
    if (!program) {
        Error error = std::move(program).error();
        if (!error.place.field.empty())
            error.place.field.insert(0, "--");
        return error;
    }
    return ProgramInput{std::move(program).value(), {}, false};
}

} // namespace

void addProgramSource(Command& command, ProgramSource& source)
{
    command.add_option("FILE", source.file, "MSCCL XML, a script (.lua), our JSON, an MSCCL++ plan, or the prefix of Chakra graphs");
    command.add_option("--algorithm", source.algorithm, "Instead of a file: what this generator makes");
    command.add_option("--axes", source.axes, "Shape of the group for --algorithm, the first size is the fastest part of the rank: 8 or 4x8 (default 8)");
    command.add_option("--op", source.op, "Collective for --algorithm (default all_reduce)");
    command.add_option("--chunks", source.chunks, "Parts that travel on their own, for --algorithm (default 1)");
}

Result<ProgramInput> readProgram(const ProgramSource& source, const std::stop_token& stop)
{
    if (source.file.empty() == source.algorithm.empty())
        return usageError("name a file or, with --algorithm, a generator", "FILE");
    if (!source.algorithm.empty())
        return generated(source, stop);
    if (endsWith(source.file, ".lua")) {
        const auto text = readTextFile(source.file);
        if (!text)
            return text.error();
        ScriptRequest request;
        request.text = text.value();
        request.name = source.file;
        request.stop = stop;
        auto script = compileScript(request);
        if (!script)
            return std::move(script).error();
        return ProgramInput{std::move(script.value().program), std::move(script.value().notes), true};
    }
    if (!endsWith(source.file, ".xml")) {
        auto other = readProgramFile(source.file, stop);
        if (!other)
            return std::move(other).error();
        if (std::optional<ProgramFile> program = std::move(other).value())
            return ProgramInput{std::move(program->program), std::move(program->findings), false};
        if (isJsonFile(source.file)) { // Of no kind that is known: its reader says what is missing.
            auto text = readTextFile(source.file, kMaxDocumentBytes);
            if (!text)
                return std::move(text).error();
            auto parsed = parseJsonProgram(std::move(text).value(), source.file, nullptr, stop);
            if (!parsed)
                return std::move(parsed).error();
            return ProgramInput{std::move(parsed).value(), {}, false};
        }
    }
    auto read = readMsccl(source.file, stop);
    if (!read)
        return std::move(read).error();
    return ProgramInput{std::move(read.value().program), std::move(read.value().findings), true};
}

} // namespace fabricscope::cli
