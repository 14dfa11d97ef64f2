#include "core/formats/infragraph/infragraph.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/yaml/tree.h"

#include <algorithm>
#include <array>

namespace fabricscope {

std::string InfraBandwidth::label() const
{
    constexpr std::array<const char*, 3> kUnits{" Gbps", " GBps", " GT/s"};
    return text + kUnits[at(unit)];
}

std::string InfraLatency::label() const
{
    constexpr std::array<const char*, 3> kUnits{" ms", " us", " ns"};
    return text + kUnits[at(unit)];
}

std::string_view infraChoiceName(InfraChoice choice)
{
    constexpr std::array<std::string_view, 8> kNames{"custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch"};
    return kNames[at(choice)];
}

std::string_view infraSchemeName(InfraScheme scheme)
{
    constexpr std::array<std::string_view, 3> kNames{"one2one", "many2many", "ring"};
    return kNames[at(scheme)];
}

std::string InfraComponent::type() const
{
    return choice == InfraChoice::Custom && !customType.empty() ? customType : std::string(infraChoiceName(choice));
}

std::int32_t InfraDocument::deviceIndex(std::string_view deviceName) const
{
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const InfraDevice& device) { return device.name == deviceName; });
    return found == devices.end() ? -1 : static_cast<std::int32_t>(found - devices.begin());
}

Result<InfraDocument> readInfraGraph(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<InfraDocument> {
        InfraReading reading = inspectInfraGraph(text, file, stop);
        for (Diagnostic& found : reading.diagnostics) {
            if (found.severity == Severity::Error)
                return toError(found);
        }
        diagnostics.insert(diagnostics.end(), std::make_move_iterator(reading.diagnostics.begin()), std::make_move_iterator(reading.diagnostics.end()));
        return std::move(reading.document);
    });
}

Result<InfraDocument> loadInfraGraph(const std::string& path, Diagnostics& diagnostics, const std::stop_token& stop)
{
    auto text = readTextFile(path, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    return readInfraGraph(text.value(), path, diagnostics, stop);
}

} // namespace fabricscope
