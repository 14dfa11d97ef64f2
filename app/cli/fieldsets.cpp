#include "app/cli/fieldsets.h"

#include "app/cli/runflags.h"

namespace fabricscope::cli {

Result<std::vector<FieldOverride>> overridesOf(const std::vector<std::string>& sets, std::string_view example)
{
    std::vector<FieldOverride> out;
    for (const std::string& text : sets) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return usageError("\"" + text + "\" sets nothing", "--set", "PATH=VALUE, e.g. " + std::string(example));
        out.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
    return out;
}

} // namespace fabricscope::cli
