#include "app/cli/programinput.h"

#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/formats/programload.h"

#include <charconv>

namespace fabricscope::cli {

namespace {

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
    ProgramInput input;
    auto loaded = loadProgram(source.file, input.findings, {{}, stop});
    if (!loaded)
        return std::move(loaded).error();
    input.hasLines = loaded.value().hasLines();
    input.program = std::move(loaded.value().program);
    return input;
}

} // namespace fabricscope::cli
