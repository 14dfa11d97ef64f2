#pragma once

#include "core/base/result.h"
#include "widgets/base/files/autosave.h"
#include "widgets/base/question.h"
#include "widgets/base/files/sharedfile.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <functional>
#include <vector>

class QFileInfo;
class QWidget;

namespace fabricscope {

/// What designs and programs have in common as files: nothing is lost without a question, a copy is kept for the next start, other windows and
/// programs may have the file too.
class DocumentFiles : public QObject
{
    Q_OBJECT
public:
    virtual bool isModified() const = 0;
    /// File name, or what it would be saved under.
    virtual QString displayName() const = 0;
    /// False: it was not written; failed() says why where it is an error.
    virtual bool save() = 0;
    /// The file of the document among other windows and programs.
    SharedFile& shared() { return *m_shared; }
    const SharedFile& shared() const { return *m_shared; }
    /// Asks what to do with unsaved changes; true when the document may go.
    bool mayClose();
    /// The same for the end of the program: what is kept for the next start needs no answer.
    bool mayEnd();
    /// The document is closed for good: nothing is left to recover, except what was kept.
    void finish();
    /// The program is ended from outside: unsaved changes are kept for the next start, and its end asks nothing.
    void keepForRecovery();

    /// Decides instead of the dialogs (tests): asked with the question, answers the standard button.
    using Decide = std::function<int(const QString& question)>;
    void setDecide(Decide decide) { m_decide = std::move(decide); }
    /// Nobody is there to answer: every question is answered by Cancel, and what is not opened for that reason is failed().
    void askNobody();
    /// Names a file instead of the dialog of "Save as" (tests).
    void setChooseFile(std::function<QString()> choose) { m_chooseFile = std::move(choose); }

signals:
    void failed(const fabricscope::Error& error);

protected:
    /// `window`: parent of dialogs. `known`, `mostBytes`: as SharedFile has them. `state`, `folder`: as Autosave has them.
    DocumentFiles(QWidget* window, SharedFile::Known known, std::size_t mostBytes, Autosave::Source state, const QString& folder = {});

    QWidget* window() const { return m_window; }
    Autosave& copies() const { return *m_autosave; }
    /// Offers the copies that an earlier process left when it was killed, newest first, until `open` takes one; true then. One that is refused is
    /// removed, the others are offered at the next start.
    bool offerCopies(const std::function<bool(const Recoverable& entry)>& open);
    /// The file to save as: that of setChooseFile(), or of a dialog that begins at `start`. Empty: none.
    QString chooseFile(const QString& title, const QString& start, const QString& filter);
    /// After SharedFile::Opening::Stop: whoever answered so knows that `path` was not opened; where nobody did, it is told.
    void tellStopped(const QString& path);
    /// Tells why a file was not written.
    void tellNotSaved(Error error);
    /// What a second document from a file is called: "pod copy.yaml".
    static QString copyName(const QFileInfo& file);

private:
    int ask(const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual);

    QWidget* m_window;
    QString m_folder;
    SharedFile* m_shared;
    Autosave* m_autosave;
    Decide m_decide;
    bool m_asksNobody = false;
    std::function<QString()> m_chooseFile;
};

} // namespace fabricscope
