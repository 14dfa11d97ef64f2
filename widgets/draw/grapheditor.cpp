#include "widgets/draw/grapheditor.h"

#include "core/design/fabricdesign.h"
#include "core/platform/fabric/platformof.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantitychange.h"
#include "widgets/design/quantityinput.h"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace fabricscope {

namespace {

constexpr double kBeside = 4 * kSnapGrid; ///< Between copies and what stands there: one gap of the grid on the page.
constexpr int kNudgeMs = 1000;
constexpr int kFrameMs = 33;

DrawnAt rounded(PointF at)
{
    const auto within = [](double value) { return static_cast<std::int32_t>(std::lround(std::clamp(value, -double{DrawnAt::kFarthest}, double{DrawnAt::kFarthest}))); };
    return {within(at.x()), within(at.y())};
}

RectF unitedWith(const RectF& all, const RectF& rect)
{
    if (all.width() <= 0)
        return rect;
    const double left = std::min(all.left(), rect.left());
    const double top = std::min(all.top(), rect.top());
    return {left, top, std::max(all.right(), rect.right()) - left, std::max(all.bottom(), rect.bottom()) - top};
}

/// Around what is to be put, where it says it stands; of no size: it does not say.
RectF boxOf(const GraphItems& items)
{
    RectF box(0, 0, 0, 0);
    for (const YamlNode& item : items.nodes) {
        const std::optional<DrawnAt> at = drawnPlace(item);
        const YamlEntry* const kind = item.find("kind");
        if (!at)
            continue;
        const SizeF size = GraphPicture::sizeOf(kind && kind->value.text != "npu" ? NodeKind::Switch : NodeKind::Npu); // A memory is as large as a switch.
        const PointF middle(at->x, at->y);
        box = unitedWith(box, {middle.x() - size.width() / 2, middle.y() - size.height() / 2, size.width(), size.height()});
    }
    return box;
}

/// How far to the right this has to go, along the grid, so as to stand beside everything; 0: nothing is there. O(nodes log nodes).
std::int32_t shiftBeside(const GraphPicture& picture, const RectF& box)
{
    std::vector<RectF> row;
    bool free = true;
    for (std::size_t node = 0; node < picture.count(); ++node) {
        const RectF rect = picture.rectOf(node);
        if (rect.bottom() <= box.top() || rect.top() >= box.bottom())
            continue;
        row.push_back(rect);
        free = free && (rect.right() <= box.left() || rect.left() >= box.right());
    }
    if (free)
        return 0;
    std::ranges::sort(row, {}, [](const RectF& rect) { return rect.left(); });
    double left = box.right() + kBeside;
    for (const RectF& rect : row) {
        if (rect.right() > left - kBeside && rect.left() < left + box.width() + kBeside)
            left = rect.right() + kBeside;
    }
    return static_cast<std::int32_t>(std::ceil((left - box.left()) / kSnapGrid) * kSnapGrid);
}

std::pair<std::string, std::string> endsOf(const GraphPicture& picture, const DrawnBundle& bundle)
{
    return {picture.graph().nodes[bundle.a].name, picture.graph().nodes[bundle.b].name};
}

} // namespace

GraphEditor::GraphEditor(QObject* parent) : QObject(parent), m_frames(this), m_nudges(this)
{
    m_nudges.setObjectName(QStringLiteral("nudges"));
    m_nudges.setSingleShot(true);
    m_nudges.setInterval(kNudgeMs);
    m_frames.setInterval(kFrameMs);
    connect(&m_frames, &QTimer::timeout, this, &GraphEditor::showForces);
}

void GraphEditor::setDocument(DesignDocument* document)
{
    m_document = document;
    connect(document, &DesignDocument::changed, this, &GraphEditor::read);
    connect(document, &DesignDocument::replaced, this, [this] {
        forget();
        read();
        emit replaced();
    });
    read();
}

/// Nothing of another document stays, also where this one cannot be read.
void GraphEditor::forget()
{
    stopForces(false);
    m_names.clear();
    m_joined.clear();
    m_nodes.clear();
    m_bundles.clear();
    leave();
    if (m_document->yaml())
        return;
    m_fabric = FabricText::None;
    m_picture = GraphPicture();
    m_changes = GraphChanges();
    m_copies = CopiedParts();
    emit selectionChanged();
    emit changed();
}

DesignDocument* GraphEditor::document() const
{
    return m_document;
}

bool GraphEditor::canDraw() const
{
    return m_document && m_document->yaml() && m_fabric != FabricText::Other;
}

void GraphEditor::read()
{
    const YamlDocument* yaml = m_document->yaml();
    if (!yaml)
        return; // The last readable picture stays.
    stopForces(false); // Their numbers are those of the old picture.
    m_fabric = fabricText(*yaml);
    m_picture = GraphPicture(m_fabric == FabricText::Other ? GraphText{} : graphText(*yaml));
    const bool wasInside = m_inside.has_value();
    readCopies(*yaml);
    m_changes = m_document->platform() && m_document->platform()->isExplicit() ? GraphChanges(m_picture.graph(), *m_document->platform()) : GraphChanges();
    reselect();
    if (wasInside != m_inside.has_value())
        emit insideChanged();
    emit changed();
}

/// The same things under their new numbers.
void GraphEditor::reselect()
{
    std::set<std::size_t> nodes;
    std::set<std::size_t> bundles;
    for (std::size_t i = 0; !m_names.empty() && i < m_picture.count(); ++i) {
        if (m_names.contains(m_picture.graph().nodes[i].name))
            nodes.insert(i);
    }
    for (std::size_t i = 0; !m_joined.empty() && i < m_picture.bundles().size(); ++i) {
        const auto [a, b] = endsOf(m_picture, m_picture.bundles()[i]);
        if (m_joined.contains({a, b}) || m_joined.contains({b, a}))
            bundles.insert(i);
    }
    m_nodes = std::move(nodes);
    m_bundles = std::move(bundles);
    emit selectionChanged();
}

void GraphEditor::select(std::set<std::size_t> nodes, std::set<std::size_t> bundles)
{
    if (m_document && (nodes != m_nodes || bundles != m_bundles))
        m_document->endMerge(); // What follows is about something else.
    if (m_onlyThis && (nodes != m_nodes || bundles != m_bundles))
        setOnlyThisCopy(false);
    m_names.clear();
    m_joined.clear();
    for (const std::size_t node : nodes)
        m_names.insert(m_picture.graph().nodes[node].name);
    for (const std::size_t bundle : bundles)
        m_joined.insert(endsOf(m_picture, m_picture.bundles()[bundle]));
    m_nodes = std::move(nodes);
    m_bundles = std::move(bundles);
    emit selectionChanged();
}

void GraphEditor::selectAll()
{
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < m_picture.count(); ++i)
        all.insert(all.end(), i);
    select(std::move(all));
}

void GraphEditor::selectAlike(std::size_t node)
{
    std::set<std::size_t> alike;
    for (std::size_t i = 0; i < m_picture.count(); ++i) {
        if (m_picture.graph().nodes[i].kind == m_picture.graph().nodes[node].kind)
            alike.insert(i);
    }
    select(std::move(alike));
}

std::vector<std::size_t> GraphEditor::selectedLinks() const
{
    std::vector<std::size_t> links;
    for (const std::size_t bundle : m_bundles)
        links.insert(links.end(), m_picture.bundles()[bundle].links.begin(), m_picture.bundles()[bundle].links.end());
    std::ranges::sort(links);
    return links;
}

QString GraphEditor::kindText(NodeKind kind, qsizetype count)
{
    switch (kind) {
    case NodeKind::Npu: return count == 1 ? tr("1 NPU") : tr("%1 NPUs").arg(count);
    case NodeKind::Switch: return count == 1 ? tr("1 switch") : tr("%1 switches").arg(count);
    case NodeKind::Memory: break;
    }
    return count == 1 ? tr("1 memory") : tr("%1 memories").arg(count);
}

QString GraphEditor::selectionText() const
{
    QStringList parts;
    for (const NodeKind kind : {NodeKind::Npu, NodeKind::Switch, NodeKind::Memory}) {
        const auto count = std::ranges::count_if(m_nodes, [&](std::size_t node) { return m_picture.graph().nodes[node].kind == kind; });
        if (count > 0)
            parts.append(kindText(kind, count));
    }
    if (const auto links = static_cast<qsizetype>(selectedLinks().size()); links > 0)
        parts.append(links == 1 ? tr("1 link") : tr("%1 links").arg(links));
    return parts.join(QStringLiteral(", "));
}

void GraphEditor::setRate(const Quantity& rate)
{
    m_rate = rate;
    emit defaultsChanged();
}

void GraphEditor::setLatency(const Quantity& latency)
{
    m_latency = latency;
    emit defaultsChanged();
}

bool GraphEditor::apply(const QString& title, const std::function<Status(YamlDocument&)>& change, const QString& merge)
{
    if (!canDraw()) {
        emit refused(m_document && m_document->isReading() ? tr("The text of the design is still being read. Try again in a moment.")
                                                           : tr("The text of the design has errors. Correct it before anything is drawn."));
        return false;
    }
    if (const Status status = m_document->edit(title, change, merge); !status) {
        emit refused(DesignActions::errorText(status.error()));
        return false;
    }
    return true;
}

/// Nodes that no place holds stay where they are seen, whatever comes to them.
void GraphEditor::insert(const QString& title, const GraphItems& given, const YamlNode* npu)
{
    if (m_inside && !npu && insertInside(title, given))
        return;
    const GraphItems items = outsideOfCopies(given);
    std::set<std::string> names;
    for (const YamlNode& node : items.nodes)
        names.insert(node.find("name")->value.text);
    const NodePlaces places = m_picture.unplaced();
    const auto change = [&](YamlDocument& yaml) {
        const Status status = edits::addToGraph(yaml, items, places);
        return status && npu ? yaml.set("platform.npu", *npu) : status;
    };
    if (!apply(title, change) || names.empty())
        return;
    m_names = std::move(names);
    m_joined.clear();
    reselect();
}

void GraphEditor::add(NodeKind kind, PointF at)
{
    std::vector<std::string> names;
    for (const GraphText::Node& node : m_picture.graph().nodes)
        names.push_back(node.name);
    const char* base = kind == NodeKind::Npu ? "npu" : kind == NodeKind::Switch ? "switch" : "memory";
    const GraphText::Node node{freeNodeName(base, names), kind, rounded(at)};
    insert(tr("add %1").arg(QString::fromStdString(node.name)), {{nodeItem(node)}, {}});
}

/// Written out into a design of its own, laid out there, and taken over as what is pasted.
void GraphEditor::addMachine(const QString& title, const PlatformSpec& machine, PointF at)
{
    if (!canDraw())
        return static_cast<void>(apply(title, {}));
    const Result<Fabric> fabric = fabricOfPlatform(machine);
    const Result<PlatformSpec> spec = fabric ? platformOfFabric(fabric.value(), FabricWriting::Nodes) : fabric.error();
    YamlDocument alone = YamlDocument::parse("platform:\n  nodes: []\n").value();
    if (const Status status = spec ? edits::writeOutGraph(alone, spec.value()) : Status(spec.error()); !status) {
        emit refused(DesignActions::errorText(status.error()));
        return;
    }
    const GraphPicture picture(graphText(alone));
    std::vector<std::size_t> all(picture.count());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Result<GraphItems> items = readFragment(*m_document->yaml(), graphFragment(alone, all, picture.places()), rounded(snapPoint(at - picture.bounds().center())));
    const YamlNode* npu = alone.find("platform.npu");
    insert(title, items.value(), npu && !m_document->yaml()->find("platform.npu") ? npu : nullptr);
}

QString GraphEditor::refusal(const std::vector<std::size_t>& from, std::size_t to, bool parallel) const
{
    if (to >= m_picture.count())
        return tr("A link ends at a part.");
    if (from.size() == 1 && from.front() == to)
        return tr("A link joins two parts.");
    if (!parallel && std::ranges::all_of(from, [&](std::size_t node) { return node == to || m_picture.isJoined(node, to); }))
        return tr("They are joined already. Shift draws another link beside it.");
    return {};
}

void GraphEditor::link(const std::vector<std::size_t>& from, std::size_t to, bool parallel)
{
    if (const QString reason = refusal(from, to, parallel); !reason.isEmpty()) {
        emit refused(reason);
        return;
    }
    const std::vector<GraphText::Node>& nodes = m_picture.graph().nodes;
    std::vector<GraphText::Link> links;
    std::set<std::pair<std::string, std::string>> drawn;
    for (const std::size_t node : from) {
        if (node == to || (!parallel && m_picture.isJoined(node, to)))
            continue;
        links.push_back({nodes[node].name, nodes[to].name, true, m_rate.text(), m_latency.text()});
        drawn.insert({nodes[node].name, nodes[to].name});
    }
    GraphItems items;
    for (const GraphText::Link& link : m_copies.isEmpty() || m_onlyThis ? links : m_copies.inEveryCopy(m_picture.graph(), links))
        items.links.push_back(linkItem(link));
    const QString title = links.size() == 1 ? tr("link %1 to %2").arg(QString::fromStdString(nodes[from.front() == to ? from.back() : from.front()].name), QString::fromStdString(nodes[to].name))
                                                  : tr("%1 links to %2").arg(links.size()).arg(QString::fromStdString(nodes[to].name));
    const NodePlaces places = m_picture.unplaced();
    if (!apply(title, [&](YamlDocument& yaml) { return edits::addToGraph(yaml, items, places); }))
        return;
    m_names.clear();
    m_joined = std::move(drawn);
    reselect();
}

void GraphEditor::removeSelected()
{
    if (!hasSelection())
        return;
    if (m_onlyThis)
        return removeFromThisCopy();
    const QString what = selectionText();
    const std::vector<std::size_t> nodes = selectedNodes();
    const std::vector<std::size_t> links = selectedLinks();
    const NodePlaces places = m_picture.unplaced();
    if (apply(tr("delete %1").arg(what), [&](YamlDocument& yaml) { return edits::removeParts(yaml, nodes, links, places); }))
        select({});
}

void GraphEditor::duplicate()
{
    if (m_nodes.empty() || !canDraw())
        return;
    const auto whole = m_copies.isEmpty() ? std::set<std::pair<std::size_t, std::int32_t>>() : m_copies.wholeCopies(m_nodes);
    if (const auto copy = selectedCopy(); copy && whole.size() == 1 && m_copies.nodesOf(copy->blueprint, copy->copy).size() == m_nodes.size())
        return setCopies(m_copies.blueprints()[copy->blueprint].count + 1);
    RectF box(0, 0, 0, 0);
    for (const std::size_t node : m_nodes)
        box = unitedWith(box, m_picture.rectOf(node));
    const std::set<std::size_t> before = m_nodes;
    insert(tr("duplicate %1").arg(selectionText()), copiesOf(*m_document->yaml(), selectedNodes(), true, {shiftBeside(m_picture, box), 0}, m_picture.places()));
    if (m_nodes != before)
        emit putBeside();
}

void GraphEditor::copy()
{
    if (m_nodes.empty() || !canDraw())
        return;
    QApplication::clipboard()->setText(QString::fromStdString(graphFragment(*m_document->yaml(), selectedNodes(), m_picture.places())));
}

void GraphEditor::cut()
{
    if (m_nodes.empty() || !canDraw())
        return;
    copy();
    removeSelected();
}

void GraphEditor::paste()
{
    if (!canDraw())
        return;
    const std::string text = QApplication::clipboard()->text().toStdString();
    Result<GraphItems> items = readFragment(*m_document->yaml(), text, {0, 0});
    // What was cut comes back to its place; what stands there still has its copy beside it.
    if (const RectF box = items ? boxOf(items.value()) : RectF(0, 0, 0, 0); box.width() > 0)
        items = readFragment(*m_document->yaml(), text, {shiftBeside(m_picture, box), 0});
    if (!items) {
        emit refused(tr("The clipboard has no nodes. Copy parts of a drawing, or YAML such as nodes: [{name: npu0}]."));
        return;
    }
    const std::set<std::size_t> before = m_nodes;
    insert(items.value().nodes.size() == 1 ? tr("paste 1 part") : tr("paste %1 parts").arg(items.value().nodes.size()), items.value());
    if (m_nodes != before)
        emit putBeside();
}

void GraphEditor::place(const QString& title, const std::vector<std::size_t>& nodes, const std::vector<PointF>& shifts, const QString& merge)
{
    std::map<std::size_t, PointF> moved; // A part by its own shift, else by that of the part it is alike.
    for (std::size_t i = 0; i < nodes.size(); ++i)
        moved[nodes[i]] = shifts[i];
    const std::set<std::size_t> named(nodes.begin(), nodes.end());
    const auto whole = m_copies.isEmpty() || m_onlyThis ? std::set<std::pair<std::size_t, std::int32_t>>() : m_copies.wholeCopies(named);
    std::set<std::pair<std::size_t, std::string_view>> done; // Parts all of whose copies are in `moved`.
    for (std::size_t i = 0; i < nodes.size() && !m_copies.isEmpty() && !m_onlyThis; ++i) {
        const auto& copy = m_copies.placeOf(nodes[i]);
        if (!copy || whole.contains({copy->blueprint, copy->copy}) || !done.emplace(copy->blueprint, copy->part).second)
            continue;
        for (const std::size_t other : m_copies.alike(nodes[i]))
            moved.emplace(other, shifts[i]);
    }
    NodePlaces places;
    for (const auto& [node, shift] : moved) {
        const DrawnAt now = m_picture.places()[node];
        const DrawnAt wanted = rounded(PointF(now.x, now.y) + shift);
        if (!(wanted == now) || !m_picture.graph().nodes[node].at)
            places.emplace_back(node, wanted);
    }
    if (places.empty())
        return;
    // The others stay where they are seen, too.
    NodePlaces others = m_picture.unplaced();
    std::erase_if(others, [&](const auto& other) { return moved.contains(other.first); });
    apply(title, [&](YamlDocument& yaml) { return edits::placeNodes(yaml, places, others); }, merge);
}

void GraphEditor::move(PointF shift, bool merge)
{
    if (m_nodes.empty() || (shift.x() == 0 && shift.y() == 0))
        return;
    if (merge) {
        if (!m_nudges.isActive())
            m_document->endMerge();
        m_nudges.start();
    }
    place(tr("move %1").arg(selectionText()), selectedNodes(), std::vector<PointF>(m_nodes.size(), shift), merge ? QStringLiteral("nudge") : QString());
}

void GraphEditor::align(Alignment alignment)
{
    std::vector<RectF> rects;
    for (const std::size_t node : m_nodes)
        rects.push_back(m_picture.rectOf(node));
    if (rects.size() > 1)
        place(tr("align %1").arg(selectionText()), selectedNodes(), alignShifts(rects, alignment));
}

void GraphEditor::distribute(bool across)
{
    std::vector<RectF> rects;
    for (const std::size_t node : m_nodes)
        rects.push_back(m_picture.rectOf(node));
    if (rects.size() > 2)
        place(tr("distribute %1").arg(selectionText()), selectedNodes(), distributeShifts(rects, across));
}

/// The selected ones alone, around where they are; else all.
std::vector<std::size_t> GraphEditor::nodesToLayOut() const
{
    std::vector<std::size_t> nodes = selectedNodes();
    if (nodes.size() < 2) {
        nodes.resize(m_picture.count());
        std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    }
    return nodes;
}

void GraphEditor::layOutAgain(GraphLayout layout)
{
    if (m_picture.isEmpty())
        return;
    stopForces();
    const std::vector<std::size_t> nodes = nodesToLayOut();
    GraphText part;
    for (const std::size_t node : nodes)
        part.nodes.push_back(m_picture.graph().nodes[node]);
    part.links = m_picture.graph().links;
    const std::vector<DrawnAt> wanted = layOut(part, layout);
    PointF before;
    PointF after;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        before += PointF(m_picture.places()[nodes[i]].x, m_picture.places()[nodes[i]].y);
        after += PointF(wanted[i].x, wanted[i].y);
    }
    const PointF back = snapPoint((before - after) / static_cast<double>(nodes.size()));
    std::vector<PointF> shifts;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const DrawnAt now = m_picture.places()[nodes[i]];
        shifts.push_back(PointF(wanted[i].x, wanted[i].y) + back - PointF(now.x, now.y));
    }
    const QString name = layout == GraphLayout::Levels ? tr("levels") : layout == GraphLayout::Ring ? tr("ring") : layout == GraphLayout::Plan ? tr("plan") : tr("grid");
    place(tr("layout %1").arg(name), nodes, shifts);
}

void GraphEditor::setSelectedRate(const Quantity& rate, const QString& merge)
{
    std::vector<edits::LinkFigures> figures;
    for (const std::size_t link : m_onlyThis ? selectedLinks() : alikeLinks())
        figures.push_back({link, rate, std::nullopt});
    if (m_onlyThis)
        return overrideSelected(tr("rate of %1 in one copy").arg(selectionText()), figures, merge);
    apply(tr("rate of %1").arg(selectionText()), [&](YamlDocument& yaml) { return edits::setLinkFigures(yaml, figures); }, merge);
}

void GraphEditor::setSelectedLatency(const Quantity& latency, const QString& merge)
{
    std::vector<edits::LinkFigures> figures;
    for (const std::size_t link : m_onlyThis ? selectedLinks() : alikeLinks())
        figures.push_back({link, std::nullopt, latency});
    if (m_onlyThis)
        return overrideSelected(tr("latency of %1 in one copy").arg(selectionText()), figures, merge);
    apply(tr("latency of %1").arg(selectionText()), [&](YamlDocument& yaml) { return edits::setLinkFigures(yaml, figures); }, merge);
}

std::vector<std::size_t> GraphEditor::selectedSwitches() const
{
    std::vector<std::size_t> switches(m_nodes.begin(), m_nodes.end());
    std::erase_if(switches, [this](std::size_t node) { return m_picture.graph().nodes[node].kind != NodeKind::Switch; });
    return switches;
}

void GraphEditor::changeSelected(Measure measure, const QuantityChange& change)
{
    const bool rates = measure == Measure::Bandwidth;
    std::vector<edits::LinkFigures> figures;
    for (const std::size_t link : m_onlyThis ? selectedLinks() : alikeLinks()) {
        const GraphText::Link& item = m_picture.graph().links[link];
        const Result<Quantity> before = parseQuantity(rates ? item.bandwidth : item.latency, measure);
        if (!before)
            continue;
        const Result<Quantity> after = quantitytext::changed(before.value(), change);
        if (!after || (rates && after.value().value <= 0)) {
            emit refused(tr("%1 cannot be changed by that.").arg(quantitytext::text(before.value())));
            return;
        }
        figures.push_back({link, rates ? std::optional(after.value()) : std::nullopt, rates ? std::nullopt : std::optional(after.value())});
    }
    if (figures.empty())
        emit refused(rates ? tr("No selected link has a rate to change.") : tr("No selected link has a latency to change."));
    else if (m_onlyThis)
        overrideSelected((rates ? tr("rates of %1 in one copy") : tr("latencies of %1 in one copy")).arg(selectionText()), figures, {});
    else
        apply((rates ? tr("rates of %1") : tr("latencies of %1")).arg(selectionText()), [&](YamlDocument& yaml) { return edits::setLinkFigures(yaml, figures); });
}

void GraphEditor::resetSelected()
{
    std::set<LinkId> links;
    for (const std::size_t link : selectedLinks()) {
        const std::vector<LinkId> ids = m_changes.idsOf(link);
        links.insert(ids.begin(), ids.end());
    }
    std::set<NodeId> npus;
    for (const std::size_t node : m_nodes) {
        if (m_changes.hasNpu(node))
            npus.insert(static_cast<NodeId>(node));
    }
    if (m_document && m_document->platform())
        apply(tr("reset %1").arg(selectionText()), [&](YamlDocument& yaml) { return edits::resetParts(yaml, *m_document->platform(), links, npus); });
}

} // namespace fabricscope
