#include "core/scenario/customprograms.h"

#include "core/workload/customcollective.h"

#include <filesystem>
#include <set>

namespace fabricscope {

namespace {

/// The prefix as a path that can be opened.
std::string resolve(const AstraSystem& system, const std::string& prefix)
{
    const std::filesystem::path written(prefix);
    if (written.is_absolute())
        return prefix;
    const std::filesystem::path beside = std::filesystem::path(system.file).parent_path() / written;
    std::error_code ignored;
    return std::filesystem::exists(beside.string() + ".0.et", ignored) ? beside.string() : prefix;
}

} // namespace

Result<std::vector<std::pair<std::string, ProgramPtr>>> loadCustomPrograms(const AstraSystem& system)
{
    std::set<std::string> prefixes;
    for (const std::string& prefix : system.custom) {
        if (!prefix.empty())
            prefixes.insert(prefix);
    }
    for (const auto& [node, prefix] : system.perNodeCustom)
        prefixes.insert(prefix);

    std::vector<std::pair<std::string, ProgramPtr>> programs;
    for (const std::string& prefix : prefixes) {
        auto program = readCustomProgram(resolve(system, prefix));
        if (!program)
            return std::move(program).error();
        programs.emplace_back(prefix, std::move(program).value());
    }
    return programs;
}

} // namespace fabricscope
