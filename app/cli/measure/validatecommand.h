#pragma once

#include "app/cli/session.h"

namespace fabricscope::cli {

void addValidate(Command& program, Session& session);

} // namespace fabricscope::cli
