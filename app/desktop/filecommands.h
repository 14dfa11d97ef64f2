#pragma once

#include "core/base/result.h"
#include "core/run/openinput.h"

#include "widgets/diskstate.h"

#include <QFileSystemWatcher>
#include <QMessageBox>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <initializer_list>
#include <optional>

class QWidget;

namespace fabricscope {

class Autosave;
class DesignDocument;
class OpenFiles;
class RecentFiles;
struct AutosaveState;

/// Opening, saving and not losing designs: dialogs, dropped files, recent files, autosave and recovery.
class FileCommands : public QObject
{
    Q_OBJECT
public:
    /// `window`: parent of dialogs.
    FileCommands(DesignDocument& document, QWidget* window);

    RecentFiles& recent() { return *m_recent; }

    /// Opens files of any kind the program knows, after asking about unsaved changes. Reads on a worker; answers by opened() or failed().
    void openPaths(const QStringList& paths);
    /// A design that has no file yet.
    void openText(const QByteArray& text, const QString& suggestedName);
    /// An example that comes with the program; unknown names are ignored.
    void openExample(const QString& id);
    void openDialog();
    /// Asks first when the file is no longer what was read, or another window has it open.
    bool save();
    bool saveAs();
    /// Takes what the file says now, as an edit that can be undone.
    void reload();
    /// What is here is kept although the file has changed on disk; it is not mentioned again until it changes once more. Saving asks.
    void keepMine();
    /// Looks whether the file is still what was read; tells by diskChanged(). Called by itself when the file changes.
    void checkDisk();
    DiskState diskState() const { return m_disk; }
    /// Another window had the file first: it can be tried and saved elsewhere.
    bool isReadOnly() const { return m_readOnly; }
    /// Other windows that have the file open.
    int openElsewhere() const { return m_elsewhere; }
    /// Asks what to do with unsaved changes; true when the document may go.
    bool mayClose();
    /// The same for the end of the program: what is kept for the next start needs no answer.
    bool mayEnd();
    /// Offers what an earlier process left behind when it was killed; true when it is on show now.
    bool offerRecovery();
    /// The document is closed for good: nothing is left to recover, except what was kept.
    void finish();
    /// The program is ended from outside: unsaved changes are kept for the next start, and nothing is asked any more.
    void keepForRecovery();

    /// Decides instead of the dialogs (tests): asked with the question, answers the standard button.
    using Decide = std::function<int(const QString& question)>;
    void setDecide(Decide decide) { m_decide = std::move(decide); }
    /// Names a file instead of the dialog of "Save as" (tests).
    void setChooseFile(std::function<QString()> choose) { m_chooseFile = std::move(choose); }

signals:
    void opened();
    void runOpened(const QString& path);
    /// Of the files given this one is a program; the others are opened as they are.
    void programOpened(const QString& path);
    void failed(const fabricscope::Error& error);
    void saved(const QString& path);
    /// What is on disk is no longer, or again, what was read or written here. Told once for every change.
    void diskChanged(fabricscope::DiskState state);
    /// isReadOnly() or openElsewhere() is new.
    void sharingChanged();
    /// Something worth knowing that stops nothing.
    void noticed(const QString& text);
    void busyChanged(bool busy);

private:
    void take(const OpenedInput& input);
    Status recover(const AutosaveState& state);
    struct Choice {
        QMessageBox::StandardButton button;
        QString text; ///< Empty: the usual one.
    };
    /// What to do instead of writing over a file that is not what it was.
    enum class Saving { Write, Elsewhere, Reload, Stop };
    Saving beforeSaving(const QString& path);
    bool saveTo(const QString& path);
    bool write(const QString& path);
    void openFile(const QString& path);
    Status openCopy(const QString& path);
    void watchFile();
    void lookAround();
    int ask(const QString& title, const QString& question, std::initializer_list<Choice> choices, QMessageBox::StandardButton usual);

    DesignDocument& m_document;
    QWidget* m_window;
    RecentFiles* m_recent;
    Autosave* m_autosave;
    OpenFiles* m_open;
    QFileSystemWatcher m_watcher;
    QTimer m_look;                       ///< A moment after a change: writers often make several.
    DiskState m_disk = DiskState::Same;
    std::string m_seenOnDisk;            ///< Digest of the changed content that was told last.
    bool m_readOnly = false;
    int m_elsewhere = 0;
    Decide m_decide;
    std::function<QString()> m_chooseFile;
    int m_opening = 0;
};

} // namespace fabricscope
