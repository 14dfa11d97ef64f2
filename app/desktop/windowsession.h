#pragma once

#include "widgets/compare/keptset.h"
#include "widgets/timeline/arrangement.h"
#include "widgets/timeline/geometry.h"

#include <QString>

#include <optional>
#include <vector>

namespace fabricscope {

/// How a design was looked at: rows of the timeline, bookmarks, the range of time on show, the time cursor.
struct DesignSession {
    TimelineArrangement rows;
    std::vector<std::int64_t> bookmarks; ///< Picoseconds.
    std::optional<TimeRange> visible;    ///< Nothing: the whole run.
    std::optional<std::int64_t> cursor;  ///< The instant that the platform shows.
    friend bool operator==(const DesignSession&, const DesignSession&) = default;
    bool isPlain() const { return *this == DesignSession(); }

    QJsonObject toJson() const;
    /// What is missing or of another kind is as in a plain one.
    static DesignSession fromJson(const QJsonObject& json);
};

/// Kept in the settings by the path of the design; of more than kMostSessions the one kept longest ago goes. A plain session, and that of a design without
/// a file, is none.
constexpr int kMostSessions = 50;
void keepSession(const QString& file, const DesignSession& session);
DesignSession keptSession(const QString& file);

/// What was compared when the program ended, whatever design was open. Nothing to compare: none is kept.
void keepComparison(const KeptComparison& kept);
KeptComparison keptComparison();

} // namespace fabricscope
