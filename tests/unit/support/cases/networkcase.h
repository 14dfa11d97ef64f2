#pragma once

#include "core/scenario/networkparams.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/randomcase.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope::test {

/// The scenario of a design written as YAML; fails the process when the design is refused.
Scenario scenarioOf(const std::string& yaml);
/// Runs such a design; fails the process where the engine refuses it.
RunRecord simulated(const std::string& yaml, EngineChoice engine = EngineChoice::Auto);
/// What validate() and reading say about it: all texts, one per line.
std::string problemsOf(const std::string& yaml);

/// A design of NPUs and switches whose links all have 1 GB/s (1 B/ns) and 100 ns. `links`: "gpu0-s0 s0-gpu1", one each way; names with s are
/// switches. `network` and `steps` are YAML in flow style.
std::string graphDesign(const std::string& links, const std::string& network, const std::string& steps);

/// The scenario with a network section of its own; `faults` are added to it as resolveFaults() would give them.
Scenario withNetwork(const Scenario& scenario, NetworkParams network, const std::vector<LinkFault>& faults = {});

/// A random case whose collectives let in all chunks at once. With a window, ranks may wait for each other where messages overtake.
CaseSpec openCase(std::uint64_t seed, const RandomLimits& limits);

/// One of at most 8 NPUs and few tasks, three of four on explicit graphs; fails the process where it cannot be built.
Scenario smallOpenCase(std::uint64_t seed);

/// Runs on the event engine and keeps every message, sorted by identity.
LinksRun runNetwork(const Scenario& scenario, std::uint64_t seed = 0);

/// Finish of the only message of a run, ps.
std::int64_t onlyMessage(const LinksRun& run);

/// Bytes over all links, those of a message once per link.
std::int64_t bytesOfLinks(const LinksRun& run);
/// Bytes that crossed each link, by name.
std::map<std::string, std::int64_t> bytesByLink(const Scenario& scenario, const LinksRun& run);

} // namespace fabricscope::test
