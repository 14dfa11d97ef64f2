#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::test {

/// A row of tests/golden/dgx1_subsets.csv: exact packing rates of one class of GPU subsets, in links.
struct Dgx1Subset {
    std::string machine; ///< "DGX-1P", "DGX-1V".
    std::string text;    ///< "0-1-2".
    std::vector<std::int32_t> gpus;
    std::int32_t alike = 0; ///< Subsets of the class.
    bool connected = false;
    double broadcast = 0;
    double spanningTrees = 0;
    std::int64_t rings = 0;
};

/// The whole table, in the order of the file.
std::vector<Dgx1Subset> dgx1Subsets();

/// NVLinks among some GPUs of the machine: 20 GB/s a link on DGX-1P, 25 GB/s on DGX-1V, 700 ns.
SynthesisGraph dgx1Graph(const std::string& machine, const std::vector<std::int32_t>& gpus);

} // namespace fabricscope::test
