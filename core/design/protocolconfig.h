#pragma once

#include "core/base/quantity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace fabricscope {

/// What a transfer costs besides its bytes. A rule applies to the messages in its range of sizes and its dimension.
struct ProtocolConfig {
    std::string preset;                ///< "Simple", "LL", "LL128", or empty: what is not given is free.
    std::optional<Quantity> minSize;   ///< Inclusive.
    std::optional<Quantity> maxSize;   ///< Inclusive.
    std::optional<std::int32_t> dimension; ///< Highest dimension a message crosses.
    std::optional<Quantity> latency;   ///< Added to every message.
    std::optional<std::pair<std::int64_t, std::int64_t>> efficiency; ///< Payload and wire bytes, "120/128".
    std::optional<std::int32_t> slotCount; ///< Per connection (stream, source, destination); 0: unlimited.
    std::optional<Quantity> slotSize;  ///< Wire bytes.
    std::optional<bool> get;           ///< The receiver asks for the data.
    std::optional<bool> signal;        ///< A control message behind the data.
    std::optional<bool> handshake;     ///< The sender asks and the receiver answers before the data.
    std::optional<Quantity> controlSize;
    friend bool operator==(const ProtocolConfig&, const ProtocolConfig&) = default;
};

} // namespace fabricscope
