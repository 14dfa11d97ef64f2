#pragma once

#include "core/base/quantity.h"
#include "core/design/edits/partcopies.h"
#include "core/base/result.h"
#include "widgets/draw/graphchanges.h"
#include "widgets/draw/graphpicture.h"
#include "widgets/draw/snapping.h"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

class DesignDocument;
struct QuantityChange;

/// A graph being drawn: the document's nodes and links as a picture, what of it is selected, and every act on it as one undoable edit of the document.
/// Nothing is kept beside the text but the selection, which goes by names and so outlives edits, undo and redo.
class GraphEditor : public QObject
{
    Q_OBJECT
public:
    explicit GraphEditor(QObject* parent = nullptr);
    ~GraphEditor() override;
    void setDocument(DesignDocument* document);
    DesignDocument* document() const;

    const GraphPicture& picture() const { return m_picture; }
    /// What of the picture the design overrides.
    const GraphChanges& changes() const { return m_changes; }
    /// Which parts are one part of several copies.
    const CopiedParts& copies() const { return m_copies; }
    /// What the text says the fabric is; Other: nothing can be drawn.
    FabricText fabric() const { return m_fabric; }
    bool canDraw() const;

    /// Numbers of nodes and of bundles of the picture.
    const std::set<std::size_t>& nodes() const { return m_nodes; }
    const std::set<std::size_t>& bundles() const { return m_bundles; }
    bool hasSelection() const { return !m_nodes.empty() || !m_bundles.empty(); }
    /// Numbers of items of `platform.links` of the selected bundles.
    std::vector<std::size_t> selectedLinks() const;
    void select(std::set<std::size_t> nodes, std::set<std::size_t> bundles = {});
    void selectAll();
    void clearSelection() { select({}); }
    /// Nodes of the kind of one.
    void selectAlike(std::size_t node);
    /// "2 NPUs, 1 switch, 3 links".
    QString selectionText() const;

    /// What new links are like.
    const Quantity& rate() const { return m_rate; }
    const Quantity& latency() const { return m_latency; }
    void setRate(const Quantity& rate);
    void setLatency(const Quantity& latency);

    /// A new node with its middle there; it becomes the selection.
    void add(NodeKind kind, PointF at);
    /// A machine as nodes and links, with its middle there, called `title`; it becomes the selection. What its NPUs have is said where the design says nothing of them.
    /// Error by refused(): what cannot be written as nodes and links.
    void addMachine(const QString& title, const PlatformSpec& machine, PointF at);
    /// A link each way from every one of `from` to `to`; what cannot be joined is left out. `parallel`: also where there is one already.
    void link(const std::vector<std::size_t>& from, std::size_t to, bool parallel = false);
    /// Why no link can be drawn there; empty: it can.
    QString refusal(const std::vector<std::size_t>& from, std::size_t to, bool parallel) const;
    void removeSelected();
    void duplicate();
    void copy();
    void cut();
    void paste();
    /// Moves what is selected, as one step. `merge`: steps that follow within a second are one.
    void move(PointF shift, bool merge = false);
    void align(Alignment alignment);
    void distribute(bool across);
    /// Puts all nodes, or those selected when there are two or more.
    void layOutAgain(GraphLayout layout);
    /// Moves the same by forces, on another thread, shown while it goes on; one edit at the end, or when it is stopped. In graphforces.cpp.
    void layOutByForces();
    /// Where they are by now they stay; not `keep`: all is as before.
    void stopForces(bool keep = true);
    bool isForcing() const { return m_forces != nullptr; }
    void setSelectedRate(const Quantity& rate, const QString& merge = {});
    void setSelectedLatency(const Quantity& latency, const QString& merge = {});
    /// Of the switches that are selected; absent: they pass on any number (refused for more than kMostRenamed that have a limit).
    void setSelectedCrossbar(const std::optional<Quantity>& crossbar, const QString& merge = {});
    /// Switches among the selected nodes, by number, rising.
    std::vector<std::size_t> selectedSwitches() const;
    /// Rates or latencies of the selected links, each by itself; links without one stay as they are.
    void changeSelected(Measure measure, const QuantityChange& change);
    /// Takes the overrides of what is selected out of the text.
    void resetSelected();
    void rename(std::size_t node, const QString& name);
    /// Names all selected nodes, `{i}` being their number from 0 in the order of the text. Refused without it, and for more than kMostRenamed.
    void renameSelected(const QString& pattern);
    static constexpr std::size_t kMostRenamed = 64; ///< Each name is looked for in all of the design.

    // Blueprints, in graphcopies.cpp. What is changed of one copy is changed in all, in the same step.

    /// The blueprint and copy of all that is selected; the copy is that of the first. Absent: parts of none, or of several blueprints.
    std::optional<CopiedParts::Place> selectedCopy() const;
    /// "host2".
    QString copyName(const CopiedParts::Place& place) const;
    /// Makes a blueprint of the selected nodes, with one copy.
    void group();
    /// Parts of the selected blueprint are just parts from now on.
    void ungroup();
    /// How often the selected blueprint is there; new copies stand beside the first, joined as it is.
    void setCopies(int count, const QString& merge = {});
    void renameBlueprint(const QString& name);
    /// The copy new parts are put into, as into all others; absent: into none.
    const std::optional<CopiedParts::Place>& inside() const { return m_inside; }
    void enter(std::size_t blueprint, std::int32_t copy);
    void leave();
    /// Edits are made in the selected copy alone, rates and latencies as overrides, until something else is selected.
    bool isOnlyThisCopy() const { return m_onlyThis; }
    void setOnlyThisCopy(bool only);
    /// Nodes that a move of the selected ones moves.
    std::set<std::size_t> movedNodes() const;
    static constexpr std::size_t kMostParts = 8192; ///< More are no drawing any more.

    static QString kindText(NodeKind kind, qsizetype count);

signals:
    /// The picture is new.
    void changed();
    /// It is that of another document.
    void replaced();
    void selectionChanged();
    void defaultsChanged();
    /// Parts are shown elsewhere, on their way to where they will be.
    void placesShown();
    /// Parts begin to be moved by forces, or came to rest.
    void forcingChanged();
    /// A copy was entered or left, or edits are for one copy from now on.
    void insideChanged();
    /// Parts were put where nobody pointed: beside what stands there. They are selected.
    void putBeside();
    /// An edit was refused, and why.
    void refused(const QString& message);

private:
    void read();
    void forget();
    void reselect();
    bool apply(const QString& title, const std::function<Status(YamlDocument&)>& change, const QString& merge = {});
    void place(const QString& title, const std::vector<std::size_t>& nodes, const std::vector<PointF>& shifts, const QString& merge = {});
    /// `npu`: what NPUs have from now on; null: as it is.
    void insert(const QString& title, const GraphItems& items, const YamlNode* npu = nullptr);
    std::vector<std::size_t> nodesToLayOut() const;
    struct Forces;
    void showForces();
    void renameAll(const QString& title, const std::vector<std::pair<std::size_t, std::string>>& wanted);
    void readCopies(const YamlDocument& yaml);
    std::vector<std::size_t> alikeLinks() const;
    std::vector<DrawnAt> shiftsForCopies(std::size_t blueprint, std::int32_t count) const;
    bool insertInside(const QString& title, const GraphItems& items);
    GraphItems outsideOfCopies(const GraphItems& items) const;
    void overrideSelected(const QString& title, const std::vector<edits::LinkFigures>& figures, const QString& merge);
    void removeFromThisCopy();
    std::vector<std::size_t> selectedNodes() const { return {m_nodes.begin(), m_nodes.end()}; }

    QPointer<DesignDocument> m_document;
    GraphPicture m_picture;
    GraphChanges m_changes;
    CopiedParts m_copies;
    std::optional<CopiedParts::Place> m_inside;
    std::string m_insideOf;      ///< The name of that blueprint.
    bool m_onlyThis = false;
    FabricText m_fabric = FabricText::None;
    std::set<std::size_t> m_nodes;
    std::set<std::size_t> m_bundles;
    std::set<std::string> m_names;                            ///< Of the selected nodes,
    std::set<std::pair<std::string, std::string>> m_joined;   ///< and ends of the selected bundles.
    Quantity m_rate{400, "Gbit/s", Measure::Bandwidth};
    Quantity m_latency{1, "us", Measure::Time};
    std::shared_ptr<Forces> m_forces; ///< Being found on another thread.
    QTimer m_frames;                  ///< Looks at them.
    QTimer m_nudges; ///< While it runs, another nudge is part of the last one.
};

} // namespace fabricscope
