#pragma once

namespace fabricscope::cli {

class Command;
class Session;

/// `plan search`, below `plan`. In plansearchcommand.cpp.
void addPlanSearch(Command& plan, Session& session);

} // namespace fabricscope::cli
