#pragma once

#include "core/base/result.h"
#include "core/run/openinput.h"

#include "widgets/question.h"
#include "widgets/sharedfile.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QWidget;

namespace fabricscope {

class Autosave;
class DesignDocument;
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
    /// The file of the document among other windows and programs.
    SharedFile& shared() { return *m_shared; }
    const SharedFile& shared() const { return *m_shared; }
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
    /// Something worth knowing that stops nothing.
    void noticed(const QString& text);
    void busyChanged(bool busy);

private:
    void take(const OpenedInput& input);
    Status recover(const AutosaveState& state);
    bool saveTo(const QString& path);
    bool write(const QString& path);
    void openFile(const QString& path);
    Status openCopy(const QString& path);
    int ask(const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual);

    DesignDocument& m_document;
    QWidget* m_window;
    RecentFiles* m_recent;
    Autosave* m_autosave;
    SharedFile* m_shared;
    bool m_readOnly = false; ///< How the file that is being opened is followed.
    Decide m_decide;
    std::function<QString()> m_chooseFile;
    int m_opening = 0;
};

} // namespace fabricscope
