#include "widgets/start/recentfiles.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/files/userfolders.h"

#include <QFileInfo>
#include <QMenu>

#include <algorithm>

namespace fabricscope {

namespace {

const QString kGroup = QStringLiteral("recent");

QString clean(const QString& path)
{
    return QFileInfo(path).absoluteFilePath();
}

} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : QAbstractListModel(parent)
{
    load();
}

void RecentFiles::add(const QString& path)
{
    Entry entry{clean(path), {}, QDateTime::currentDateTimeUtc()};
    beginResetModel();
    const auto known = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& other) { return other.path == entry.path; });
    if (known != m_entries.end()) {
        entry.result = known->result;
        m_entries.erase(known);
    }
    m_entries.insert(m_entries.begin(), entry);
    if (m_entries.size() > kMost)
        m_entries.resize(kMost);
    endResetModel();
    store();
}

void RecentFiles::setResult(const QString& path, const QString& result)
{
    for (std::size_t row = 0; row < m_entries.size(); ++row) {
        if (m_entries[row].path != clean(path) || m_entries[row].result == result)
            continue;
        m_entries[row].result = result;
        const QModelIndex at = index(static_cast<int>(row), 0);
        emit dataChanged(at, at);
        store();
    }
}

void RecentFiles::remove(const QString& path)
{
    beginResetModel();
    std::erase_if(m_entries, [&](const Entry& entry) { return entry.path == clean(path); });
    endResetModel();
    store();
}

void RecentFiles::clear()
{
    beginResetModel();
    m_entries.clear();
    endResetModel();
    store();
}

void RecentFiles::refresh()
{
    if (!m_entries.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

void RecentFiles::fillMenu(QMenu& menu, const std::function<void(const QString&)>& open)
{
    menu.clear();
    for (const Entry& entry : m_entries) {
        const QFileInfo info(entry.path);
        // An ampersand in a file name is no mnemonic.
        QString text = texts::shown(tr("%1 (%2)").arg(info.fileName(), info.path())).replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* action = menu.addAction(text);
        action->setEnabled(info.exists());
        action->setStatusTip(info.exists() ? entry.path : tr("%1 is no longer there").arg(entry.path));
        connect(action, &QAction::triggered, &menu, [open, path = entry.path] { open(path); });
    }
    if (m_entries.empty()) {
        menu.addAction(tr("No files yet"))->setEnabled(false);
        return;
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Clear list")), &QAction::triggered, this, [this] { clear(); });
}

int RecentFiles::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant RecentFiles::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Entry& entry = m_entries[static_cast<std::size_t>(index.row())];
    const QFileInfo info(entry.path);
    switch (role) {
    case Qt::DisplayRole: return texts::shown(info.fileName());
    case Qt::ToolTipRole: return texts::toolTip(texts::shown(entry.path));
    case PathRole: return entry.path;
    case FolderRole: return info.path();
    case ResultRole: return entry.result;
    case OpenedRole: return entry.opened;
    case ExistsRole: return info.exists();
    default: return {};
    }
}

Qt::ItemFlags RecentFiles::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags row = Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return data(index, ExistsRole).toBool() ? row | Qt::ItemIsEnabled : row;
}

void RecentFiles::load()
{
    const auto settings = openSettings();
    const int count = std::min(settings->beginReadArray(kGroup), kMost);
    for (int row = 0; row < count; ++row) {
        settings->setArrayIndex(row);
        const QString path = settings->value(QStringLiteral("path")).toString();
        if (!path.isEmpty())
            m_entries.push_back({path, settings->value(QStringLiteral("result")).toString(),
                                 QDateTime::fromString(settings->value(QStringLiteral("opened")).toString(), Qt::ISODate)});
    }
    settings->endArray();
}

void RecentFiles::store() const
{
    const auto settings = openSettings();
    settings->remove(kGroup);
    settings->beginWriteArray(kGroup, rowCount());
    for (int row = 0; row < rowCount(); ++row) {
        const Entry& entry = m_entries[static_cast<std::size_t>(row)];
        settings->setArrayIndex(row);
        settings->setValue(QStringLiteral("path"), entry.path);
        settings->setValue(QStringLiteral("result"), entry.result);
        settings->setValue(QStringLiteral("opened"), entry.opened.toString(Qt::ISODate));
    }
    settings->endArray();
}

} // namespace fabricscope
