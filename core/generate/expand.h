#pragma once

#include "core/generate/writer.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope::generate {

/// Ranks at position 0 of an axis: one for every line along it.
std::vector<std::int32_t> linesOf(const std::vector<std::int32_t>& axes, std::int32_t axis);

// All look at `stop` and throw StopRequested (stop.h); the writer heeds it too.

/// Reduce-scatter, all-gather, all-reduce. In expandvector.cpp, as expandsInPlace() and cutOrder(). \pre every chunk cuts the same axes, each once.
void expandVector(Writer& writer, const Program& program, const std::stop_token& stop);
/// May it work in the buffers themselves? Else blocks are copied to scratch, so that every message is one piece of memory.
bool expandsInPlace(const Program& program);
void expandAllToAll(Writer& writer, const Program& program);
/// One phase in a switch. In expandalltoall.cpp, as expandAllToAll().
void expandInSwitch(Writer& writer, const Program& program);

/// Axes the phases cut, in the order in which a block is found: the first cut first.
std::vector<std::int32_t> cutOrder(const std::vector<PhaseTemplate>& phases);

} // namespace fabricscope::generate
