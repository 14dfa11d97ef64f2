#include "core/model/loadmodel.h"

#include "core/model/readmodel.h"

namespace fabricscope {

namespace {

bool isJson(const std::string& text, const std::string& file)
{
    if (file.ends_with(".json"))
        return true;
    if (file.ends_with(".yaml") || file.ends_with(".yml"))
        return false;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

} // namespace

Result<CheckpointModel> loadModelText(std::string text, const std::string& file, bool predictLayers, const std::stop_token& stop)
{
    if (isJson(text, file)) {
        const auto document = parseJson(std::move(text), file, stop);
        if (!document)
            return document.error();
        return readCheckpointConfig(document.value(), predictLayers);
    }
    const auto document = YamlDocument::parse(std::move(text), file, stop);
    if (!document)
        return document.error();
    auto model = readModelFile(document.value(), stop);
    if (!model)
        return std::move(model).error();
    return CheckpointModel{std::move(model).value(), {}};
}

} // namespace fabricscope
