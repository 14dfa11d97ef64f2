#include "core/design/edits/dimensionedits.h"

#include "core/design/file/sectiontree.h"
#include "core/design/linknames.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

const std::string kDimensions = "platform.dimensions";

std::string indexed(const std::string& list, std::size_t index)
{
    return list + "[" + std::to_string(index) + "]";
}

/// NPUs and links of dimensions, whatever their figures are.
std::optional<Platform> geometry(const std::vector<Dimension>& dimensions)
{
    PlatformSpec spec;
    for (const Dimension& dimension : dimensions)
        spec.dimensions.push_back({dimension.shape, dimension.size, {1, "GB/s", Measure::Bandwidth}, false, {0, "ns", Measure::Time}});
    auto created = Platform::create(std::move(spec));
    return created ? std::optional(std::move(created).value()) : std::nullopt;
}

/// Old numbers to new ones.
class Renumbering {
public:
    explicit Renumbering(const DimensionChange& change) : m_change(change), m_before(geometry(change.before)), m_after(geometry(change.after)) {}

    bool possible() const { return m_before && m_after; }

    std::optional<NodeId> node(NodeId old) const
    {
        if (old < 0 || old >= m_before->npuCount())
            return std::nullopt;
        NodeId result = 0;
        for (std::size_t d = 0; d < m_change.before.size(); ++d) {
            const std::int32_t coordinate = m_before->coordinate(old, d);
            const std::int32_t target = m_change.target[d];
            if (target < 0 ? coordinate != 0 : coordinate >= m_change.after[static_cast<std::size_t>(target)].size)
                return std::nullopt;
            if (target >= 0)
                result = m_after->withCoordinate(result, static_cast<std::size_t>(target), coordinate);
        }
        return result;
    }

    std::optional<std::string> link(const std::string& old) const
    {
        const auto found = findLink(*m_before, old);
        if (!found)
            return old; // was wrong before: its issue stays
        const LinkInfo info = m_before->linkInfo(*found);
        const std::int32_t dimension = m_change.target[static_cast<std::size_t>(info.dimension)];
        const auto from = info.from < 0 ? std::nullopt : node(info.from);
        const auto to = info.to < 0 ? std::nullopt : node(info.to);
        if (dimension < 0 || (info.from >= 0 && !from) || (info.to >= 0 && !to))
            return std::nullopt;
        const std::string name = "d" + std::to_string(dimension) + " " + (from ? std::to_string(*from) : "switch") + ">" + (to ? std::to_string(*to) : "switch");
        return findLink(*m_after, name) ? std::optional(name) : std::nullopt;
    }

private:
    const DimensionChange& m_change;
    std::optional<Platform> m_before;
    std::optional<Platform> m_after;
};

std::optional<std::int32_t> number(const YamlNode& node)
{
    std::int32_t value = 0;
    if (!node.isScalar() || node.text.empty() || node.text.size() > 9 || node.text.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    for (const char c : node.text)
        value = value * 10 + (c - '0');
    return value;
}

Status followOverrides(YamlDocument& yaml, const char* list, const char* key, const std::function<std::optional<std::string>(const YamlNode&)>& renamed,
                       const std::string& title, edits::Dropped* dropped)
{
    const YamlNode* node = yaml.find(list);
    const auto told = static_cast<std::ptrdiff_t>(dropped ? dropped->size() : 0);
    // From the end: removing does not move what is still to be looked at.
    for (std::size_t i = node && node->isSequence() ? node->items.size() : 0; i-- > 0;) {
        const YamlNode* name = yaml.find(indexed(list, i) + "." + key);
        if (!name || !name->isScalar())
            continue;
        const std::string old = name->text;
        const auto now = renamed(*name);
        Status status;
        if (!now)
            status = removeListItem(yaml, list, i);
        else if (*now != old)
            status = yaml.set(indexed(list, i) + "." + key, *now);
        if (!status)
            return status;
        if (!now && dropped)
            dropped->insert(dropped->begin() + told, title + old);
    }
    return {};
}

/// Listed nodes of jobs, where all of them are still there; else the list stays and its issue tells.
Status followJobs(YamlDocument& yaml, const Renumbering& numbers)
{
    const YamlNode* jobs = yaml.find("platform.placement.jobs");
    for (std::size_t j = 0; jobs && jobs->isSequence() && j < jobs->items.size(); ++j) {
        const std::string path = indexed("platform.placement.jobs", j) + ".nodes";
        const YamlNode* nodes = yaml.find(path);
        if (!nodes || !nodes->isSequence())
            continue;
        YamlNode list = YamlNode::sequence();
        list.flow = nodes->flow;
        for (const YamlNode& item : nodes->items) {
            const auto old = number(item);
            const auto now = old ? numbers.node(*old) : std::nullopt;
            if (now)
                list.items.push_back(YamlNode::scalar(std::to_string(*now)));
        }
        if (list.items.size() != nodes->items.size() || sameContent(list, *nodes))
            continue;
        if (Status status = yaml.set(path, list); !status)
            return status;
        jobs = yaml.find("platform.placement.jobs");
    }
    return {};
}

Status followGroups(YamlDocument& yaml, const DimensionChange& change, edits::Dropped* dropped)
{
    const std::string groups = "workload.groups";
    const YamlNode* node = yaml.find(groups);
    for (std::size_t g = 0; node && node->isSequence() && g < node->items.size(); ++g) {
        const std::string path = indexed(groups, g) + ".dimensions";
        const YamlNode* dimensions = yaml.find(path);
        if (!dimensions || !dimensions->isSequence())
            continue;
        YamlNode list = YamlNode::sequence();
        for (const YamlNode& item : dimensions->items) {
            const auto old = number(item);
            if (!old || static_cast<std::size_t>(*old) >= change.target.size())
                list.items.push_back(item);
            else if (change.target[static_cast<std::size_t>(*old)] >= 0)
                list.items.push_back(YamlNode::scalar(std::to_string(change.target[static_cast<std::size_t>(*old)])));
        }
        if (sameContent(list, *dimensions))
            continue;
        const YamlEntry* name = node->items[g].find("name");
        if (list.items.empty() && dropped) // every rank is alone in it now
            dropped->push_back("group " + (name ? name->value.text : std::to_string(g)));
        if (Status status = yaml.set(path, list); !status)
            return status;
        node = yaml.find(groups);
    }
    return {};
}

Status followAlgorithms(YamlDocument& yaml, const std::string& path, const DimensionChange& change)
{
    const YamlNode* node = yaml.find(path);
    if (!node || !node->isSequence() || node->items.size() != change.before.size())
        return {}; // one for all
    YamlNode list = YamlNode::sequence(std::vector<YamlNode>(change.after.size(), YamlNode::scalar("standard")));
    for (std::size_t d = 0; d < change.target.size(); ++d) {
        if (change.target[d] >= 0)
            list.items[static_cast<std::size_t>(change.target[d])] = node->items[d];
    }
    return list.items.empty() || sameContent(list, *node) ? Status{} : yaml.set(path, list);
}

} // namespace

Status followDimensions(YamlDocument& yaml, const DimensionChange& change, edits::Dropped* dropped)
{
    const Renumbering numbers(change);
    if (numbers.possible()) {
        if (Status status = followOverrides(yaml, "platform.overrides.links", "link", [&](const YamlNode& name) { return numbers.link(name.text); }, "", dropped); !status)
            return status;
        const auto npu = [&](const YamlNode& name) -> std::optional<std::string> {
            const auto old = number(name);
            if (!old)
                return name.text;
            const auto now = numbers.node(*old);
            return now ? std::optional(std::to_string(*now)) : std::nullopt;
        };
        if (Status status = followOverrides(yaml, "platform.overrides.npus", "npu", npu, "NPU ", dropped); !status)
            return status;
        if (Status status = followJobs(yaml, numbers); !status)
            return status;
    }
    if (Status status = followGroups(yaml, change, dropped); !status)
        return status;
    if (Status status = followAlgorithms(yaml, "collectives.default.algorithm", change); !status)
        return status;
    const YamlNode* rules = yaml.find("collectives.rules");
    const std::size_t count = rules && rules->isSequence() ? rules->items.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (Status status = followAlgorithms(yaml, indexed("collectives.rules", i) + ".algorithm", change); !status)
            return status;
    }
    return {};
}

namespace edits {

namespace {

YamlNode asTree(const PlatformSpec& spec)
{
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(spec);
    return designTree(design, DesignForm::File).find("platform")->value;
}

YamlNode asTree(const Dimension& dimension)
{
    PlatformSpec spec;
    spec.dimensions.push_back(dimension);
    return asTree(spec).find("dimensions")->value.items.front();
}

/// The dimensions as they stand in the text. Error: there are none.
Result<std::vector<Dimension>> readDimensions(const YamlDocument& yaml)
{
    const YamlNode* node = yaml.find(kDimensions);
    if (!node || !node->isSequence()) {
        const YamlNode* platform = yaml.find("platform");
        return Error{ErrorCode::Unsupported, "this platform has no dimensions", yaml.place(platform ? *platform : yaml.root(), "platform"), "platform.dimensions"};
    }
    const LoadedDesign read = inspectDesignText(yaml.text(), yaml.file());
    if (!read.design.platform || read.design.platform->dimensions.size() != node->items.size())
        return invalidInput("the dimensions cannot be read", yaml.place(*node, kDimensions));
    std::vector<Dimension> dimensions = read.design.platform->dimensions;
    for (const Diagnostic& found : read.diagnostics) {
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
            if (found.severity == Severity::Error && (found.place.field == indexed(kDimensions, d) + ".size" || found.place.field == indexed(kDimensions, d) + ".shape"))
                dimensions[d].size = 0; // unknown: nothing can be renumbered
        }
    }
    return dimensions;
}

Error noSuchDimension(std::size_t dimension, std::size_t count)
{
    Place place;
    place.field = indexed(kDimensions, dimension);
    return invalidInput("there is no dimension " + std::to_string(dimension), place, "0 to " + std::to_string(count == 0 ? 0 : count - 1));
}

/// Moves whole lines when every item has its own; absent when the list is not written so.
std::optional<YamlDocument> movedLines(const YamlDocument& yaml, std::size_t from, std::size_t to)
{
    const YamlNode& list = *yaml.find(kDimensions);
    if (list.flow || list.shared)
        return std::nullopt;
    const std::string& text = yaml.text();
    const auto lineStart = [&](std::size_t item) {
        const std::size_t before = text.rfind('\n', list.items[item].marker);
        return before == std::string::npos ? 0 : before + 1;
    };
    const std::size_t lastEnd = text.find('\n', list.items.back().end);
    if (lastEnd == std::string::npos)
        return std::nullopt; // no line end to take along
    const auto lineEnd = [&](std::size_t item) { return item + 1 < list.items.size() ? lineStart(item + 1) : lastEnd + 1; };
    const std::size_t begin = lineStart(from);
    const std::string lines = text.substr(begin, lineEnd(from) - begin);
    std::string moved = text;
    if (from < to) {
        moved.insert(lineEnd(to), lines);
        moved.erase(begin, lines.size());
    } else {
        moved.erase(begin, lines.size());
        moved.insert(lineStart(to), lines);
    }
    YamlNode expected = yaml.root();
    auto& items = expected.find("platform")->value.find("dimensions")->value.items;
    YamlNode item = items[from];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(from));
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(to), std::move(item));
    auto parsed = YamlDocument::parse(std::move(moved), yaml.file());
    if (!parsed || !sameContent(parsed.value().root(), expected))
        return std::nullopt;
    return std::move(parsed).value();
}

/// Written out, changed by `change`, and the rest made to follow; on a copy.
Status changeDimensions(YamlDocument& yaml, Dropped* dropped, const std::function<Status(YamlDocument&, DimensionChange&)>& apply)
{
    YamlDocument edited = yaml;
    if (Status status = writeOutPlatform(edited); !status)
        return status;
    auto dimensions = readDimensions(edited);
    if (!dimensions)
        return std::move(dimensions).error();
    DimensionChange change;
    change.before = std::move(dimensions).value();
    change.after = change.before;
    for (std::size_t d = 0; d < change.before.size(); ++d)
        change.target.push_back(static_cast<std::int32_t>(d));
    if (Status status = apply(edited, change); !status)
        return status;
    Dropped lost;
    if (Status status = followDimensions(edited, change, &lost); !status)
        return status;
    if (dropped)
        *dropped = std::move(lost);
    yaml = std::move(edited);
    return {};
}

Status changeOne(YamlDocument& yaml, std::size_t dimension, Dropped* dropped, const std::function<Status(YamlDocument&, Dimension&, const std::string&)>& apply)
{
    return changeDimensions(yaml, dropped, [&](YamlDocument& edited, DimensionChange& change) -> Status {
        if (dimension >= change.before.size())
            return noSuchDimension(dimension, change.before.size());
        return apply(edited, change.after[dimension], indexed(kDimensions, dimension));
    });
}

} // namespace

Status writeOutPlatform(YamlDocument& yaml)
{
    if (!yaml.find("platform.preset") && !yaml.find("platform.file"))
        return {};
    const LoadedDesign read = inspectDesignText(yaml.text(), yaml.file());
    const bool fabric = read.design.platform && !(read.design.platform->dimensions.empty() && read.design.platform->nodes.empty());
    if (!fabric) {
        for (const Diagnostic& found : read.diagnostics) {
            if (found.severity == Severity::Error)
                return toError(found);
        }
        return invalidInput("the platform cannot be read", yaml.place(yaml.root(), "platform"));
    }
    const YamlNode tree = asTree(*read.design.platform);
    YamlDocument edited = yaml;
    for (const char* key : {"name", "source", "dimensions", "nodes", "links", "npu", "budgets"}) {
        const YamlEntry* entry = tree.find(key);
        if (!entry)
            continue;
        const std::string path = std::string("platform.") + key;
        if (!entry->value.isMap()) {
            if (!edited.find(path)) {
                if (Status status = edited.set(path, entry->value); !status)
                    return status;
            }
            continue;
        }
        for (const YamlEntry& field : entry->value.entries) { // the design's own figures stay as they are written
            if (edited.find(path + "." + field.key))
                continue;
            if (Status status = edited.set(path + "." + field.key, field.value); !status)
                return status;
        }
    }
    for (const char* key : {"platform.preset", "platform.file", "platform.kind"}) {
        if (!edited.find(key))
            continue;
        if (Status status = edited.remove(key); !status)
            return status;
    }
    yaml = std::move(edited);
    return {};
}

Status addDimension(YamlDocument& yaml, std::size_t at, const Dimension& dimension, Dropped* dropped)
{
    return changeDimensions(yaml, dropped, [&](YamlDocument& edited, DimensionChange& change) -> Status {
        if (at > change.before.size())
            return noSuchDimension(at, change.before.size() + 1);
        for (std::size_t d = at; d < change.target.size(); ++d)
            ++change.target[d];
        change.after.insert(change.after.begin() + static_cast<std::ptrdiff_t>(at), dimension);
        return edited.insert(indexed(kDimensions, at), asTree(dimension));
    });
}

Status removeDimension(YamlDocument& yaml, std::size_t dimension, Dropped* dropped)
{
    return changeDimensions(yaml, dropped, [&](YamlDocument& edited, DimensionChange& change) -> Status {
        if (dimension >= change.before.size())
            return noSuchDimension(dimension, change.before.size());
        if (change.before.size() == 1) {
            Place place;
            place.field = kDimensions;
            return invalidInput("this is the only dimension", place, "at least one dimension");
        }
        change.target[dimension] = -1;
        for (std::size_t d = dimension + 1; d < change.target.size(); ++d)
            --change.target[d];
        change.after.erase(change.after.begin() + static_cast<std::ptrdiff_t>(dimension));
        return edited.remove(indexed(kDimensions, dimension));
    });
}

Status moveDimension(YamlDocument& yaml, std::size_t from, std::size_t to, Dropped* dropped)
{
    return changeDimensions(yaml, dropped, [&](YamlDocument& edited, DimensionChange& change) -> Status {
        const std::size_t count = change.before.size();
        if (from >= count || to >= count)
            return noSuchDimension(std::max(from, to), count);
        std::vector<std::size_t> order;
        for (std::size_t d = 0; d < count; ++d)
            order.push_back(d);
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
        for (std::size_t d = 0; d < count; ++d) {
            change.target[order[d]] = static_cast<std::int32_t>(d);
            change.after[d] = change.before[order[d]];
        }
        if (from == to)
            return {};
        if (auto moved = movedLines(edited, from, to)) {
            edited = std::move(*moved);
            return {};
        }
        YamlNode item = *edited.find(indexed(kDimensions, from));
        if (Status status = edited.remove(indexed(kDimensions, from)); !status)
            return status;
        return edited.insert(indexed(kDimensions, to), item);
    });
}

Status setShape(YamlDocument& yaml, std::size_t dimension, Shape shape, Dropped* dropped)
{
    std::vector<std::string> lost; // Only switches reduce and copy, and have a crossbar.
    Status status = changeOne(yaml, dimension, dropped, [&](YamlDocument& edited, Dimension& changed, const std::string& path) -> Status {
        changed.shape = shape;
        for (const std::string key : {"in_network", "crossbar"}) {
            if (shape == Shape::Switch || !edited.find(path + '.' + key))
                continue;
            if (Status removed = edited.remove(path + '.' + key); !removed)
                return removed;
            lost.push_back(key + " of dimension " + std::to_string(dimension));
        }
        if (shape != Shape::Switch) {
            changed.offload.reset();
            changed.crossbar.reset();
        }
        return edited.set(path + ".shape", std::string(shapeKey(shape)));
    });
    if (status && dropped)
        dropped->insert(dropped->end(), lost.begin(), lost.end());
    return status;
}

Status setSize(YamlDocument& yaml, std::size_t dimension, std::int32_t size, Dropped* dropped)
{
    return changeOne(yaml, dimension, dropped, [&](YamlDocument& edited, Dimension& changed, const std::string& path) {
        changed.size = size;
        return edited.set(path + ".size", std::to_string(size));
    });
}

Status setBandwidth(YamlDocument& yaml, std::size_t dimension, const Quantity& bandwidth, bool perNpu)
{
    return changeOne(yaml, dimension, nullptr, [&](YamlDocument& edited, Dimension&, const std::string& path) -> Status {
        const std::string key = path + (perNpu ? ".npu_bandwidth" : ".bandwidth");
        const std::string other = path + (perNpu ? ".bandwidth" : ".npu_bandwidth");
        if (edited.find(other)) {
            Status status = edited.find(key) ? edited.remove(other) : renameKey(edited, other, perNpu ? "npu_bandwidth" : "bandwidth");
            if (!status)
                return status;
        }
        return edited.set(key, bandwidth.text());
    });
}

Status setLatency(YamlDocument& yaml, std::size_t dimension, const Quantity& latency)
{
    return changeOne(yaml, dimension, nullptr, [&](YamlDocument& edited, Dimension&, const std::string& path) { return edited.set(path + ".latency", latency.text()); });
}

} // namespace edits

} // namespace fabricscope
