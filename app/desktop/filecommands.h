#pragma once

#include "core/base/result.h"
#include "core/run/openinput.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

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
    bool save();
    bool saveAs();
    /// Asks what to do with unsaved changes; true when the document may go.
    bool mayClose();
    /// The same for the end of the program: what is kept for the next start needs no answer.
    bool mayEnd();
    /// Offers what an earlier process left behind when it was killed.
    void offerRecovery();
    /// The document is closed for good: nothing is left to recover, except what was kept.
    void finish();
    /// The program is ended from outside: unsaved changes are kept for the next start, and nothing is asked any more.
    void keepForRecovery();

    /// Decides instead of the dialogs (tests): asked with the question, answers the standard button.
    using Decide = std::function<int(const QString& question)>;
    void setDecide(Decide decide) { m_decide = std::move(decide); }

signals:
    void opened();
    void runOpened(const QString& path);
    /// Of the files given this one is a program; the others are opened as they are.
    void programOpened(const QString& path);
    void failed(const fabricscope::Error& error);
    void busyChanged(bool busy);

private:
    void take(const OpenedInput& input);
    Status recover(const AutosaveState& state);
    bool write(const QString& path);
    int ask(const QString& title, const QString& question, int buttons, int usual);

    DesignDocument& m_document;
    QWidget* m_window;
    RecentFiles* m_recent;
    Autosave* m_autosave;
    Decide m_decide;
    int m_opening = 0;
};

} // namespace fabricscope
