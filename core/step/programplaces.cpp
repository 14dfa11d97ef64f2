#include "core/step/programplaces.h"

#include <algorithm>

namespace fabricscope {

namespace {

std::int32_t sizeOf(const BufferSizes& sizes, BufferKind buffer)
{
    switch (buffer) {
    case BufferKind::Input:
        return sizes.input;
    case BufferKind::Output:
        return sizes.output;
    case BufferKind::Scratch:
        return sizes.scratch;
    case BufferKind::None:
    case BufferKind::Fused:
        break;
    }
    return 0;
}

} // namespace

Result<ProgramPlaces> ProgramPlaces::create(const Program& program)
{
    ProgramPlaces out;
    out.m_program = &program;
    out.m_ranks = program.ranks;
    const std::vector<BufferSizes>& buffers = program.asExplicit().buffers;
    BufferSizes most;
    for (const BufferSizes& sizes : buffers) {
        most.input = std::max(most.input, sizes.input);
        most.output = std::max(most.output, sizes.output);
        most.scratch = std::max(most.scratch, sizes.scratch);
    }
    const auto aliased = [&](std::int32_t rank, std::int32_t input) {
        return outputOfInput(program.op, program.ranks, program.chunks, rank, input, program.root);
    };
    const bool shares = program.op != CollectiveOp::Custom && program.op != CollectiveOp::Barrier;
    out.m_inPlace = program.inPlace && shares;
    out.m_main = most.output > most.input ? BufferKind::Output : BufferKind::Input;
    bool allShared = true; // Has every chunk of the other buffer its place in the main one?
    if (out.m_inPlace) {
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const BufferSizes& sizes = buffers[static_cast<std::size_t>(rank)];
            if (out.m_main == BufferKind::Output) {
                for (std::int32_t input = 0; input < sizes.input; ++input) {
                    const std::int32_t output = aliased(rank, input);
                    allShared = allShared && output >= 0 && output < sizes.output;
                }
                continue;
            }
            std::vector<std::int32_t>& inputs = out.m_inputOfOutput.emplace_back(static_cast<std::size_t>(sizes.output), -1);
            for (std::int32_t input = 0; input < sizes.input; ++input) {
                const std::int32_t output = aliased(rank, input);
                if (output >= 0 && output < sizes.output)
                    inputs[static_cast<std::size_t>(output)] = input;
            }
            allShared = allShared && std::find(inputs.begin(), inputs.end(), -1) == inputs.end();
        }
    }
    const bool drops = out.m_inPlace && allShared;
    const std::int64_t input = drops && out.m_main == BufferKind::Output ? 0 : most.input;
    const std::int64_t output = drops && out.m_main == BufferKind::Input ? 0 : most.output;
    const std::int64_t columns = input + output + most.scratch;
    if (columns * program.ranks > kMostPlaces)
        return Error{ErrorCode::Unsupported, "this program has " + std::to_string(columns * program.ranks) + " places, too many to follow", {},
                     "at most " + std::to_string(kMostPlaces)};
    out.m_begin = {0, static_cast<std::int32_t>(input), static_cast<std::int32_t>(input + output), static_cast<std::int32_t>(columns)};
    out.m_columns = std::max(1, static_cast<std::int32_t>(columns));
    return out;
}

PlaceIndex ProgramPlaces::at(std::int32_t rank, BufferKind buffer, std::int32_t index) const
{
    if (rank < 0 || rank >= m_ranks || index < 0 || index >= sizeOf(m_program->asExplicit().buffers[static_cast<std::size_t>(rank)], buffer))
        return kNoPlace;
    if (m_inPlace && buffer == BufferKind::Input && m_main == BufferKind::Output) {
        const std::int32_t output = outputOfInput(m_program->op, m_ranks, m_program->chunks, rank, index, m_program->root);
        if (output >= 0 && output < sizeOf(m_program->asExplicit().buffers[static_cast<std::size_t>(rank)], BufferKind::Output)) {
            buffer = BufferKind::Output;
            index = output;
        }
    } else if (m_inPlace && buffer == BufferKind::Output && m_main == BufferKind::Input) {
        const std::int32_t input = m_inputOfOutput[static_cast<std::size_t>(rank)][static_cast<std::size_t>(index)];
        if (input >= 0) {
            buffer = BufferKind::Input;
            index = input;
        }
    }
    const std::int32_t column = m_begin[static_cast<std::size_t>(buffer)] + index;
    return static_cast<PlaceIndex>(rank) * static_cast<PlaceIndex>(m_columns) + static_cast<PlaceIndex>(column);
}

std::int32_t ProgramPlaces::outputOf(PlaceIndex place) const
{
    const Column at = column(columnOf(place));
    if (at.buffer == BufferKind::Output)
        return at.index;
    if (at.buffer != BufferKind::Input || !m_inPlace || m_main != BufferKind::Input)
        return -1;
    const std::int32_t output = outputOfInput(m_program->op, m_ranks, m_program->chunks, rankOf(place), at.index, m_program->root);
    return output < m_program->asExplicit().buffers[static_cast<std::size_t>(rankOf(place))].output ? output : -1;
}

ProgramPlaces::Column ProgramPlaces::column(std::int32_t number) const
{
    for (const BufferKind buffer : {BufferKind::Scratch, BufferKind::Output, BufferKind::Input}) {
        const std::int32_t begin = m_begin[static_cast<std::size_t>(buffer)];
        if (number >= begin && number < m_begin[static_cast<std::size_t>(buffer) + 1])
            return {buffer, number - begin};
    }
    return {BufferKind::None, number};
}

std::string ProgramPlaces::columnName(std::int32_t number) const
{
    const Column at = column(number);
    const bool one = (m_begin[1] == m_columns) || (m_begin[1] == 0 && m_begin[2] == m_columns);
    if (one)
        return std::to_string(at.index);
    const char letter = at.buffer == BufferKind::Input ? 'i' : at.buffer == BufferKind::Output ? 'o' : 's';
    return letter + std::to_string(at.index);
}

bool ProgramPlaces::exists(PlaceIndex place) const
{
    const Column at = column(columnOf(place));
    return at.index < sizeOf(m_program->asExplicit().buffers[static_cast<std::size_t>(rankOf(place))], at.buffer);
}

} // namespace fabricscope
