#pragma once

#include "core/design/design.h"
#include "core/platform/platform.h"
#include "core/record/timelinesource.h"
#include "widgets/start/commandpalette.h"
#include "widgets/start/manualwindow.h"
#include "widgets/timeline/selection.h"

#include <functional>

namespace fabricscope {

class ActionRegistry;
class RecentFiles;

/// A setting that is no command: a field of the design, a choice on a page.
struct GoToSetting {
    QString title;              ///< "Paper"
    QString where;              ///< "Report"
    std::function<void()> open; ///< Leads to where it is changed.
    QString command{};          ///< That changes it too, and is found by both names instead; empty: none.
};

/// All that "go to" can find, and what going there does. Null: there is none of it.
struct GoToTargets {
    const Platform* platform = nullptr;
    TimelineSourcePtr timeline;
    WorkloadPtr workload;
    const Design* design = nullptr;
    const RecentFiles* recent = nullptr;
    const ActionRegistry* registry = nullptr; ///< Settings are its commands that are on or off, or that change the size of text ...
    std::vector<GoToSetting> settings;        ///< ... and these.
    std::function<void(NodeId)> npu;
    std::function<void(LinkId)> link;
    std::function<void(int)> dimension;
    std::function<void(TimelineSelection)> task; ///< Collectives are tasks.
    std::function<void(QString)> file;
    std::function<void(QString)> example; ///< By its id. Null: none is found.
    std::function<void(ManualPlace)> manual; ///< Null: none is found.
};

/// What answers a text: an NPU and a link by their names, dimensions, tasks, files, shipped examples and settings by a part of theirs, what the
/// manual has by words of its headings; of each kind few, the best first.
std::vector<PaletteEntry> goToEntries(const GoToTargets& targets, const QString& typed);

} // namespace fabricscope
