// fabricscope-cli presets: the machines a design can name.
#include "app/cli/commandline.h"
#include "app/cli/session.h"
#include "core/platform/presets.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <memory>

namespace fabricscope::cli {

namespace {

std::string presetTable()
{
    std::size_t width = 0;
    for (const PresetInfo& preset : presets())
        width = std::max(width, preset.name.size());
    std::string out;
    for (const PresetInfo& preset : presets()) {
        std::string name(preset.name);
        name.resize(width + 2, ' ');
        out += name + std::string(preset.title) + ", " + std::string(preset.shape) + '\n' + std::string(width + 2, ' ') + std::string(preset.source) + '\n';
    }
    return out;
}

std::string presetJson()
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", std::int64_t{1});
    json.key("result");
    json.beginArray();
    for (const PresetInfo& preset : presets()) {
        json.beginObject();
        for (const auto& [key, text] : {std::pair{"name", preset.name}, {"title", preset.title}, {"shape", preset.shape}, {"source", preset.source}}) {
            json.member(key, text);
        }
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

} // namespace

void addPresets(Command& program, Session& session)
{
    auto asJson = std::make_shared<bool>(false);
    Command& command = *program.add_subcommand("presets", "List the machines a design can name (platform: {preset: NAME})");
    command.add_flag("--json", *asJson, "As JSON");
    command.callback([asJson, &session] { session.print(*asJson ? presetJson() : presetTable()); });
}

} // namespace fabricscope::cli
