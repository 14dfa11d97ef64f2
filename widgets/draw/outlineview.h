#pragma once

#include "core/design/edits/fabricedits.h"
#include "widgets/base/theme.h"

#include <QString>
#include <QTreeWidget>

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace fabricscope {

class GraphEditor;

/// The design as a tree: blueprints with their parts and copies, parts of none by kind, what is overridden alone; of a generated fabric its levels. What is selected
/// here is selected on the page, and back. Keys are those of a tree; Return goes to what the row stands for.
class OutlineView : public QTreeWidget
{
    Q_OBJECT
public:
    explicit OutlineView(GraphEditor* editor, QWidget* parent = nullptr);
    /// Levels of a generated fabric; absent: it has none.
    void setLevels(const std::optional<FabricLevels>& levels);
    /// The row of a level, 0 being what stands at the places, is the current one.
    void showLevel(std::size_t level);
    static constexpr std::size_t kMostRows = 256; ///< Of one kind; more are counted.

signals:
    /// Handles of this level are to have the keys.
    void levelActivated(std::size_t level);
    /// The page is to show what is selected, and to take the keys.
    void activatedSelection();

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// What a row stands for.
    struct Target {
        std::vector<std::size_t> nodes;
        std::vector<std::size_t> bundles;
        std::optional<std::size_t> level;
        std::optional<std::pair<std::size_t, std::int32_t>> copy; ///< A whole one.
    };
    void setTheme(const Theme& theme);
    void build();
    void buildGraph();
    void buildLevels();
    void addOverrides();
    void addParts(QTreeWidgetItem* above, const std::vector<std::size_t>& nodes, bool shortNames);
    QTreeWidgetItem* addRow(QTreeWidgetItem* above, const QString& text, const QString& count, Target target);
    void selectOnPage();
    void followPage();

    GraphEditor* m_editor;
    std::optional<FabricLevels> m_levels;
    std::vector<Target> m_targets;                                   ///< By number of the row, which its item has as data.
    std::unordered_map<std::size_t, QTreeWidgetItem*> m_itemOfNode;  ///< Rows of one node,
    std::unordered_map<std::size_t, QTreeWidgetItem*> m_itemOfBundle;
    int m_rowHeight = 24;
    bool m_isStale = true;      ///< The design changed while nobody saw it.
    bool m_isFollowing = false; ///< What is selected here comes from the page.
};

} // namespace fabricscope
