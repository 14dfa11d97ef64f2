#include "app/desktop/macro/actionlog.h"

#include "core/yaml/fieldreader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kMostSteps = 100'000;

std::string lineOf(std::string text)
{
    return renderYaml(YamlNode::scalar(std::move(text)), false);
}

/// As a block, which people can read, below a key that stands six in.
std::string blockOf(const std::string& text)
{
    std::string block = "|\n";
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin)
            block += "        " + text.substr(begin, end - begin);
        block += '\n';
        begin = end + 1;
    }
    return block;
}

/// Does a block say exactly this?
bool isBlock(const std::string& text)
{
    const auto read = YamlDocument::parse("macro:\n    - design: a\n      text: " + blockOf(text));
    const YamlNode* const node = read ? read.value().find("macro.0.text") : nullptr;
    return node && node->text == text;
}

std::string pathFrom(const std::string& folder, const std::string& path)
{
    const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(folder);
    return folder.empty() || relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

std::string stepText(const ActionStep& step, const std::string& folder)
{
    switch (step.kind) {
    case ActionStep::Kind::Open:
        return "open: " + lineOf(pathFrom(folder, step.what)) + "\n";
    case ActionStep::Kind::Design:
        return (step.what.empty() ? std::string() : "design: " + lineOf(step.what) + "\n      ") + "text: " + (isBlock(step.text) ? blockOf(step.text) : lineOf(step.text) + "\n");
    case ActionStep::Kind::Set:
        return "set: " + lineOf(step.what) + "\n      to: " + renderYaml(step.value, true) + "\n";
    case ActionStep::Kind::Remove:
        return "remove: " + lineOf(step.what) + "\n";
    case ActionStep::Kind::Command:
        break;
    }
    return "command: " + lineOf(step.what) + "\n" + (step.on ? std::string("      on: ") + (*step.on ? "true" : "false") + "\n" : std::string());
}

class ActionLogReader {
public:
    explicit ActionLogReader(const YamlDocument& document) : m_document(document), m_context(document) {}

    Result<ActionLog> read()
    {
        const MapReader top(m_context, m_document.root(), "", {"fabricscope", "name", "macro"});
        if (top.required("fabricscope"))
            static_cast<void>(top.integer("fabricscope", 1, 1));
        static_cast<void>(top.text("name"));
        const auto steps = top.required("macro") ? top.list("macro") : std::vector<std::pair<const YamlNode*, std::string>>();
        if (steps.size() > kMostSteps)
            top.error("macro", std::to_string(steps.size()) + " steps", "at most " + std::to_string(kMostSteps));
        for (const auto& [node, field] : steps) {
            if (m_context.hasErrors())
                break;
            readStep(*node, field);
        }
        if (m_context.hasErrors())
            return *m_context.firstError();
        return std::move(m_log);
    }

private:
    void readStep(const YamlNode& node, const std::string& field)
    {
        using Kind = ActionStep::Kind;
        const MapReader map(m_context, node, field, {"command", "on", "set", "to", "remove", "open", "design", "text"});
        ActionStep step;
        step.place = m_document.place(node, field);
        const auto take = [&](const char* key, Kind kind) {
            step.kind = kind;
            step.what = map.text(key).value_or("");
        };
        if (map.has("command")) {
            take("command", Kind::Command);
            step.on = map.boolean("on");
        } else if (map.has("set")) {
            take("set", Kind::Set);
            if (const YamlNode* const value = map.required("to"))
                step.value = *value;
            checkPath(map, "set", step.what);
        } else if (map.has("remove")) {
            take("remove", Kind::Remove);
            checkPath(map, "remove", step.what);
        } else if (map.has("open")) {
            take("open", Kind::Open);
            step.what = (std::filesystem::absolute(m_document.file()).parent_path() / step.what).lexically_normal().string();
        } else if (map.has("text")) {
            step.kind = Kind::Design;
            step.what = map.text("design").value_or("");
            step.text = map.text("text").value_or("");
        } else {
            m_context.error(node, field, "a step does nothing", "command, set, remove, open or text");
        }
        m_log.steps.push_back(std::move(step));
    }

    static void checkPath(const MapReader& map, const char* key, const std::string& path)
    {
        if (const auto parsed = parseYamlPath(path); !parsed)
            map.error(key, parsed.error().message, "a field such as platform.dimensions[0].bandwidth");
    }

    const YamlDocument& m_document;
    FieldContext m_context;
    ActionLog m_log;
};

/// Walks two trees side by side.
class FieldSteps {
public:
    explicit FieldSteps(std::size_t most) : m_most(most) {}

    std::vector<ActionStep> steps;

    bool compare(const YamlNode& before, const YamlNode& after)
    {
        if (sameContent(before, after))
            return true;
        if (before.isMap() && after.isMap())
            return compareMaps(before, after);
        if (before.isSequence() && after.isSequence())
            return compareLists(before, after);
        return add(ActionStep::Kind::Set, &after);
    }

private:
    bool compareMaps(const YamlNode& before, const YamlNode& after)
    {
        for (const YamlEntry& entry : before.entries) {
            const YamlEntry* const other = after.find(entry.key);
            if (!below(entry.key, [&] { return other ? compare(entry.value, other->value) : add(ActionStep::Kind::Remove, nullptr); }))
                return false;
        }
        for (const YamlEntry& entry : after.entries) {
            if (!before.find(entry.key) && !below(entry.key, [&] { return add(ActionStep::Kind::Set, &entry.value); }))
                return false;
        }
        return true;
    }

    bool compareLists(const YamlNode& before, const YamlNode& after)
    {
        const std::size_t both = std::min(before.items.size(), after.items.size());
        for (std::size_t i = 0; i < both; ++i) {
            if (!below(std::to_string(i), [&] { return compare(before.items[i], after.items[i]); }))
                return false;
        }
        for (std::size_t i = both; i < after.items.size(); ++i) {
            if (!below(std::to_string(i), [&] { return add(ActionStep::Kind::Set, &after.items[i]); }))
                return false;
        }
        for (std::size_t i = before.items.size(); i > both; --i) { // From the end: the numbers of the others stay.
            if (!below(std::to_string(i - 1), [&] { return add(ActionStep::Kind::Remove, nullptr); }))
                return false;
        }
        return true;
    }

    template <class Then>
    bool below(const std::string& key, Then then)
    {
        m_path.push_back(key);
        const bool goes = then();
        m_path.pop_back();
        return goes;
    }

    bool add(ActionStep::Kind kind, const YamlNode* value)
    {
        if (m_path.empty() || steps.size() == m_most)
            return false;
        ActionStep step;
        step.kind = kind;
        step.what = yamlPathText(m_path);
        if (value)
            step.value = *value;
        steps.push_back(std::move(step));
        return true;
    }

    std::size_t m_most;
    YamlPath m_path;
};

} // namespace

std::string actionLogText(const ActionLog& log, const std::string& folder)
{
    std::string text = "fabricscope: 1\nmacro:\n";
    for (const ActionStep& step : log.steps)
        text += "    - " + stepText(step, folder);
    return text;
}

Result<ActionLog> readActionLog(const std::string& text, const std::string& file)
{
    const Result<YamlDocument> document = YamlDocument::parse(text, file);
    if (!document)
        return document.error();
    return ActionLogReader(document.value()).read();
}

Status applyStep(YamlDocument& document, const ActionStep& step)
{
    return step.kind == ActionStep::Kind::Remove ? document.remove(step.what) : document.set(step.what, step.value);
}

std::optional<std::vector<ActionStep>> fieldSteps(const YamlDocument& before, const YamlDocument& after, std::size_t most)
{
    FieldSteps found(most);
    if (!found.compare(before.root(), after.root()))
        return std::nullopt;
    // What the steps come to is tried: keys have an order too, and aliases share what they name.
    YamlDocument made = before;
    for (const ActionStep& step : found.steps) {
        if (!applyStep(made, step))
            return std::nullopt;
    }
    if (!sameContent(made.root(), after.root()))
        return std::nullopt;
    return std::move(found.steps);
}

} // namespace fabricscope
