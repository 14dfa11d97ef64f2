#include "core/design/file/readdesign.h"
#include "core/measure/calibration.h"
#include "core/measure/transferlog.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace fabricscope;

/// A log of nccl-tests or a table of measurements; of few rows on few GPUs a fabric is fitted, and the design that is written must be one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    constexpr std::size_t kMostFitted = 8;
    constexpr std::int32_t kMostGpus = 8;
    const auto rows = readTransferLog(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed");
    if (!rows) {
        static_cast<void>(rows.error().text());
        return 0;
    }
    if (rows.value().size() > kMostFitted || std::any_of(rows.value().begin(), rows.value().end(), [](const MeasuredTransfer& row) { return row.gpus > kMostGpus; }))
        return 0;
    const auto calibration = calibrateFabric(rows.value(), {});
    if (calibration && !readDesignText(calibratedDesign(calibration.value(), {"fuzzed"}), "fabric"))
        std::abort();
    return 0;
}
