#include "core/design/edits/edits.h"

#include "core/base/decimal.h"
#include "core/design/edits/dimensionedits.h"
#include "core/design/file/programsection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectiontree.h"
#include "core/design/modelversions.h"

namespace fabricscope {

std::string algorithmText(const AlgorithmChoice& choice)
{
    return algorithmChoiceText(choice);
}

std::optional<AlgorithmChoice> algorithmFromText(std::string_view text)
{
    return parseAlgorithmChoice(text);
}

Status renameKey(YamlDocument& yaml, const std::string& path, const std::string& name)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    const YamlPath above(steps.value().begin(), steps.value().end() - 1);
    const YamlNode* parent = yaml.find(above);
    const YamlEntry* entry = parent && parent->isMap() ? parent->find(steps.value().back()) : nullptr;
    if (!entry)
        return invalidInput("there is no such field", yaml.place(yaml.root(), path));
    if (parent->shared || entry->value.shared)
        return Error{ErrorCode::Unsupported, "this value is shared through an anchor and its aliases; change it as text", yaml.place(entry->value, path), {}};
    std::string text = yaml.text();
    text.replace(entry->keyBegin, entry->keyEnd - entry->keyBegin, name);
    auto renamed = YamlDocument::parse(std::move(text), yaml.file());
    YamlPath now = above;
    now.push_back(name);
    if (!renamed || !renamed.value().find(now))
        return Error{ErrorCode::Unsupported, "this place is written in a way that cannot be edited here; change it as text", yaml.place(entry->value, path), {}};
    yaml = std::move(renamed).value();
    return {};
}

Status removeListItem(YamlDocument& yaml, const std::string& list, std::size_t index)
{
    const auto steps = parseYamlPath(list);
    if (!steps)
        return steps.error();
    const YamlNode* node = yaml.find(steps.value());
    if (node && node->isSequence() && node->items.size() > 1)
        return yaml.remove(list + "[" + std::to_string(index) + "]");
    // The outermost thing that holds nothing else, but never a whole section of the design.
    YamlPath path = steps.value();
    while (path.size() > 2) {
        const YamlPath above(path.begin(), path.end() - 1);
        const YamlNode* holder = yaml.find(above);
        if (!holder || !holder->isMap() || holder->entries.size() > 1)
            break;
        path = above;
    }
    return yaml.remove(yamlPathText(path));
}

namespace edits {

namespace {

/// A list of overrides: where it is and what its entries are told apart by.
struct OverrideList {
    const char* path;
    const char* key;
};
constexpr OverrideList kLinks{"platform.overrides.links", "link"};
constexpr OverrideList kNpus{"platform.overrides.npus", "npu"};

std::optional<std::size_t> findItem(const YamlDocument& yaml, const OverrideList& list, const std::string& name)
{
    const YamlNode* node = yaml.find(list.path);
    for (std::size_t i = 0; node && node->isSequence() && i < node->items.size(); ++i) {
        const YamlEntry* entry = node->items[i].isMap() ? node->items[i].find(list.key) : nullptr;
        if (entry && entry->value.isScalar() && entry->value.text == name)
            return i;
    }
    return std::nullopt;
}

std::string itemPath(const OverrideList& list, std::size_t index)
{
    return std::string(list.path) + "[" + std::to_string(index) + "]";
}

/// All or nothing: works on a copy.
template <typename Change>
Status whole(YamlDocument& yaml, Change change)
{
    YamlDocument edited = yaml;
    if (Status status = change(edited); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

using Fields = std::vector<std::pair<std::string, std::string>>;

Status setInOverride(YamlDocument& yaml, const OverrideList& list, const std::string& name, const Fields& fields)
{
    if (fields.empty())
        return {};
    return whole(yaml, [&](YamlDocument& edited) -> Status {
        if (const auto index = findItem(edited, list, name)) {
            for (const auto& [key, value] : fields) {
                if (Status status = edited.set(itemPath(list, *index) + "." + key, value); !status)
                    return status;
            }
            return {};
        }
        MapBuilder item;
        item.add(list.key, name);
        for (const auto& [key, value] : fields)
            item.add(key, value);
        const YamlNode* node = edited.find(list.path);
        const std::size_t count = node && node->isSequence() ? node->items.size() : 0;
        return edited.insert(itemPath(list, count), item.take());
    });
}

Status reset(YamlDocument& yaml, const OverrideList& list, const std::string& name)
{
    const auto index = findItem(yaml, list, name);
    return index ? removeListItem(yaml, list.path, *index) : Status{};
}

Status setRemoved(YamlDocument& yaml, const OverrideList& list, const std::string& name, bool removed)
{
    if (removed)
        return setInOverride(yaml, list, name, {{"removed", "true"}});
    const auto index = findItem(yaml, list, name);
    const YamlNode* item = index ? yaml.find(itemPath(list, *index)) : nullptr;
    if (!item || !item->find("removed"))
        return {};
    return item->entries.size() <= 2 ? reset(yaml, list, name) : yaml.remove(itemPath(list, *index) + ".removed");
}

Status setOrTakeOut(YamlDocument& yaml, const std::string& path, const std::optional<std::string>& value)
{
    if (value)
        return yaml.set(path, *value);
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    if (!yaml.find(steps.value()))
        return {};
    const YamlPath above(steps.value().begin(), steps.value().end() - 1);
    const YamlNode* holder = yaml.find(above);
    const bool alone = !above.empty() && holder && holder->entries.size() == 1;
    return yaml.remove(alone ? yamlPathText(above) : path);
}

} // namespace

Status setNpuField(YamlDocument& yaml, const std::string& key, const std::optional<Quantity>& value)
{
    const bool budget = key == "injection" || key == "ejection";
    const std::string path = std::string(budget ? "platform.budgets." : "platform.npu.") + key;
    return setOrTakeOut(yaml, path, value ? std::optional(value->text()) : std::nullopt);
}

Status setLinkOverride(YamlDocument& yaml, const std::string& link, const std::optional<Quantity>& bandwidth, const std::optional<Quantity>& latency)
{
    Fields fields;
    if (bandwidth)
        fields.emplace_back("bandwidth", bandwidth->text());
    if (latency)
        fields.emplace_back("latency", latency->text());
    return setInOverride(yaml, kLinks, link, fields);
}

Status setNpuOverride(YamlDocument& yaml, const NpuOverride& change)
{
    Fields fields;
    if (change.speed)
        fields.emplace_back("speed", decimal(*change.speed));
    if (change.peak)
        fields.emplace_back("peak", change.peak->text());
    if (change.memoryBandwidth)
        fields.emplace_back("memory_bandwidth", change.memoryBandwidth->text());
    if (change.memory)
        fields.emplace_back("memory", change.memory->text());
    return setInOverride(yaml, kNpus, std::to_string(change.node), fields);
}

Status resetLink(YamlDocument& yaml, const std::string& link)
{
    return reset(yaml, kLinks, link);
}

Status resetNpu(YamlDocument& yaml, NodeId npu)
{
    return reset(yaml, kNpus, std::to_string(npu));
}

Status setLinkRemoved(YamlDocument& yaml, const std::string& link, bool removed)
{
    return setRemoved(yaml, kLinks, link, removed);
}

Status setNpuRemoved(YamlDocument& yaml, NodeId npu, bool removed)
{
    return setRemoved(yaml, kNpus, std::to_string(npu), removed);
}

Status setModel(YamlDocument& yaml, Model model)
{
    return whole(yaml, [&](YamlDocument& edited) -> Status {
        if (Status status = edited.set("model.name", std::string(modelName(model))); !status)
            return status;
        const YamlNode* named = edited.find("model.version");
        return named ? edited.set("model.version", versionUsed(model, named->text)) : Status{};
    });
}

Status setDefaultAlgorithms(YamlDocument& yaml, const std::vector<AlgorithmChoice>& algorithms)
{
    const std::string path = "collectives.default.algorithm";
    if (algorithms.size() < 2)
        return yaml.set(path, algorithms.empty() || algorithms.front().automatic ? std::string("standard") : algorithmChoiceText(algorithms.front()));
    YamlNode list = YamlNode::sequence();
    for (const AlgorithmChoice& choice : algorithms)
        list.items.push_back(YamlNode::scalar(algorithmChoiceText(choice)));
    list.flow = true;
    return yaml.set(path, list);
}

Status setDefaultChunks(YamlDocument& yaml, std::int32_t chunks)
{
    return yaml.set("collectives.default.chunks", std::to_string(chunks));
}

Status setProgramRule(YamlDocument& yaml, const ProgramRule& rule)
{
    if (const YamlNode* system = yaml.find("collectives.system")) {
        return Error{ErrorCode::Unsupported, "the ASTRA-sim system file decides the algorithms", yaml.place(*system, "collectives.system"),
                     "a design without collectives.system"};
    }
    MapBuilder conditions;
    if (rule.op)
        conditions.add("op", std::string(collectiveKey(*rule.op)));
    if (rule.group != "*")
        conditions.add("group", rule.group);
    conditions.add("min_size", rule.minSize).add("max_size", rule.maxSize);
    const YamlNode wanted = conditions.take();
    MapBuilder item;
    for (const YamlEntry& entry : wanted.entries)
        item.add(entry.key, entry.value);
    for (YamlEntry& entry : fieldsTree(candidateFields(), rule.source).entries)
        item.add(entry.key, std::move(entry.value));
    item.add("chunks", std::int64_t{rule.chunks});

    const YamlNode* rules = yaml.find("collectives.rules");
    if (!rules || !rules->isSequence() || rules->items.empty())
        return yaml.set("collectives.rules", YamlNode::sequence({item.take()}));
    // What the first rule says of collectives, beside what it does with them.
    const YamlNode& first = rules->items.front();
    YamlNode known = YamlNode::map();
    for (const char* key : {"op", "group", "min_size", "max_size", "node"}) {
        const YamlEntry* entry = first.isMap() ? first.find(key) : nullptr;
        if (entry && !(entry->key == "group" && entry->value.text == "*"))
            known.entries.push_back(*entry);
    }
    if (first.isMap() && sameContent(known, wanted))
        return yaml.set("collectives.rules[0]", item.take());
    return yaml.insert("collectives.rules[0]", item.take());
}

Status setName(YamlDocument& yaml, const std::string& name)
{
    return setOrTakeOut(yaml, "name", name.empty() ? std::nullopt : std::optional(name));
}

Status setNotes(YamlDocument& yaml, const std::string& notes)
{
    return setOrTakeOut(yaml, "notes", notes.empty() ? std::nullopt : std::optional(notes));
}

} // namespace edits

} // namespace fabricscope
