// Names and crossbars of parts, and blueprints of a graph being drawn: parts that stand several times and are edited together.
#include "widgets/draw/grapheditor.h"

#include "core/base/index.h"
#include "core/design/edits/edits.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fabricscope {

namespace {

constexpr double kBetweenCopies = 8 * kSnapGrid;
constexpr int kCopiesInARow = 8;

RectF boxAround(const GraphPicture& picture, const std::vector<std::size_t>& nodes)
{
    RectF box = picture.rectOf(nodes.front());
    for (const std::size_t node : nodes) {
        const RectF rect = picture.rectOf(node);
        const double left = std::min(box.left(), rect.left());
        const double top = std::min(box.top(), rect.top());
        box = RectF(left, top, std::max(box.right(), rect.right()) - left, std::max(box.bottom(), rect.bottom()) - top);
    }
    return box;
}

/// A name that no blueprint and no part has.
std::string freeBlueprint(const GraphText& graph, const CopiedParts& copies)
{
    std::string name;
    for (int tried = 0; tried < 1000; ++tried) {
        static constexpr const char* kNames[] = {"host", "unit", "rack", "pod"};
        name = tried < 4 ? kNames[tried] : "group" + std::string(static_cast<std::size_t>(tried - 4), 'x');
        const CopiedParts would(graph, {{name, PartCopies::kMost}});
        bool taken = std::ranges::any_of(copies.blueprints(), [&](const PartCopies& one) { return one.of == name; });
        for (std::size_t node = 0; node < graph.nodes.size() && !taken; ++node)
            taken = would.placeOf(node).has_value();
        if (!taken)
            break;
    }
    return name;
}

} // namespace

void GraphEditor::readCopies(const YamlDocument& yaml)
{
    m_copies = m_fabric == FabricText::Other ? CopiedParts() : CopiedParts(m_picture.graph(), partCopies(yaml));
    if (!m_inside)
        return;
    // Where it was entered, by its name.
    const auto& all = m_copies.blueprints();
    const auto found = std::ranges::find(all, m_insideOf, &PartCopies::of);
    if (found == all.end() || m_inside->copy >= found->count)
        m_inside.reset(); // read() tells it once the selection is that of the new picture.
    else
        m_inside->blueprint = static_cast<std::size_t>(found - all.begin());
}

std::optional<CopiedParts::Place> GraphEditor::selectedCopy() const
{
    std::optional<CopiedParts::Place> found;
    if (m_copies.isEmpty())
        return found;
    const auto fits = [&](const std::optional<CopiedParts::Place>& place) {
        if (place && !found)
            found = place;
        return place && place->blueprint == found->blueprint;
    };
    for (const std::size_t node : m_nodes) {
        if (!fits(m_copies.placeOf(node)))
            return std::nullopt;
    }
    for (const std::size_t link : selectedLinks()) {
        if (!fits(m_copies.placeOfLink(link)))
            return std::nullopt;
    }
    return found;
}

QString GraphEditor::copyName(const CopiedParts::Place& place) const
{
    return QString::fromStdString(m_copies.blueprints()[place.blueprint].of) + QString::number(place.copy);
}

std::set<std::size_t> GraphEditor::movedNodes() const
{
    return m_copies.isEmpty() || m_onlyThis ? m_nodes : m_copies.alikeAll(m_nodes);
}

std::vector<std::size_t> GraphEditor::alikeLinks() const
{
    std::set<std::size_t> links;
    for (const std::size_t link : selectedLinks()) {
        if (!links.insert(link).second || m_copies.isEmpty())
            continue; // One of several that are alike brings all.
        const std::vector<std::size_t> alike = m_copies.alikeLinks(link);
        links.insert(alike.begin(), alike.end());
    }
    return {links.begin(), links.end()};
}

void GraphEditor::setSelectedCrossbar(const std::optional<Quantity>& crossbar, const QString& merge)
{
    if (m_onlyThis) {
        emit refused(tr("A switch has the same crossbar in every copy. Choose Change all copies to set it."));
        emit selectionChanged(); // Fields show what is.
        return;
    }
    std::set<std::size_t> every;
    for (const std::size_t node : selectedSwitches()) {
        if (every.insert(node).second && !m_copies.isEmpty())
            std::ranges::copy(m_copies.alike(node), std::inserter(every, every.end()));
    }
    std::vector<std::size_t> switches(every.begin(), every.end());
    std::erase_if(switches, [this](std::size_t node) { return m_picture.graph().nodes[node].kind != NodeKind::Switch; });
    const auto limited = std::ranges::count_if(switches, [this](std::size_t node) { return !m_picture.graph().nodes[node].crossbar.empty(); });
    if (!crossbar && static_cast<std::size_t>(limited) > kMostRenamed) {
        emit refused(tr("%1 switches have a limit; at most %2 lose theirs at once.").arg(limited).arg(kMostRenamed));
        return;
    }
    apply(tr("crossbar of %1").arg(selectionText()), [&](YamlDocument& yaml) { return edits::setCrossbars(yaml, switches, crossbar); }, merge);
}

void GraphEditor::group()
{
    if (m_nodes.empty()) {
        emit refused(tr("Select the parts that are to be a blueprint."));
        return;
    }
    const std::string name = freeBlueprint(m_picture.graph(), m_copies);
    std::set<std::string> names;
    for (const std::size_t node : m_nodes)
        names.insert(name + "0." + m_picture.graph().nodes[node].name);
    const std::vector<std::size_t> nodes = selectedNodes();
    const NodePlaces places = m_picture.unplaced();
    const std::set<std::string> before = m_names;
    m_names.insert(names.begin(), names.end()); // Selected while the text changes, and after undo.
    m_joined.clear();
    if (!apply(tr("group %1 into %2").arg(selectionText(), QString::fromStdString(name)), [&](YamlDocument& yaml) { return edits::groupParts(yaml, nodes, name, places); }))
        m_names = before;
}

void GraphEditor::ungroup()
{
    const auto copy = selectedCopy();
    if (!copy) {
        emit refused(tr("Select parts of one blueprint to ungroup it."));
        return;
    }
    apply(tr("ungroup %1").arg(QString::fromStdString(m_copies.blueprints()[copy->blueprint].of)), [&](YamlDocument& yaml) { return edits::ungroupParts(yaml, copy->blueprint); });
}

/// Slots beside the first copy that nothing stands in, row by row.
std::vector<DrawnAt> GraphEditor::shiftsForCopies(std::size_t blueprint, std::int32_t count) const
{
    const RectF box = boxAround(m_picture, m_copies.nodesOf(blueprint, 0));
    const auto pitch = [](double size) { return std::ceil((size + kBetweenCopies) / kSnapGrid) * kSnapGrid; };
    const double across = pitch(box.width());
    const double down = pitch(box.height());
    std::vector<DrawnAt> shifts;
    for (int slot = 1; static_cast<std::int32_t>(shifts.size()) < count && slot < 4 * PartCopies::kMost; ++slot) {
        const PointF shift(across * (slot % kCopiesInARow), down * (slot / kCopiesInARow));
        if (m_picture.nodesIn(RectF(box.left() + shift.x(), box.top() + shift.y(), box.width(), box.height()), true).empty())
            shifts.push_back({static_cast<std::int32_t>(shift.x()), static_cast<std::int32_t>(shift.y())});
    }
    return shifts;
}

void GraphEditor::setCopies(int count, const QString& merge)
{
    const auto copy = selectedCopy();
    if (!copy)
        return;
    const std::int32_t now = m_copies.blueprints()[copy->blueprint].count;
    const std::size_t parts = m_copies.nodesOf(copy->blueprint, 0).size();
    if (count == now || parts == 0)
        return;
    const std::size_t others = m_picture.count() - parts * at(now);
    if (count > now && others + parts * static_cast<std::size_t>(count) > kMostParts) {
        emit refused(tr("Too large to draw part by part: %1 parts, at most %2. Change it as levels.").arg(texts::count(static_cast<qint64>(others + parts * static_cast<std::size_t>(count))), texts::count(static_cast<qint64>(kMostParts))));
        emit selectionChanged(); // Fields show what is.
        return;
    }
    const std::vector<DrawnAt> shifts = count > now ? shiftsForCopies(copy->blueprint, count - now) : std::vector<DrawnAt>();
    const NodePlaces places = m_picture.unplaced();
    const std::vector<DrawnAt> drawn = m_picture.places();
    apply(tr("%1 copies of %2").arg(texts::count(count), QString::fromStdString(m_copies.blueprints()[copy->blueprint].of)), [&](YamlDocument& yaml) {
        const Status placed = edits::placeNodes(yaml, {}, places);
        return placed ? edits::setCopies(yaml, copy->blueprint, count, shifts, drawn) : placed;
    }, merge);
}

void GraphEditor::renameBlueprint(const QString& name)
{
    const auto copy = selectedCopy();
    if (!copy)
        return;
    const std::string wanted = name.trimmed().toStdString();
    const std::set<std::string> before = m_names;
    for (const std::size_t node : m_nodes) {
        const auto& place = m_copies.placeOf(node);
        m_names.insert(wanted + std::to_string(place->copy) + '.' + place->part);
    }
    const std::string inside = m_insideOf;
    if (m_inside && m_inside->blueprint == copy->blueprint)
        m_insideOf = wanted;
    if (!apply(tr("name blueprint %1").arg(name.trimmed()), [&](YamlDocument& yaml) { return edits::renameBlueprint(yaml, copy->blueprint, wanted); })) {
        m_names = before;
        m_insideOf = inside;
    }
}

void GraphEditor::enter(std::size_t blueprint, std::int32_t copy)
{
    m_inside = CopiedParts::Place{blueprint, copy, {}};
    m_insideOf = m_copies.blueprints()[blueprint].of;
    emit insideChanged();
}

void GraphEditor::leave()
{
    m_onlyThis = false;
    if (!m_inside)
        return;
    m_inside.reset();
    m_insideOf.clear();
    emit insideChanged();
}

void GraphEditor::setOnlyThisCopy(bool only)
{
    if (only == m_onlyThis || (only && !selectedCopy()))
        return;
    m_onlyThis = only;
    emit insideChanged();
}

/// Into the copy that was entered and all others. False: it is not one any more.
bool GraphEditor::insertInside(const QString& title, const GraphItems& items)
{
    if (items.nodes.empty() || m_inside->blueprint >= m_copies.blueprints().size())
        return false;
    const CopiedParts::Place inside = *m_inside;
    const NodePlaces places = m_picture.unplaced();
    const std::vector<DrawnAt> drawn = m_picture.places();
    std::set<std::string> before;
    for (const GraphText::Node& node : m_picture.graph().nodes)
        before.insert(node.name);
    if (!apply(tr("%1 in every %2").arg(title, QString::fromStdString(m_insideOf)), [&](YamlDocument& yaml) { return edits::addToCopies(yaml, inside.blueprint, inside.copy, items, places, drawn); }))
        return true;
    m_names.clear();
    m_joined.clear();
    for (const std::size_t node : m_copies.nodesOf(inside.blueprint, inside.copy)) {
        if (!before.contains(m_picture.graph().nodes[node].name))
            m_names.insert(m_picture.graph().nodes[node].name);
    }
    reselect();
    return true;
}

/// What comes from elsewhere is part of no copy by chance of its name.
GraphItems GraphEditor::outsideOfCopies(const GraphItems& items) const
{
    if (m_copies.isEmpty())
        return items;
    std::vector<std::string> taken;
    for (const GraphText::Node& node : m_picture.graph().nodes)
        taken.push_back(node.name);
    for (const YamlNode& item : items.nodes)
        taken.push_back(item.find("name")->value.text);
    std::map<std::string, std::string> called;
    GraphItems out = items;
    for (YamlNode& item : out.nodes) {
        std::string& name = item.find("name")->value.text;
        const auto place = m_copies.placeOfName(name);
        if (!place)
            continue;
        taken.push_back(called[name] = freeNodeName(place->part, taken));
        name = called[name];
    }
    const auto exchange = [&](std::string& end) {
        if (const auto found = called.find(end); found != called.end())
            end = found->second;
    };
    for (YamlNode& link : out.links) {
        for (YamlEntry& entry : link.entries) {
            if (entry.key == "from" || entry.key == "to")
                exchange(entry.value.text);
            if (entry.key == "between")
                std::ranges::for_each(entry.value.items, exchange, &YamlNode::text);
        }
    }
    return out;
}

/// Both ways of each link, by the names overrides have.
void GraphEditor::overrideSelected(const QString& title, const std::vector<edits::LinkFigures>& figures, const QString& merge)
{
    const std::optional<Platform>& platform = m_document->platform();
    if (!platform || m_document->hasErrors()) {
        emit refused(tr("The design has errors. Correct them before one copy is changed."));
        return;
    }
    apply(title, [&](YamlDocument& yaml) {
        for (const edits::LinkFigures& item : figures) {
            for (const LinkId id : m_changes.idsOf(item.link)) {
                if (Status status = edits::setLinkOverride(yaml, platform->linkName(id), item.bandwidth, item.latency); !status)
                    return status;
            }
        }
        return Status();
    }, merge);
}

void GraphEditor::removeFromThisCopy()
{
    const std::optional<Platform>& platform = m_document->platform();
    const bool onlyNpus = std::ranges::all_of(m_nodes, [&](std::size_t node) { return m_picture.graph().nodes[node].kind == NodeKind::Npu; });
    if (!platform || m_document->hasErrors() || !onlyNpus) {
        emit refused(onlyNpus ? tr("The design has errors. Correct them before one copy is changed.") : tr("A switch or a memory cannot be missing in one copy alone. Delete its links there, or ungroup."));
        return;
    }
    const std::vector<std::size_t> links = selectedLinks();
    apply(tr("delete %1 in one copy").arg(selectionText()), [&](YamlDocument& yaml) {
        for (const std::size_t link : links) {
            for (const LinkId id : m_changes.idsOf(link)) {
                if (Status status = edits::setLinkRemoved(yaml, platform->linkName(id), true); !status)
                    return status;
            }
        }
        for (const std::size_t node : m_nodes) {
            if (Status status = edits::setNpuRemoved(yaml, static_cast<NodeId>(node), true); !status)
                return status;
        }
        return Status();
    });
}

/// Both names mean a part while the text changes, and after undo: it stays selected.
void GraphEditor::renameAll(const QString& title, const std::vector<std::pair<std::size_t, std::string>>& wanted)
{
    if (m_onlyThis) {
        emit refused(tr("A part has the same name in every copy. Choose Change all copies to name it."));
        emit selectionChanged(); // Fields show what is.
        return;
    }
    const std::set<std::string> before = m_names;
    for (const auto& [node, name] : wanted) {
        const auto place = m_copies.isEmpty() ? std::nullopt : m_copies.placeOf(node);
        const std::string own = place ? m_copies.nameOf(place->blueprint, place->copy, {}) : std::string();
        if (m_names.contains(m_picture.graph().nodes[node].name))
            m_names.insert(name.starts_with(own) ? name : own + name);
    }
    if (!apply(title, [&](YamlDocument& yaml) { return edits::renameParts(yaml, wanted); }))
        m_names = before;
}

void GraphEditor::rename(std::size_t node, const QString& name)
{
    const std::string wanted = name.trimmed().toStdString();
    if (node < m_picture.count() && m_picture.graph().nodes[node].name != wanted)
        renameAll(tr("name %1").arg(name.trimmed()), {{node, wanted}});
}

void GraphEditor::renameSelected(const QString& pattern)
{
    const QString mark = QStringLiteral("{i}");
    const std::vector<std::size_t> nodes = selectedNodes();
    if (!pattern.contains(mark) || nodes.size() > kMostRenamed) {
        emit refused(pattern.contains(mark) ? tr("At most %1 parts are named at once.").arg(kMostRenamed) : tr("Several parts need several names: write {i} where the number goes, as in gpu{i}."));
        return;
    }
    std::vector<std::pair<std::size_t, std::string>> wanted;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        wanted.emplace_back(nodes[i], QString(pattern).trimmed().replace(mark, QString::number(i)).toStdString());
    renameAll(tr("names %1").arg(pattern.trimmed()), wanted);
}

} // namespace fabricscope
