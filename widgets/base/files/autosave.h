#pragma once

#include "core/base/result.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// What autosave keeps of a document.
struct AutosaveState {
    std::string text;    ///< Every byte of the document.
    QString path;        ///< Its file; empty: never saved.
    QString name;        ///< Shown, and suggested when saving.
    QString folder;      ///< Where its relative paths start.
    bool modified = false;
};

/// A side file whose program is gone.
struct Recoverable {
    QString sideFile;
    AutosaveState state;
    QDateTime saved; ///< UTC.
};

/// Writes the document to a side file in the state folder every two minutes while it has changes that are not saved; a clean end removes
/// the file, a crash leaves it. The file names its process, so that a running program's file is never offered.
class Autosave : public QObject
{
    Q_OBJECT
public:
    using Source = std::function<AutosaveState()>;
    static constexpr int kIntervalMs = 120'000;

    /// `folder`: empty: the state folder of the user.
    explicit Autosave(Source source, const QString& folder = {}, QObject* parent = nullptr);
    /// The clean end: removes the side file, unless it is kept.
    ~Autosave() override;

    /// Writes now; removes the file when the document has no changes. Error: NotWritable.
    Status saveNow();
    /// Removes the side file, as after saving the document.
    void discard();
    /// The program is ended from outside and asks nothing: writes now, and the end leaves the file. Error: NotWritable.
    Status keep();
    /// What keep() wrote is what the document is, and stays.
    bool isKept() const { return m_kept; }
    /// The document has changed since, or the program goes on: its end is a clean one again.
    void release() { m_kept = false; }
    const QString& sideFile() const { return m_file; }
    void setInterval(int milliseconds) { m_timer.setInterval(milliseconds); }

    /// Side files of programs that ended without removing them, newest first. Files that cannot be read are left out.
    static std::vector<Recoverable> recoverable(const QString& folder = {});
    /// Moves side files that cannot be read (damaged, cut off, not permitted) into a folder "unreadable" beside them, so that they are
    /// mentioned once and not lost. Returns where they are now; those that cannot be moved are not mentioned either.
    static QStringList putAsideUnreadable(const QString& folder = {});
    /// After it was recovered or refused.
    static void remove(const Recoverable& entry);

signals:
    /// Writing by the timer did not work; said once until it works again.
    void failed(const QString& message);

private:
    void tick();

    Source m_source;
    QString m_file;
    QTimer m_timer;
    bool m_failing = false;
    bool m_kept = false;
};

} // namespace fabricscope
