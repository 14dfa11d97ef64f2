#pragma once

#include "app/desktop/commands.h"
#include "core/base/result.h"
#include "core/design/model.h"
#include "core/platform/platform.h"
#include "widgets/base/files/diskstate.h"

#include <QMainWindow>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

class ActionRegistry;
class DesignDocument;
class FileCommands;
class ResultHistory;
struct DesignSet;

/// What a workspace may ask of the window it is in.
class Desk : public QMainWindow
{
    Q_OBJECT
public:
    using QMainWindow::QMainWindow;

    virtual DesignDocument& document() = 0;
    virtual const ResultHistory& history() const = 0;
    virtual ActionRegistry& commands() = 0;
    virtual FileCommands& files() = 0;

    /// `key`: of a Workspace. Unknown: nothing happens.
    virtual void setWorkspace(const QString& key) = 0;
    /// In the strip at the bottom, until something else is said there: what was done; what is worth a look.
    virtual void say(const QString& text) = 0;
    virtual void warn(const QString& text) = 0;
    /// An error that is still said is over: something has worked since.
    virtual void endProblem() = 0;
    /// Says what did not work, where one looks.
    virtual void showFailure(const Error& error) = 0;
    virtual void showFailureText(const QString& message) = 0;
    /// A file is not what was read: said at once, with what can be done. `link`: what followLink() knows it by.
    virtual void showDiskState(DiskState state, const QString& link, const QString& displayName) = 0;

    /// What a workspace compares; null: none does.
    virtual std::shared_ptr<const DesignSet> comparison() const = 0;
    virtual bool isRunning() const = 0;
    virtual void startRun() = 0;
    /// Does the result on show belong to a design that is no more?
    virtual bool isOutdated() const = 0;
    virtual void setModel(Model model) = 0;
    virtual void selectNpu(NodeId npu, QObject* from) = 0;
    /// This part of the run, in picoseconds, among all that happens.
    virtual void showOnTimeline(qint64 begin, qint64 end) = 0;

signals:
    /// A collective is to be followed move by move; below 0: any.
    void stepThroughRequested(qint64 instance);
    /// comparison() is another.
    void comparisonChanged();
    /// A design of its own is to be compared with others; `file`: of the design it was made from, whose folder its relative paths start in; may be empty.
    void designPinned(const QString& name, const QString& file, const QByteArray& text);
};

/// A page of the window beside Explore. The window knows it by the table of workspaces.cpp only.
class Workspace : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual QWidget* page() = 0;
    /// Has come on show; has gone.
    virtual void activate() {}
    virtual void deactivate() {}
    /// Another design is on show, or the same was edited.
    virtual void showDesign() {}
    /// Another result is on show; also told while the page is hidden.
    virtual void showRun() {}
    /// The result on show has become outdated, or is no longer.
    virtual void showFreshness() {}
    /// Memory ran out: what is kept only to be faster is given up.
    virtual void giveBack() {}
    /// What undo and redo act on while the page is on show; none: the design.
    struct UndoTarget {
        bool canUndo = false;
        bool canRedo = false;
        std::function<void()> undo;
        std::function<void()> redo;
    };
    virtual std::optional<UndoTarget> undoTarget() const { return std::nullopt; }
    /// The file that the workspace edits, which the title of the window names while the page is on show; none: the design.
    struct ShownFile {
        QString name;
        bool modified = false;
        bool readOnly = false;
        int elsewhere = 0; ///< Other windows that have it open.
    };
    virtual std::optional<ShownFile> shownFile() const { return std::nullopt; }
    /// Saves what the workspace edits. False: it edits nothing of its own, the design is meant.
    virtual bool save() { return false; }
    virtual bool saveAs() { return false; }
    /// The program ends: asks about what is not saved; what must be done then; from outside, where nobody can be asked; and what to offer at the next start.
    virtual bool mayEnd() { return true; }
    virtual void finish() {}
    virtual void keepForRecovery() {}
    virtual void offerRecovery() {}
    /// The program has begun, and not only for one picture: what the last session had on show comes back, and what this one has is kept at its end.
    virtual void restoreSession() {}
    /// A link of the line under the toolbar. False: of somebody else.
    virtual bool followLink(const QString& link) { Q_UNUSED(link) return false; }
    /// Takes files that were dropped while the page is on show. False: they are opened.
    virtual bool takeFiles(const QStringList& paths) { Q_UNUSED(paths) return false; }
    /// Is there nothing to see before there is a result?
    virtual bool needsRun() const { return true; }
    /// Designs that it has run and compared; null: none. Changes are told by comparisonChanged().
    virtual std::shared_ptr<const DesignSet> comparison() const { return nullptr; }
    /// Is what is on show all there is to come? Work of the global threads is known without it.
    virtual bool isSettled() const { return true; }

signals:
    /// undoTarget() or shownFile() is new.
    void undoChanged();
    void comparisonChanged();
    /// There is something to see, where needsRun() says that no result is needed.
    void ready();
};

/// What the window knows of a workspace before it is made. The folder of a workspace NAME defines `WorkspaceRow NAMEWorkspace()`.
struct WorkspaceRow {
    const char* key; ///< "step": of `--workspace`, and of the command "view.step".
    Workspace* (*make)(Desk& desk);       ///< Owned by the desk.
    std::span<const CommandRow> view;     ///< One, of the menu View and a segment of the toolbar; or none.
    std::span<const CommandRow> commands; ///< More, which the workspace answers.
};

/// In the order in which they are told of, after "explore": that is the window itself, with its panels.
const std::vector<WorkspaceRow>& workspaceRows();
/// "explore" and the keys of the rows.
QStringList workspaceKeys();

} // namespace fabricscope
