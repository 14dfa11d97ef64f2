#pragma once

#include "core/formats/linkcompletion.h"
#include "core/platform/platform.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// Reads the topology of a machine as NCCL writes it (NCCL_TOPO_DUMP_FILE): XML of system, cpu, pci, gpu, nvlink, c2c, nic and net elements;
/// RCCL's dumps of AMD machines are alike, with xgmi elements. The result is an explicit graph: GPUs are NPUs in the order of their ranks (else of their device numbers), NUMA domains, PCI Express
/// switches, network cards and "nvswitch" (all NVSwitches as one, as NCCL sees them) are switches. NVLinks or xGMI links between the same two
/// GPUs are one link of their sum; bridges with one device below are part of its link; domains and bridges without device are left out.
/// Speeds: NVLink by compute capability (data sheet figure per link and direction: 6.0 20, 7.0, 8.0 and 9.0 25, 8.6 14, 10.0 and later 50 GB/s),
/// xGMI by architecture as RCCL counts (gfx90a 36, gfx94x and gfx95x 48, else 24 GB/s per link and direction),
/// PCI Express by transfers, lanes and coding, links between domains by the processor's vendor. Everything that is not in the file is a warning
/// ("assumed") and part of PlatformSpec::source. `completions`: "nvlink", "nvswitch", "xgmi" (figures of one link), "c2c", "pcie", "cpu".
/// Errors name file, line and attribute; Cancelled.
Result<PlatformSpec> readNcclTopology(const std::string& text, const std::string& file, const LinkCompletions& completions, Diagnostics& diagnostics,
                                      const std::stop_token& stop = {});

} // namespace fabricscope
