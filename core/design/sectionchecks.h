#pragma once

#include "core/design/design.h"

namespace fabricscope {

/// Problems of one section of a design, with their places; parts of validate(), and told to stop as it. In networkchecks.cpp and, beside the rows of their
/// sections, file/computesection.cpp, file/schedulingsection.cpp and file/accuracysection.cpp.
Diagnostics validateNetwork(const Design& design, const std::stop_token& stop);
/// An entry of network.protocols, or of a rule of collectives. In networkchecks.cpp.
void checkProtocol(const Design& design, const ProtocolConfig& protocol, const std::string& field, const std::optional<Platform>& platform, Diagnostics& found);
Diagnostics validateCompute(const Design& design, const std::stop_token& stop);
Diagnostics validateScheduling(const Design& design, const std::stop_token& stop);
Diagnostics validateAccuracy(const Design& design, const std::stop_token& stop);
/// Figures that cannot be meant (valueranges.h), but for those of the platform; work on 0 bytes. In valuechecks.cpp.
Diagnostics validateValues(const Design& design, const std::stop_token& stop);

} // namespace fabricscope
