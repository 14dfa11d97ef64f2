#include "app/desktop/windowsession.h"

#include "widgets/base/files/userfolders.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSettings>

namespace fabricscope {

namespace {

const QString kSessions = QStringLiteral("sessions");
const QString kCompared = QStringLiteral("compare/set");

/// Times are written as texts: a number of JSON is a double, which does not hold every picosecond of a long run.
QJsonValue written(std::int64_t ps)
{
    return QString::number(ps);
}

std::optional<std::int64_t> timeIn(const QJsonValue& value)
{
    bool isNumber = false;
    const qint64 ps = value.toString().toLongLong(&isNumber);
    return isNumber && ps >= 0 ? std::optional<std::int64_t>(ps) : std::nullopt;
}

/// The list as it is in the settings, newest first.
QJsonArray sessions()
{
    return QJsonDocument::fromJson(openSettings()->value(kSessions).toByteArray()).array();
}

QString pathOf(const QString& file)
{
    return QFileInfo(file).absoluteFilePath();
}

} // namespace

QJsonObject DesignSession::toJson() const
{
    QJsonObject json;
    if (const QJsonObject arranged = rows.toJson(); !arranged.isEmpty())
        json.insert(QStringLiteral("rows"), arranged);
    QJsonArray marks;
    for (const std::int64_t ps : bookmarks)
        marks.append(written(ps));
    if (!marks.isEmpty())
        json.insert(QStringLiteral("bookmarks_ps"), marks);
    if (visible)
        json.insert(QStringLiteral("visible_ps"), QJsonArray{written(visible->beginPs), written(visible->endPs)});
    if (cursor)
        json.insert(QStringLiteral("cursor_ps"), written(*cursor));
    return json;
}

DesignSession DesignSession::fromJson(const QJsonObject& json)
{
    DesignSession session;
    session.rows = TimelineArrangement::fromJson(json.value(QStringLiteral("rows")).toObject());
    for (const QJsonValue& value : json.value(QStringLiteral("bookmarks_ps")).toArray())
        if (const auto ps = timeIn(value))
            session.bookmarks.push_back(*ps);
    const QJsonArray range = json.value(QStringLiteral("visible_ps")).toArray();
    const auto begin = timeIn(range.at(0));
    const auto end = timeIn(range.at(1));
    if (begin && end && *begin < *end)
        session.visible = TimeRange{*begin, *end};
    session.cursor = timeIn(json.value(QStringLiteral("cursor_ps")));
    return session;
}

void keepSession(const QString& file, const DesignSession& session)
{
    if (file.isEmpty())
        return;
    QJsonArray kept;
    if (!session.isPlain()) {
        QJsonObject entry = session.toJson();
        entry.insert(QStringLiteral("file"), pathOf(file));
        kept.append(entry);
    }
    for (const QJsonValue& other : sessions())
        if (other[QStringLiteral("file")].toString() != pathOf(file) && kept.size() < kMostSessions)
            kept.append(other);
    openSettings()->setValue(kSessions, QJsonDocument(kept).toJson(QJsonDocument::Compact));
}

DesignSession keptSession(const QString& file)
{
    for (const QJsonValue& entry : sessions())
        if (!file.isEmpty() && entry[QStringLiteral("file")].toString() == pathOf(file))
            return DesignSession::fromJson(entry.toObject());
    return {};
}

void keepComparison(const KeptComparison& kept)
{
    if (kept.designs.empty())
        openSettings()->remove(kCompared);
    else
        openSettings()->setValue(kCompared, QJsonDocument(kept.toJson()).toJson(QJsonDocument::Compact));
}

KeptComparison keptComparison()
{
    return KeptComparison::fromJson(QJsonDocument::fromJson(openSettings()->value(kCompared).toByteArray()).object());
}

} // namespace fabricscope
