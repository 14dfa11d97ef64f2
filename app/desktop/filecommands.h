#pragma once

#include "core/base/result.h"
#include "core/run/openinput.h"
#include "core/run/rundesign.h"
#include "widgets/base/files/documentfiles.h"
#include "widgets/design/document.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

class QWidget;

namespace fabricscope {

class RecentFiles;

/// A saved run, ready to be shown: nothing of it runs.
struct OpenedRun {
    RunResultPtr result;
    DesignDocument::Prepared design;
};

/// Opening, saving and not losing designs: dialogs, dropped files, recent files, autosave and recovery.
class FileCommands : public DocumentFiles
{
    Q_OBJECT
public:
    /// `window`: parent of dialogs.
    FileCommands(DesignDocument& document, QWidget* window);
    ~FileCommands() override { m_stop.request_stop(); } // The end of the program waits for no file.

    RecentFiles& recent() { return *m_recent; }

    /// Opens files of any kind the program knows, after asking about unsaved changes. Reads on a worker; answers by opened() or failed(), unless
    /// cancelReading() comes first.
    void openPaths(const QStringList& paths);
    /// What is being read is not wanted any more; the document stays as it is.
    void cancelReading();
    /// Something is being read on a worker.
    bool isReading() const { return m_isReading; }
    /// A design that has no file yet; `folder`: where its relative paths start. False: it was not opened, as changes are to be kept, or failed() said why.
    bool openText(const QByteArray& text, const QString& suggestedName, const QString& folder = {});
    /// A saved run with the design it carries: runOpened() or failed().
    void openRun(const QString& path);
    /// An example that comes with the program; unknown names are ignored.
    void openExample(const QString& id);
    void openDialog();
    /// Asks first when the file is no longer what was read, or another window has it open.
    bool save() override;
    bool saveAs();
    /// Takes what the file says now, as an edit that can be undone; a large file is read on a worker.
    void reload();
    /// Offers what an earlier process left behind when it was killed; true when it is on show now, or is being read: opened() or failed() follow.
    bool offerRecovery();
    bool isModified() const override { return m_document.isModified(); }
    QString displayName() const override { return m_document.displayName(); }

signals:
    void opened();
    /// The document is still what it was.
    void runOpened(const std::shared_ptr<OpenedRun>& run);
    /// Of the files given this one is a program; the others are opened as they are.
    void programOpened(const QString& path);
    /// This one has a section `transform`: it is no design either.
    void transformOpened(const QString& path);
    /// This one is a study.
    void studyOpened(const QString& path);
    /// Several designs were given: the first was opened(), with which these are to be compared.
    void comparisonOpened(const QStringList& others);
    void saved(const QString& path);
    /// Something worth knowing that stops nothing.
    void noticed(const QString& text);
    /// What has been read for a while already, in words; empty: no longer.
    void reading(const QString& what);
    /// What nobody wants any more is not read any longer: Cancelled, unless it had been read before it heard of that.
    void left(const fabricscope::Error& error);

private:
    /// Files as they were found, with the design made of them where they are not one themselves.
    struct Found {
        OpenedInput input;
        std::optional<DesignDocument::Prepared> design;
        QStringList others; ///< More designs, to be compared with this one.
    };
    template <class Work, class Done>
    void read(const QString& what, Work work, Done done);
    void take(Found found);
    void takeFile(DesignDocument::Prepared prepared, const QString& path, bool readOnly);
    /// What a copy of an earlier session brings: its file, which undo leads back to, where there is one, and the text that was kept.
    struct Recovered {
        std::optional<DesignDocument::Prepared> saved;
        DesignDocument::Prepared kept;
    };
    static Result<Recovered> prepareRecovery(const AutosaveState& state, const std::stop_token& stop);
    bool recover(const Recoverable& entry);
    void takeRecovered(const Recoverable& entry, Recovered found);
    bool saveTo(const QString& path);
    bool write(const QString& path);
    void openFile(const QString& path, const QStringList& others);

    DesignDocument& m_document;
    RecentFiles* m_recent;
    bool m_readOnly = false; ///< How the file that is being opened is followed.
    int m_opening = 0;          ///< Number of the newest that was asked for.
    bool m_isReading = false;
    std::stop_source m_stop;    ///< Of what is being read.
    QTimer m_slow;              ///< Until it is worth saying.
    QString m_what;
};

} // namespace fabricscope
