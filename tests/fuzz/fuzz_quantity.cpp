#include "core/base/quantity.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Measure measure : {Measure::Time, Measure::Size, Measure::Bandwidth, Measure::Operations, Measure::ComputeRate, Measure::Count}) {
        const auto quantity = parseQuantity(text, measure);
        if (!quantity)
            continue;
        // What was accepted reads back as the same, and fits the integers.
        const auto again = parseQuantity(quantity.value().text(), measure);
        if (!again || !(again.value() == quantity.value()))
            std::abort();
        if (measure == Measure::Time) {
            if (showTime(toSimTime(quantity.value())).empty() || nsText(toSimTime(quantity.value())).empty())
                std::abort();
        } else if (measure == Measure::Bandwidth && (toBandwidth(quantity.value()).bytesPerSecond > 0) != (quantity.value().value > 0)) {
            std::abort();
        }
    }
    return 0;
}
