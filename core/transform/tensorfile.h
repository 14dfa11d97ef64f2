#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/transform/schedulewords.h"
#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope::transform {

inline constexpr std::int32_t kMostOverlapChunks = 1 << 16;

/// What times follow from (manual: transform 4).
struct TimingSetup {
    Design design;                                          ///< Platform and collectives; its workload is not used.
    std::vector<std::pair<std::string, double>> efficiency; ///< Share of the bandwidth that an algorithm reaches, 0 < share <= 1.
    std::optional<std::int32_t> chunks;                     ///< Of an overlap; absent: by buffer.
    std::optional<std::int32_t> channels;                   ///< Thread blocks of a collective; 0: no contention; absent: 12 on one dimension, 32 on several.
    std::int32_t sms = 80;
    Quantity launch{5, "us", Measure::Time};                ///< Of a kernel.
};

/// What a search varies besides the steps, each with each (manual: transform 7). Empty: as the file says.
struct TuneSettings {
    std::vector<std::string> algorithms; ///< Words of algorithms, or "tree".
    std::vector<std::string> protocols;  ///< "Simple", "LL", "LL128".
    std::vector<std::int32_t> channels;
    bool empty() const { return algorithms.empty() && protocols.empty() && channels.empty(); }
};

/// A file of `transform`, read.
struct TransformFile {
    TensorProgram program; ///< With layouts.
    std::vector<std::string> maySlice;
    Schedule schedule;
    TimingSetup timing;
    TuneSettings tune;
    Diagnostics diagnostics;
};

/// Reads the text of a file with a `transform` section (manual: transform 2), or of a script where the name of the file ends in .lua. Errors name file, line, column and field.
Result<TransformFile> readTransformText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides = {}, const std::stop_token& stop = {});
/// The same of a file.
Result<TransformFile> readTransformFile(const std::string& path, const std::vector<FieldOverride>& overrides = {}, const std::stop_token& stop = {});

} // namespace fabricscope::transform
