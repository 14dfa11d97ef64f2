#include "app/cli/shared/runwords.h"

#include "app/cli/runflags.h"

namespace fabricscope::cli {

Result<EngineChoice> engineNamed(std::string_view name, const std::string& option)
{
    const int engine = indexOf(name, {"auto", "memo", "symmetry", "sweep", "events"});
    if (engine < 0)
        return usageError("there is no engine \"" + std::string(name) + '"', option, std::string(kEngineWords));
    return static_cast<EngineChoice>(engine);
}

Result<Model> modelNamed(std::string_view name, const std::string& option)
{
    const std::optional<Model> model = parseModel(name);
    return model ? Result<Model>(*model) : usageError("there is no model \"" + std::string(name) + '"', option, modelList());
}

} // namespace fabricscope::cli
