#pragma once

#include <QSettings>
#include <QString>

#include <memory>

namespace fabricscope {

/// Where the program keeps what is the user's: everything under $FABRICSCOPE_HOME when that is set, else the places of the XDG rules.
QString stateFolder();

/// The settings, one file. Made anew for every use; QSettings shares the content between its objects.
std::unique_ptr<QSettings> openSettings();
/// Removes what killed processes left half written: beside recovery files, in the list of open files, beside the settings. Those of processes that still
/// run stay. O(files in these folders).
void removeHalfWrittenFiles();

} // namespace fabricscope
