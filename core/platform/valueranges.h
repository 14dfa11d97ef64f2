#pragma once

#include "core/platform/platform.h"

namespace fabricscope {

/// What a figure is of.
enum class Meaning : std::uint8_t {
    Rate,        ///< Of links, switches, memories and budgets.
    Latency,     ///< Also of software per message.
    Memory,      ///< Capacity.
    ComputeRate, ///< Of one NPU.
    Buffer,      ///< Of a switch.
    Data,        ///< Of a collective, a message, a piece, an output.
    Duration,    ///< Of a computation; a point in time.
    Operations,  ///< Of a computation.
};

/// What a figure can be that someone means: wide enough for any machine that was or will be built, so that what is outside is a slip of the unit or of the hand. The
/// one list of them.
struct ValueRange {
    Meaning meaning;
    Measure measure;
    bool zero;        ///< 0 itself can be meant, too.
    double least;     ///< In the base unit of the measure.
    double most;
    const char* text; ///< "1 kB/s to 1 EB/s".
};

const ValueRange& valueRange(Meaning meaning);

/// Is every figure of the machine in its range? The first that is not: field, value and range. checkPlatform() asks whether it can be computed with; this, whether it
/// can be meant. O(links). Told to stop: throws StopRequested (stop.h).
Status checkValues(const PlatformSpec& spec, const std::stop_token& stop = {});

/// The same for remote memory; fields start at "platform.remote_memory".
Status checkValues(const RemoteMemory& memory);

/// The same for one figure. Error: InvalidInput, `field` as its place.
Status checkValue(const Quantity& value, Meaning meaning, const std::string& field);

/// Factors on speed: how many times as fast an NPU can be as another.
constexpr double kLeastFactor = 1e-6;
constexpr double kMostFactor = 1e6;
Status checkFactor(double value, const std::string& field);

/// Shares and deviations: 0, or at least a millionth. What is smaller changes nothing.
constexpr double kLeastMeantShare = 1e-6;
Status checkShare(double value, const std::string& field);

} // namespace fabricscope
