#include "widgets/draw/outlineview.h"

#include "core/base/index.h"
#include "core/design/edits/textsplices.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/draw/grapheditor.h"

#include <QHeaderView>
#include <QSignalBlocker>

#include <algorithm>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kTargetRole = Qt::UserRole;
constexpr int kKeyRole = Qt::UserRole + 1; ///< By which a row is open again when the tree is built anew.

QString pathOf(const QTreeWidgetItem* item)
{
    return item->parent() ? pathOf(item->parent()) + QLatin1Char('/') + item->data(0, kKeyRole).toString() : item->data(0, kKeyRole).toString();
}

QString timesText(std::int64_t count) { return QStringLiteral("× %1").arg(texts::count(count)); }

} // namespace

OutlineView::OutlineView(GraphEditor* editor, QWidget* parent) : QTreeWidget(parent), m_editor(editor)
{
    setAccessibleName(tr("Outline of the design"));
    setColumnCount(2);
    setHeaderHidden(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(editor, &GraphEditor::changed, this, [this] {
        m_isStale = true;
        if (isVisible())
            build();
    });
    connect(editor, &GraphEditor::selectionChanged, this, [this] {
        if (!m_isStale && isVisible())
            followPage();
    });
    followTheme(this, &OutlineView::setTheme);
    connect(this, &QTreeWidget::itemSelectionChanged, this, &OutlineView::selectOnPage);
    connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        const Target& target = m_targets[static_cast<std::size_t>(item->data(0, kTargetRole).toULongLong())];
        if (target.copy)
            m_editor->enter(target.copy->first, target.copy->second);
        if (target.level)
            emit levelActivated(*target.level);
        else
            emit activatedSelection();
    });
}

void OutlineView::showEvent(QShowEvent* event)
{
    QTreeWidget::showEvent(event);
    if (m_isStale)
        build();
    else
        followPage();
}

void OutlineView::setTheme(const Theme& theme)
{
    m_rowHeight = theme.scaled(24);
    m_isStale = true;
    if (isVisible())
        build();
}

void OutlineView::setLevels(const std::optional<FabricLevels>& levels)
{
    m_levels = levels;
    m_isStale = true;
    if (isVisible())
        build();
}

void OutlineView::showLevel(std::size_t level)
{
    for (QTreeWidgetItemIterator row(this); *row; ++row) {
        if (m_targets[static_cast<std::size_t>((*row)->data(0, kTargetRole).toULongLong())].level == level) {
            m_isFollowing = true;
            setCurrentItem(*row);
            m_isFollowing = false;
        }
    }
}

QTreeWidgetItem* OutlineView::addRow(QTreeWidgetItem* above, const QString& text, const QString& count, Target target)
{
    auto* item = above ? new QTreeWidgetItem(above) : new QTreeWidgetItem(this);
    item->setText(0, text);
    item->setText(1, count);
    item->setSizeHint(0, {0, m_rowHeight});
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setData(0, kTargetRole, QVariant::fromValue<qulonglong>(m_targets.size()));
    item->setData(0, kKeyRole, text);
    item->setData(0, Qt::AccessibleTextRole, count.isEmpty() ? text : QStringLiteral("%1, %2").arg(text, count));
    if (target.nodes.size() == 1 && !target.copy)
        m_itemOfNode.insert_or_assign(target.nodes.front(), item); // The row of the part itself is below that of its kind.
    if (target.bundles.size() == 1)
        m_itemOfBundle.emplace(target.bundles.front(), item);
    m_targets.push_back(std::move(target));
    return item;
}

/// What was open stays so.
void OutlineView::build()
{
    m_isStale = false;
    std::set<QString> closed;
    for (QTreeWidgetItemIterator row(this); *row; ++row) {
        if ((*row)->childCount() > 0 && !(*row)->isExpanded())
            closed.insert(pathOf(*row));
    }
    m_isFollowing = true;
    clear();
    m_targets.clear();
    m_itemOfNode.clear();
    m_itemOfBundle.clear();
    m_editor->fabric() == FabricText::Other ? buildLevels() : buildGraph();
    addOverrides();
    for (QTreeWidgetItemIterator row(this); *row; ++row)
        (*row)->setExpanded(!closed.contains(pathOf(*row)));
    m_isFollowing = false;
    followPage();
}

void OutlineView::addParts(QTreeWidgetItem* above, const std::vector<std::size_t>& nodes, bool shortNames)
{
    for (std::size_t i = 0; i < std::min(nodes.size(), kMostRows); ++i) {
        const std::string& name = m_editor->picture().graph().nodes[nodes[i]].name;
        const auto place = shortNames ? m_editor->copies().placeOf(nodes[i]) : std::nullopt;
        addRow(above, QString::fromStdString(place ? place->part : name), {}, {{nodes[i]}, {}, {}, {}});
    }
    if (nodes.size() > kMostRows)
        addRow(above, tr("%1 more").arg(texts::count(static_cast<qint64>(nodes.size() - kMostRows))), {}, {{nodes.begin() + kMostRows, nodes.end()}, {}, {}, {}});
}

void OutlineView::buildGraph()
{
    const GraphText& graph = m_editor->picture().graph();
    const CopiedParts& copies = m_editor->copies();
    for (std::size_t blueprint = 0; blueprint < copies.blueprints().size(); ++blueprint) {
        const PartCopies& said = copies.blueprints()[blueprint];
        Target all;
        for (std::int32_t copy = 0; copy < said.count; ++copy)
            std::ranges::copy(copies.nodesOf(blueprint, copy), std::back_inserter(all.nodes));
        QTreeWidgetItem* row = addRow(nullptr, tr("%1, blueprint").arg(QString::fromStdString(said.of)), timesText(said.count), std::move(all));
        addParts(row, copies.nodesOf(blueprint, 0), true);
        QTreeWidgetItem* list = addRow(row, tr("Copies"), texts::count(said.count), {});
        for (std::int32_t copy = 0; copy < std::min<std::int32_t>(said.count, kMostRows); ++copy)
            addRow(list, m_editor->copyName({blueprint, copy, {}}), {}, {copies.nodesOf(blueprint, copy), {}, {}, std::pair(blueprint, copy)});
    }
    for (const auto& [kind, title] : {std::pair{NodeKind::Npu, tr("NPUs")}, {NodeKind::Switch, tr("Switches")}, {NodeKind::Memory, tr("Memories")}}) {
        std::vector<std::size_t> nodes;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            if (graph.nodes[i].kind == kind && (copies.isEmpty() || !copies.placeOf(i)))
                nodes.push_back(i);
        }
        if (!nodes.empty())
            addParts(addRow(nullptr, title, texts::count(static_cast<qint64>(nodes.size())), {nodes, {}, {}, {}}), nodes, false);
    }
    // Alone unlike the rest of its kind.
    const GraphChanges& changes = m_editor->changes();
    QTreeWidgetItem* list = nullptr;
    const auto add = [&](const QString& text, Target target) {
        list = list ? list : addRow(nullptr, tr("Changed alone"), {}, {});
        if (static_cast<std::size_t>(list->childCount()) < kMostRows)
            addRow(list, text, QStringLiteral("◆"), std::move(target));
    };
    for (std::size_t bundle = 0; bundle < m_editor->picture().bundles().size() && !changes.isEmpty(); ++bundle) {
        if (const DrawnBundle& drawn = m_editor->picture().bundles()[bundle]; changes.hasBundle(drawn))
            add(QStringLiteral("%1 ↔ %2").arg(QString::fromStdString(graph.nodes[drawn.a].name), QString::fromStdString(graph.nodes[drawn.b].name)), {{}, {bundle}, {}, {}});
    }
    for (std::size_t i = 0; i < graph.nodes.size() && !changes.isEmpty(); ++i) {
        if (changes.hasNpu(i))
            add(QString::fromStdString(graph.nodes[i].name), {{i}, {}, {}, {}});
    }
}

/// The highest first, each below the one that joins it.
void OutlineView::buildLevels()
{
    QTreeWidgetItem* above = nullptr;
    for (std::size_t i = m_levels ? m_levels->levels.size() : 0; i-- > 0;) {
        const FabricLevels::Level& level = m_levels->levels[i];
        above = addRow(above, QString::fromStdString(level.name), texts::switches(level.switches), {{}, {}, i + 1, {}});
    }
    if (m_levels)
        addRow(above, QString::fromStdString(m_levels->part), timesText(m_levels->parts), {{}, {}, std::size_t{0}, {}});
}

/// Of a fabric whose parts are not drawn, as they are written.
void OutlineView::addOverrides()
{
    const YamlDocument* yaml = m_editor->document() ? m_editor->document()->yaml() : nullptr;
    if (!yaml || m_editor->fabric() != FabricText::Other)
        return;
    QTreeWidgetItem* list = nullptr;
    for (const auto& [key, name] : {std::pair{"links", "link"}, {"npus", "npu"}}) {
        for (const YamlNode& item : itemsAt(*yaml, {"platform", "overrides", key})) {
            list = list ? list : addRow(nullptr, tr("Changed alone"), {}, {});
            if (static_cast<std::size_t>(list->childCount()) < kMostRows)
                addRow(list, QString::fromStdString(textOf(item, name)), QStringLiteral("◆"), {});
        }
    }
}

void OutlineView::selectOnPage()
{
    if (m_isFollowing)
        return;
    std::set<std::size_t> nodes;
    std::set<std::size_t> bundles;
    for (const QTreeWidgetItem* item : selectedItems()) {
        const Target& target = m_targets[static_cast<std::size_t>(item->data(0, kTargetRole).toULongLong())];
        nodes.insert(target.nodes.begin(), target.nodes.end());
        bundles.insert(target.bundles.begin(), target.bundles.end());
    }
    m_isFollowing = true; // The page answers at once.
    m_editor->select(std::move(nodes), std::move(bundles));
    m_isFollowing = false;
}

/// Rows of single parts. Of a part that stands in several copies it is that of the first.
void OutlineView::followPage()
{
    if (m_isFollowing || m_editor->fabric() == FabricText::Other)
        return;
    m_isFollowing = true;
    clearSelection();
    QTreeWidgetItem* first = nullptr;
    const auto mark = [&](QTreeWidgetItem* item) {
        item->setSelected(true);
        first = first ? first : item;
    };
    const CopiedParts& copies = m_editor->copies();
    for (const std::size_t node : m_editor->nodes()) {
        const auto& place = copies.isEmpty() ? std::nullopt : copies.placeOf(node);
        const auto shown = place ? copies.node(place->blueprint, 0, place->part) : std::optional(node);
        if (const auto found = m_itemOfNode.find(shown.value_or(node)); found != m_itemOfNode.end())
            mark(found->second);
    }
    for (const std::size_t bundle : m_editor->bundles()) {
        if (const auto found = m_itemOfBundle.find(bundle); found != m_itemOfBundle.end())
            mark(found->second);
    }
    bool isSeen = first; // A row that was closed stays so.
    for (const QTreeWidgetItem* above = first ? first->parent() : nullptr; above; above = above->parent())
        isSeen = isSeen && above->isExpanded();
    if (isSeen) {
        selectionModel()->setCurrentIndex(indexFromItem(first), QItemSelectionModel::NoUpdate);
        scrollToItem(first);
    }
    m_isFollowing = false;
}

} // namespace fabricscope
