#pragma once

#include "app/cli/session.h"

namespace fabricscope::cli {

void addCalibrate(Command& program, Session& session);

} // namespace fabricscope::cli
