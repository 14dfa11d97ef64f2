#pragma once

#include <cstdint>
#include <vector>

namespace fabricscope::generate {

/// As many edge-disjoint Hamiltonian cycles of a torus as it has axes, so that together they use every edge once; each as its ranks in
/// order, from rank 0 (axis 0 fastest). k x k: the construction (manual: collectives 2.3). Others: every axis starts with its own rings as one
/// set of cycles; two parallel edges of one set are exchanged with two of another around a square while that joins cycles (manual:
/// collectives 2.3; Kotzig and Foregger: such cycles exist). Deterministic. Empty: none found within the limit of the search.
/// \pre two or more axes of at least 3.
std::vector<std::vector<std::int32_t>> hamiltonianCycles(const std::vector<std::int32_t>& axes);

} // namespace fabricscope::generate
