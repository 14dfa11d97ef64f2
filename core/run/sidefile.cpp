#include "core/run/sidefile.h"

#include "core/base/jsontext.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kVersion = 1;

/// Keys whose values are texts.
constexpr std::pair<const char*, std::string SideFile::*> kTexts[] = {
    {"started", &SideFile::started}, {"saved", &SideFile::saved}, {"path", &SideFile::path}, {"name", &SideFile::name}, {"folder", &SideFile::folder}};

} // namespace

std::string sideFileText(const SideFile& side)
{
    nlohmann::json head{{"fabricscope_autosave", kVersion}, {"process", side.process}, {"bytes", side.text.size()}};
    for (const auto& [key, member] : kTexts)
        head[key] = side.*member;
    return head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n' + side.text;
}

Result<SideFile> readSideFile(const std::string& text, const std::string& file)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto document = parseJson(text.substr(0, end), file);
    if (!document)
        return document.error();
    const nlohmann::json& head = document.value().root;
    const auto refuse = [&](const char* key, std::string expected) { return invalidInput("this is no recovery file", document.value().placeOf(key), std::move(expected)); };
    const auto value = [&](const char* key) { return head.is_object() ? head.find(key) : head.end(); };
    if (const auto version = value("fabricscope_autosave"); version == head.end() || *version != kVersion)
        return refuse("fabricscope_autosave", "version " + std::to_string(kVersion));
    SideFile side;
    // Earlier programs wrote the number of the process as a real one.
    const auto process = value("process");
    if (process == head.end() || !process->is_number() || !(process->get<double>() >= 0 && process->get<double>() < 1e15))
        return refuse("process", "a process id");
    side.process = process->get<std::int64_t>();
    for (const auto& [key, member] : kTexts) {
        const auto found = value(key);
        if (found == head.end())
            continue;
        if (!found->is_string())
            return refuse(key, "a text");
        side.*member = found->get<std::string>();
    }
    side.text = text.substr(std::min(end + 1, text.size()));
    // Not written by earlier programs.
    if (const auto bytes = value("bytes"); bytes != head.end() && *bytes != side.text.size())
        return refuse("bytes", "the " + std::to_string(side.text.size()) + " bytes that follow");
    return side;
}

} // namespace fabricscope
