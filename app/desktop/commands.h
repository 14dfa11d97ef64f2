#pragma once

#include "widgets/base/actions.h"

namespace fabricscope {

/// Registers every command of the window. Which object answers them is MainWindow's business.
void registerCommands(ActionRegistry& registry);

} // namespace fabricscope
