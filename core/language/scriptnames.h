#pragma once

#include "core/program/explicitbody.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// "input chunk 3 of rank 1": a place in the words of messages. In scriptend.cpp.
std::string placeText(std::int32_t rank, BufferKind buffer, std::int32_t index);

} // namespace fabricscope
