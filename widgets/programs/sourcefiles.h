#pragma once

#include "core/base/result.h"
#include "widgets/base/question.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QWidget;

namespace fabricscope {

class Autosave;
class CodeEditor;
class SharedFile;

/// A program that comes with Fabricscope.
struct ShippedProgram {
    QString name;  ///< "allreduce_ring.lua".
    QString title; ///< Its first line of comment, without the rest.
    QString text;
};

/// In the order menus show.
std::vector<ShippedProgram> shippedPrograms();

/// Is it a program by its ending and as programFormOfFile() tells? Graphs are opened as the traces they are. Reads the beginning; of JSON at most ProgramFiles::kMostBytes.
bool isProgramFile(const QString& path);

/// Opening, saving and not losing the text of a program that is in an editor. Reading and writing is atomic: a text is there whole or not.
class ProgramFiles : public QObject
{
    Q_OBJECT
public:
    /// Text files larger than this are not edited here.
    static constexpr qint64 kMostBytes = qint64{16} << 20;

    /// `autosaveFolder`: empty: below the state folder of the user.
    ProgramFiles(CodeEditor* editor, QWidget* window, const QString& autosaveFolder = {});
    ~ProgramFiles() override;

    const QString& path() const { return m_path; }
    /// File name, or what it would be saved under.
    QString displayName() const;
    bool isModified() const;

    /// After asking about unsaved changes. False: kept as it was; failed() says why where it is an error.
    bool open(const QString& path);
    bool openDialog();
    /// A text that has no file yet.
    bool showText(const QString& text, const QString& suggestedName);
    bool save();
    bool saveAs();
    bool write(const QString& path);
    /// Takes what the file says now, as an edit that can be undone.
    bool reload();
    /// The file of the program among other windows and programs.
    SharedFile& shared() { return *m_shared; }
    const SharedFile& shared() const { return *m_shared; }
    /// Asks what to do with unsaved changes; true when the text may go.
    bool mayClose();
    /// The same for the end of the program: what is kept for the next start needs no answer.
    bool mayEnd();
    void offerRecovery();
    void finish();
    /// The program is ended from outside: unsaved changes are kept for the next start, and its end asks nothing.
    void keepForRecovery();
    Autosave* autosave() const { return m_autosave; }

    using Decide = std::function<int(const QString& question)>;
    void setDecide(Decide decide) { m_decide = std::move(decide); }
    /// Names a file instead of the dialog of "Save as" (tests).
    void setChooseFile(std::function<QString()> choose) { m_chooseFile = std::move(choose); }

signals:
    /// Another text, or its name or state of being saved changed.
    void changed();
    void failed(const fabricscope::Error& error);

private:
    int ask(const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual);
    std::optional<std::string> read(const QString& path);
    void take(const QString& text, const QString& path, const QString& name, bool readOnly = false);

    CodeEditor* m_editor;
    QWidget* m_window;
    Autosave* m_autosave;
    SharedFile* m_shared;
    QString m_folder;
    QString m_path;
    std::optional<std::string> m_onDisk; ///< The bytes of the file when it was last read or written here.
    QString m_name;
    bool m_dosLines = false;
    Decide m_decide;
    std::function<QString()> m_chooseFile;
};

} // namespace fabricscope
