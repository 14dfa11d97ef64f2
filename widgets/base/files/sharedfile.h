#pragma once

#include "widgets/base/files/diskstate.h"
#include "widgets/base/question.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope {

class OpenFiles;

/// The file of an open document among others who may have it too: which windows those are, what becomes of it on disk, and what is asked before it
/// is opened or written over. The one rule for designs and programs.
class SharedFile : public QObject
{
    Q_OBJECT
public:
    /// The bytes the file had when it was last read or written here; null: nobody knows.
    using Known = std::function<const std::string*()>;
    /// Answers a question by a standard button.
    using Ask = std::function<int(const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual)>;
    /// `mostBytes`: larger files cannot be what was read.
    SharedFile(Known known, std::size_t mostBytes, Ask ask, QObject* parent);
    ~SharedFile() override;

    /// What to do with a file that another window has open; Here: none has.
    enum class Opening { Here, ReadOnly, Copy, Stop };
    Opening beforeOpening(const QString& path);
    /// What to do instead of writing over a file that is not what it was.
    enum class Saving { Write, Elsewhere, Reload, Stop };
    Saving beforeSaving(const QString& path);

    /// The document has this file now; empty: none. Nothing is amiss then. `readOnly`: another window had it first.
    void follow(const QString& path, bool readOnly = false);
    const QString& path() const { return m_path; }
    bool isReadOnly() const { return m_readOnly; }
    /// Other windows that have the file open.
    int openElsewhere() const { return m_elsewhere; }
    bool isOpenElsewhere(const QString& path) const;
    DiskState diskState() const { return m_disk; }
    /// Looks whether the file is still what was read. Called by itself when the file changes.
    void check();
    /// What is here is kept although the file has changed; it is not mentioned again until it changes once more. Saving asks.
    void keepMine();

signals:
    /// After every look: the file is gone, or again there, from where it was.
    void looked(bool gone);
    /// What is on disk is no longer, or again, what was read or written here. Told once for every change.
    void diskChanged(fabricscope::DiskState state);
    /// isReadOnly() or openElsewhere() is new.
    void sharingChanged();

private:
    void lookAround();

    Known m_known;
    std::size_t m_mostBytes;
    Ask m_ask;
    OpenFiles* m_open;
    QFileSystemWatcher m_watcher;
    QTimer m_look; ///< A moment after a change: writers often make several.
    QString m_path;
    DiskState m_disk = DiskState::Same;
    std::string m_seenOnDisk; ///< Digest of the changed content that was told last.
    bool m_readOnly = false;
    int m_elsewhere = 0;
};

} // namespace fabricscope
