// Any bytes as YAML with an edit: the first line says the path, the second the value, the rest is the document.

#include "core/yaml/tree.h"

#include <cstdlib>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t first = std::min(input.find('\n'), input.size());
    const std::size_t second = std::min(input.find('\n', first + 1), input.size());
    const std::string_view path = input.substr(0, first);
    const std::string value(first < second ? input.substr(first + 1, second - first - 1) : std::string_view());
    const std::string text(second < input.size() ? input.substr(second + 1) : std::string_view());

    auto parsed = YamlDocument::parse(text, "fuzz.yaml");
    if (!parsed)
        return 0;
    YamlDocument document = std::move(parsed).value();
    if (document.text() != text)
        std::abort();
    YamlDocument edited = document;
    if (edited.set(path, value)) {
        const YamlNode* node = edited.find(path);
        if (!node || node->text != value)
            std::abort();
        if (edited.remove(path) && !YamlDocument::parse(edited.text()))
            std::abort();
    } else if (edited.text() != text) {
        std::abort();
    }
    if (edited.insert(path, YamlNode::scalar(value)) && !YamlDocument::parse(edited.text()))
        std::abort();
    (void)document.overlay(path, value, "--set");
    return 0;
}
