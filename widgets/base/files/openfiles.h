#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

#include <vector>

namespace fabricscope {

/// Another window that has a file open.
struct OpenElsewhere {
    qint64 process = 0;
    bool readOnly = false;
};

/// Tells the windows of a user which files are open in which: every window keeps a small file in the state folder that names its document
/// and its process. What a killed process left behind counts for nothing and is removed by the next that looks.
class OpenFiles : public QObject
{
    Q_OBJECT
public:
    /// `folder`: empty: "open" in the state folder of the user.
    explicit OpenFiles(const QString& folder = {}, QObject* parent = nullptr);
    ~OpenFiles() override; ///< Releases.

    /// This window has `path` open, and no longer the one before; empty: none. A folder that cannot be written to leaves it unsaid.
    void claim(const QString& path, bool readOnly = false);
    /// Other windows, of any process, that have this file open under whatever name.
    std::vector<OpenElsewhere> others(const QString& path) const;

signals:
    /// A window opened or closed some file; O(open files) to look which.
    void changed();

private:
    void watch();

    QString m_folder;
    QString m_entry; ///< File of this window.
    QString m_path;
    QFileSystemWatcher m_watcher;
};

} // namespace fabricscope
