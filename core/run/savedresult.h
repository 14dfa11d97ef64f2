#pragma once

#include "core/report/runfile.h"
#include "core/run/rundesign.h"

#include <stop_token>

namespace fabricscope {

/// A saved run as a result that views can show: the design it carries is read and made ready again, nothing is simulated.
/// Errors: no design in the run, those of reading and preparing it, InvalidInput when the run does not fit the design
/// (files the design names have changed), MemoryLimit when memory runs out; Cancelled.
Result<RunResultPtr> resultOfSavedRun(SavedRun saved, int threads = 1, const std::stop_token& stop = {});

} // namespace fabricscope
