#include "core/insight/designchanges.h"

#include "core/design/file/readdesign.h"
#include "core/design/file/sectiontree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace fabricscope {

namespace {

/// A path of one design as it is written in a design of another folder.
std::string movedPath(const Design& from, const Design& to, const std::string& path)
{
    std::string opened = from.resolve(path);
    if (std::filesystem::path(opened).is_absolute() != std::filesystem::path(to.folder).is_absolute() && !to.folder.empty())
        opened = std::filesystem::absolute(opened).string();
    return pathInDesign(to, opened);
}

template <class Spec>
void moveTrace(Spec& spec, const Design& from, const Design& to)
{
    auto* trace = std::get_if<TraceWorkload>(&spec);
    if (!trace)
        return;
    trace->prefix = movedPath(from, to, trace->prefix);
    if (!trace->commGroups.empty())
        trace->commGroups = movedPath(from, to, trace->commGroups);
}

void movePrograms(ProgramChoice& choice, const Design& from, const Design& to)
{
    for (std::vector<ProgramSource>* list : {&choice.program, &choice.candidates}) {
        for (ProgramSource& source : *list) {
            if (source.hasFile())
                source.text = movedPath(from, to, source.text);
        }
    }
}

/// The design as it would stand in the folder of another.
Design movedTo(const Design& design, const Design& other)
{
    Design moved = design;
    moved.folder = other.folder;
    if (design.workload) {
        WorkloadSpec spec = *design.workload;
        moveTrace(spec, design, other);
        if (auto* several = std::get_if<JobsWorkload>(&spec)) {
            for (JobWorkload& job : several->jobs)
                moveTrace(job.runs, design, other);
        }
        moved.workload = std::make_shared<const WorkloadSpec>(std::move(spec));
    }
    movePrograms(moved.collectives.defaults.program, design, other);
    for (CollectiveRule& rule : moved.collectives.rules)
        movePrograms(rule.program, design, other);
    if (design.astra && !other.folder.empty() && std::filesystem::path(design.astra->file).is_absolute() != std::filesystem::path(other.folder).is_absolute()) {
        AstraSystem system = *design.astra;
        system.file = std::filesystem::absolute(system.file).string();
        moved.astra = std::make_shared<const AstraSystem>(std::move(system));
    }
    return moved;
}

bool isListOfMaps(const YamlNode& node)
{
    return node.isSequence() && std::any_of(node.items.begin(), node.items.end(), [](const YamlNode& item) { return item.isMap(); });
}

/// The node at a path of keys and numbers; null: not there.
const YamlNode* nodeAt(const YamlNode& root, const YamlPath& path)
{
    const YamlNode* node = &root;
    for (const std::string& step : path) {
        if (node->isMap()) {
            const YamlEntry* const entry = node->find(step);
            if (!entry)
                return nullptr;
            node = &entry->value;
        } else if (node->isSequence() && std::stoul(step) < node->items.size()) {
            node = &node->items[std::stoul(step)];
        } else {
            return nullptr;
        }
    }
    return node;
}

/// Puts `value` at the path, whose lists are there; null: takes its key out.
void putAt(YamlNode& root, const YamlPath& path, const YamlNode* value)
{
    YamlNode* node = &root;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool last = i + 1 == path.size();
        if (node->isSequence()) {
            node = &node->items[std::stoul(path[i])];
            if (last)
                *node = *value;
            continue;
        }
        YamlEntry* entry = node->find(path[i]);
        if (last && !value) {
            std::erase_if(node->entries, [&](const YamlEntry& other) { return other.key == path[i]; });
            return;
        }
        if (!entry) {
            YamlEntry made;
            made.key = path[i];
            made.value = YamlNode::map();
            node->entries.push_back(std::move(made));
            entry = &node->entries.back();
        }
        node = &entry->value;
        if (last)
            *node = *value;
    }
}

/// Where two trees differ: paths of values, or of what is not the same kind of thing or a list of other length.
class TreeDifference {
public:
    std::vector<YamlPath> paths;

    void compare(const YamlNode& a, const YamlNode& b, YamlPath& path)
    {
        if (a.isMap() && b.isMap()) {
            for (const YamlEntry& entry : a.entries) {
                const YamlEntry* const other = b.find(entry.key);
                path.push_back(entry.key);
                if (other)
                    compare(entry.value, other->value, path);
                else
                    paths.push_back(path);
                path.pop_back();
            }
            for (const YamlEntry& entry : b.entries) {
                path.push_back(entry.key);
                if (!a.find(entry.key))
                    paths.push_back(path);
                path.pop_back();
            }
        } else if (isListOfMaps(a) && isListOfMaps(b) && a.items.size() == b.items.size()) {
            for (std::size_t i = 0; i < a.items.size(); ++i) {
                path.push_back(std::to_string(i));
                compare(a.items[i], b.items[i], path);
                path.pop_back();
            }
        } else if (!sameContent(a, b)) {
            paths.push_back(path);
        }
    }
};

/// Are both fabrics described in the same way?
bool samePlatformKind(const YamlNode* a, const YamlNode* b)
{
    constexpr std::array kKinds{"dimensions", "fabric", "nodes", "links"};
    return std::all_of(kKinds.begin(), kKinds.end(), [&](const char* key) { return !a || !b || !a->find(key) == !b->find(key); });
}

/// A value for people: one line, defaults that the file leaves out written out.
std::string valueText(const YamlNode& file, const YamlNode& canonical, const YamlPath& path)
{
    const YamlNode* node = nodeAt(file, path);
    if (!node)
        node = nodeAt(canonical, path);
    return node ? renderYaml(*node, true) : std::string();
}

DesignChange wholeSection(const std::string& section, std::vector<YamlPath> paths)
{
    DesignChange change;
    change.section = change.field = section;
    change.whole = true;
    change.paths = std::move(paths);
    return change;
}

/// What people compare, or read, is no part of what is simulated; nor is how far the times are from measured ones.
bool isRemark(const YamlPath& path)
{
    return path[0] == "accuracy" || (path.size() == 1 && (path[0] == "name" || path[0] == "notes" || path[0] == "fabricscope"));
}

/// Joins what is of no use apart: the workload, platforms of two kinds, a model and the version of its rules.
std::vector<DesignChange> grouped(const std::vector<YamlPath>& paths, const YamlNode& a, const YamlNode& b)
{
    std::map<std::string, std::vector<YamlPath>> bySection;
    for (const YamlPath& path : paths)
        bySection[path[0]].push_back(path);
    const auto differs = [&](const YamlPath& path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
    const bool otherModel = differs({"model", "name"});
    const bool otherPlatform = !samePlatformKind(nodeAt(a, {"platform"}), nodeAt(b, {"platform"}));
    std::vector<DesignChange> rows;
    for (const YamlPath& path : paths) {
        const std::string& section = path[0];
        const bool whole = (section == "workload" && bySection[section].size() > 1) || (section == "platform" && otherPlatform) || paths.size() > DesignChanges::kMost;
        if (whole && !(rows.empty() || rows.back().section != section))
            continue;
        if (whole) {
            rows.push_back(wholeSection(section, bySection[section]));
        } else if (const bool version = path == YamlPath{"model", "version"}; !version || !otherModel) {
            DesignChange change;
            change.section = section;
            change.field = yamlPathText(path);
            change.paths = {path};
            if (path == YamlPath{"model", "name"})
                change.paths.push_back({"model", "version"});
            rows.push_back(std::move(change));
        }
    }
    return rows;
}

} // namespace

DesignChanges DesignChanges::between(const Design& a, const Design& b, const std::stop_token& stop)
{
    DesignChanges changes;
    const Design moved = movedTo(b, a);
    changes.m_file = a.file.empty() && !a.folder.empty() ? (std::filesystem::path(a.folder) / "").string() : a.file;
    changes.m_folder = a.folder;
    changes.m_treeA = designTree(a, DesignForm::File, stop);
    changes.m_treeB = designTree(moved, DesignForm::File, stop);
    TreeDifference found;
    YamlPath path;
    found.compare(changes.m_treeA, changes.m_treeB, path);
    std::erase_if(found.paths, isRemark);
    // A whole section counts once, wherever its parts stand.
    std::stable_sort(found.paths.begin(), found.paths.end(), [&](const YamlPath& x, const YamlPath& y) {
        constexpr std::array kOrder{"platform", "workload", "collectives", "model", "network", "compute", "scheduling"};
        const auto place = [&](const std::string& section) { return std::find(kOrder.begin(), kOrder.end(), section) - kOrder.begin(); };
        return place(x[0]) < place(y[0]);
    });
    changes.m_rows = grouped(found.paths, changes.m_treeA, changes.m_treeB);
    const YamlNode canonicalA = designTree(a, DesignForm::Canonical, stop);
    const YamlNode canonicalB = designTree(moved, DesignForm::Canonical, stop);
    for (DesignChange& change : changes.m_rows) {
        if (change.whole)
            continue;
        change.a = valueText(changes.m_treeA, canonicalA, change.paths[0]);
        change.b = valueText(changes.m_treeB, canonicalB, change.paths[0]);
    }
    return changes;
}

bool DesignChanges::has(const std::string& section) const
{
    return std::any_of(m_rows.begin(), m_rows.end(), [&](const DesignChange& change) { return change.section == section; });
}

bool DesignChanges::hasOtherModel() const
{
    const YamlNode* const a = nodeAt(m_treeA, {"model", "name"});
    const YamlNode* const b = nodeAt(m_treeB, {"model", "name"});
    return a && b && a->text != b->text;
}

LoadedDesign DesignChanges::applied(std::span<const std::size_t> numbers, const std::stop_token& stop) const
{
    YamlNode tree = m_treeA;
    for (const std::size_t number : numbers) {
        for (const YamlPath& path : m_rows[number].paths)
            putAt(tree, path, nodeAt(m_treeB, path));
    }
    const Result<YamlDocument> document = YamlDocument::parse(renderYaml(tree, true, stop), m_file, stop);
    if (!document)
        return {{}, {finding("yaml", document.error())}};
    LoadedDesign loaded = inspectDesign(document.value(), stop);
    loaded.design.folder = m_folder;
    return loaded;
}

} // namespace fabricscope
