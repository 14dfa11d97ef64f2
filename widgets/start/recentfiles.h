#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <QString>

#include <functional>
#include <vector>

class QMenu;

namespace fabricscope {

/// The ten files opened last, newest first; kept in the settings. Files that are gone stay in the list, disabled.
class RecentFiles : public QAbstractListModel
{
    Q_OBJECT
public:
    static constexpr int kMost = 10;
    enum Roles { PathRole = Qt::UserRole, FolderRole, ResultRole, OpenedRole, ExistsRole };

    struct Entry {
        QString path;     ///< Absolute.
        QString result;   ///< Headline of its last run: "12.824 ms"; may be empty.
        QDateTime opened; ///< UTC.
    };

    /// Reads the settings.
    explicit RecentFiles(QObject* parent = nullptr);

    /// Puts a file first. A path that is in the list moves and keeps its result.
    void add(const QString& path);
    /// What the last run of a listed file gave; others are ignored.
    void setResult(const QString& path, const QString& result);
    void remove(const QString& path);
    void clear();
    /// Looks again which files exist.
    void refresh();

    /// Fills a menu with an action per file, and one that clears the list. `open` gets the path.
    void fillMenu(QMenu& menu, const std::function<void(const QString&)>& open);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    void load();
    void store() const;

    std::vector<Entry> m_entries;
};

} // namespace fabricscope
