#include "widgets/timeline/arrangement.h"

#include <QHash>
#include <QJsonArray>

#include <utility>
#include <vector>

namespace fabricscope {

namespace {

void setContained(QStringList& list, const QString& key, bool on)
{
    if (!on)
        list.removeAll(key);
    else if (!list.contains(key))
        list.append(key);
}

/// The three lists with their names in a file.
template <class Arrangement>
auto namedLists(Arrangement& arrangement)
{
    return std::vector{std::pair{QStringLiteral("pinned"), &arrangement.pinned}, std::pair{QStringLiteral("hidden"), &arrangement.hidden},
                       std::pair{QStringLiteral("order"), &arrangement.order}};
}

} // namespace

void TimelineArrangement::setPinned(const QString& key, bool on)
{
    setContained(pinned, key, on);
}

void TimelineArrangement::setHidden(const QString& key, bool on)
{
    setContained(hidden, key, on);
}

QStringList TimelineArrangement::ordered(const QStringList& siblings) const
{
    QHash<QString, qsizetype> place;
    for (qsizetype i = 0; i < siblings.size(); ++i)
        place.insert(siblings[i], i);
    QStringList moved;
    QHash<QString, qsizetype> placeOfMoved;
    for (const QString& key : order)
        if (place.contains(key)) {
            placeOfMoved.insert(key, moved.size());
            moved.append(key);
        }
    std::vector<QStringList> followers(static_cast<std::size_t>(moved.size()) + 1); // [0]: before all that were moved.
    std::size_t leader = 0;
    for (const QString& key : siblings) {
        if (const auto found = placeOfMoved.constFind(key); found != placeOfMoved.constEnd())
            leader = static_cast<std::size_t>(*found) + 1;
        else
            followers[leader].append(key);
    }
    QStringList result = followers[0];
    for (qsizetype i = 0; i < moved.size(); ++i) {
        result.append(moved[i]);
        result.append(followers[static_cast<std::size_t>(i) + 1]);
    }
    return result;
}

bool TimelineArrangement::move(const QStringList& siblings, const QStringList& shown, const QString& key, int by)
{
    const qsizetype from = shown.indexOf(key);
    const qsizetype to = from + by;
    if (from < 0 || by == 0 || to < 0 || to >= shown.size())
        return false;
    const bool ofPinned = isPinned(key);
    QStringList all = ofPinned ? pinned : ordered(siblings);
    all.removeAll(key);
    all.insert(all.indexOf(shown[to]) + (by > 0 ? 1 : 0), key);
    if (ofPinned) {
        pinned = all;
        return true;
    }
    for (const QString& sibling : all)
        order.removeAll(sibling);
    order.append(all);
    return true;
}

QJsonObject TimelineArrangement::toJson() const
{
    QJsonObject json;
    for (const auto& [name, list] : namedLists(*this))
        if (!list->isEmpty())
            json.insert(name, QJsonArray::fromStringList(*list));
    return json;
}

TimelineArrangement TimelineArrangement::fromJson(const QJsonObject& json)
{
    TimelineArrangement arrangement;
    for (const auto& [name, list] : namedLists(arrangement))
        for (const QJsonValue& value : json.value(name).toArray())
            if (value.isString())
                setContained(*list, value.toString(), true);
    return arrangement;
}

} // namespace fabricscope
