#include "tests/unit/support/corpus.h"

#include "sourcedir.h"

#include <cstdlib>
#include <filesystem>

namespace fabricscope::test {

std::optional<std::string> sharedFolder()
{
    const char* const named = std::getenv("FABRICSCOPE_SHARED");
    const std::filesystem::path folder = named ? std::filesystem::path(named) : std::filesystem::path(FABRICSCOPE_SOURCE_DIR) / "../shared";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder / "corpus", ignored))
        return std::nullopt;
    return folder.string();
}

std::string goldenFile(const std::string& name)
{
    return std::string(FABRICSCOPE_SOURCE_DIR) + "/tests/golden/" + name;
}

} // namespace fabricscope::test
