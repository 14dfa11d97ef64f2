#pragma once

#include "core/insight/limits/roofline.h"

#include <stop_token>
#include <string>

namespace fabricscope {

class JsonWriter;

/// For people: the longest computations, collectives and messages, what they reach, their roof and what it is, and why the network has none. Empty where there is neither. Told to stop: throws StopRequested.
std::string rooflineText(const Roofline& roofline, const std::stop_token& stop = {});
/// {"compute": [...], "network": [...], "messages": [...], "notes": [...]} (manual: json 17).
void writeRoofline(JsonWriter& json, const Roofline& roofline);

/// "peak" or "memory", "bandwidth" or "latency": what is nearer at the intensity of the point.
const char* roofWord(const RooflineKernel& kernel);
const char* roofWord(const RooflineCollective& collective);
const char* roofWord(const RooflineMessages& messages);
/// "all_reduce of 32 MiB, tensor".
std::string collectiveTitle(const RooflineCollective& collective);
/// "activations of 32 MiB".
std::string messagesTitle(const RooflineMessages& messages);

} // namespace fabricscope
