#include "core/scenario/generatedprograms.h"

namespace fabricscope {

Result<ProgramPtr> GeneratedPrograms::program(const GenerateRequest& request)
{
    const std::lock_guard lock(m_mutex);
    const Key key{request.algorithm, request.op, request.axes, request.chunks, request.root, request.radix, request.rings, request.axisAlgorithms};
    if (const auto known = m_programs.find(key); known != m_programs.end())
        return known->second;
    auto program = generateProgram(request);
    if (!program && program.error().code == ErrorCode::Cancelled)
        return program;
    if (program)
        m_digests.try_emplace(program.value().get());
    return m_programs.emplace(key, std::move(program)).first->second;
}

Digest GeneratedPrograms::digest(const ProgramPtr& program)
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_digests.find(program.get());
    if (known == m_digests.end())
        return program->digest();
    if (!known->second)
        known->second = program->digest();
    return *known->second;
}

} // namespace fabricscope
