#pragma once

#include "core/report/runfile.h"
#include "core/run/rundesign.h"

namespace fabricscope {

/// A saved run as a result that views can show: the design it carries is read and made ready again, nothing is simulated.
/// Errors: no design in the run, those of reading and preparing it, InvalidInput when the run does not fit the design
/// (files the design names have changed), MemoryLimit when memory runs out.
Result<RunResultPtr> resultOfSavedRun(SavedRun saved, int threads = 1);

} // namespace fabricscope
