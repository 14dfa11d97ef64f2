#pragma once

#include "core/program/operationbytes.h"

#include <stop_token>

namespace fabricscope {

/// Sizes of the operations of an explicit program when the large side has `bytes`, by what they carry: a chunk keeps its size wherever it
/// lies, so that of chunks that are not equally large every byte reaches whoever is sent it, also through scratch and lists in another order.
///
/// The program is executed with the number of the input chunk in every place. Where that cannot be followed (no places, a program that does
/// not run or is not sound, too many places, sums of different chunks, a custom collective whose inputs are no large side, cancelled), and where
/// all chunks are equally large, sizes are those of the columns. O(operations * count + cells).
/// \pre as OperationBytes.
OperationBytes carriedBytes(const Program& program, std::int64_t bytes, const std::stop_token& stop = {});

} // namespace fabricscope
