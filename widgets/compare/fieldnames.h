#pragma once

#include "core/insight/designchanges.h"

#include <QString>

#include <string>
#include <vector>

class QFontMetrics;

namespace fabricscope::comparing {

/// The end of a field's name, from the last dot on that leaves no other of the fields the same end: of "a.in.rate" and "a.out.rate" "in.rate".
std::string endThatTellsApart(const std::vector<DesignChange>& changes, const std::string& field);

/// A field's name, not wider than that. What goes first is its beginning, up to the end that tells it apart; then the middle of that end, whose first part
/// is what differs and whose last part is the key: "…links[3]…width". `end` is the end of `field`.
QString elidedField(const QFontMetrics& metrics, const QString& field, const QString& end, int width);

} // namespace fabricscope::comparing
