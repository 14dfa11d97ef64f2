#pragma once

#include "core/formats/infragraph/infragraph.h"
#include "core/formats/linkcompletion.h"
#include "core/platform/platform.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// The platform an InfraGraph document describes, as an explicit graph (manual: formats 6.3):
///  * every accelerator is an NPU; in the order of the `rank` annotations where they are a permutation, else of the document;
///  * an instance without accelerator (switch, router) is one switch, and so is a nested device (a network card); what is wired inside
///    them counts as infinitely fast;
///  * a port joined to one part of its host by a link without bandwidth belongs to that part;
///  * parts that lead nowhere (unused ports, memory, storage) are left out, and passive parts (slots, bridges) with two links become one link,
///    which is left out where it joins two accelerators that a faster switch of the host joins too;
///  * processors are left out where the accelerators reach each other without them;
///  * switches of a host that join the same accelerators alike (NVSwitch planes) become one with the sum of their links, also where another part of the
///    host joins them all (what manages them);
///  * every edge that is left is one link each way; several between the same two nodes stay apart.
/// Missing figures come from `completions`, else from what name and description of the link tell (NVLink and PCIe generations), and each such
/// assumption is a warning ("assumed") and part of PlatformSpec::source. GT/s need a completion. Errors: no accelerator, accelerators that
/// cannot reach each other, GT/s without factor; Cancelled. O(nodes + edges log edges).
Result<PlatformSpec> platformFromInfraGraph(const InfraDocument& document, const LinkCompletions& completions, Diagnostics& diagnostics,
                                            const std::stop_token& stop = {});

} // namespace fabricscope
