#pragma once

#include "core/insight/limits/roofline.h"
#include "widgets/base/tablecontent.h"

#include <QString>

namespace fabricscope {

/// The points of both rooflines, computations first, messages last; ids are numbers of rows. The note says what is missing.
TableContentPtr rooflineContent(const Roofline& roofline);

namespace texts {

/// "312 TFLOP/s", "12.5 GFLOP/s": at least three digits.
QString flops(double perSecond);
/// "46.2 FLOP/byte".
QString intensity(double flopPerByte);
/// "FW layer", "All-reduce of 32 MiB, tensor", "activations of 4 MiB".
QString kernel(const RooflineKernel& kernel);
QString collective(const RooflineCollective& collective);
QString messages(const RooflineMessages& messages);
/// What binds: "peak", "memory", "latency", "bandwidth"; empty: no roof is known.
QString roof(const RooflineKernel& kernel);
QString roof(const RooflineCollective& collective);
QString roof(const RooflineMessages& messages);

} // namespace texts

} // namespace fabricscope
