#pragma once

#include "core/design/design.h"
#include "core/platform/platform.h"
#include "core/record/timelinesource.h"
#include "widgets/start/commandpalette.h"
#include "widgets/timeline/selection.h"

#include <functional>

namespace fabricscope {

class ActionRegistry;
class RecentFiles;

/// All that "go to" can find, and what going there does. Null: there is none of it.
struct GoToTargets {
    const Platform* platform = nullptr;
    TimelineSourcePtr timeline;
    WorkloadPtr workload;
    const Design* design = nullptr;
    const RecentFiles* recent = nullptr;
    const ActionRegistry* registry = nullptr; ///< Settings are its commands that are on or off.
    std::function<void(NodeId)> npu;
    std::function<void(LinkId)> link;
    std::function<void(int)> dimension;
    std::function<void(TimelineSelection)> task; ///< Collectives are tasks.
    std::function<void(QString)> file;
};

/// What answers a text: an NPU and a link by their names, dimensions, tasks, files and settings by a part of theirs; of each kind few, the best first.
std::vector<PaletteEntry> goToEntries(const GoToTargets& targets, const QString& typed);

} // namespace fabricscope
