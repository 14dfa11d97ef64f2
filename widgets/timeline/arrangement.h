#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace fabricscope {

/// How a person wants the rows of a timeline: a value that fits every run of a design. Rows and groups are known by TimelineRow::key; what a
/// run does not have is kept for the next one that has. No widget.
struct TimelineArrangement {
    QStringList pinned; ///< Above all others, in this order.
    QStringList hidden; ///< Rows and groups that are not shown.
    QStringList order;  ///< Rows and groups that were moved, with their neighbours, in the order they then had.

    friend bool operator==(const TimelineArrangement&, const TimelineArrangement&) = default;

    bool isPinned(const QString& key) const { return pinned.contains(key); }
    bool isHidden(const QString& key) const { return hidden.contains(key); }
    /// A row pinned anew comes last of the pinned ones.
    void setPinned(const QString& key, bool on);
    void setHidden(const QString& key, bool on);

    /// `siblings`, given in their usual order, in the wanted one: those that were moved as they were left, every other one behind the one it
    /// usually follows. O(n + length of `order`).
    QStringList ordered(const QStringList& siblings) const;
    /// Moves `key` by so many places among `shown`, which are those of `siblings` that can be seen, in the order they are seen; of pinned rows
    /// both are the pinned ones. False, and nothing changes, where there is no such place.
    bool move(const QStringList& siblings, const QStringList& shown, const QString& key, int by);

    /// {"pinned": [...], "hidden": [...], "order": [...]}; empty lists are left out.
    QJsonObject toJson() const;
    /// What is no list of texts is taken as empty.
    static TimelineArrangement fromJson(const QJsonObject& json);
};

} // namespace fabricscope
