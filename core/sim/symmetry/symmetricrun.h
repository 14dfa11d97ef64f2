#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"
#include "core/sim/events/shortcuts.h"
#include "core/sim/symmetry/fold.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace fabricscope {

// The symmetry engine of `links`, `ideal` and `flow`: where every NPU does the same at the same time, the event engine runs one of them.
//
// Why that is exact. The tie rule (manual: models 3.6) never looks at rank numbers, so what an NPU, its links and its reducer
// do depends only on what reaches them and when. If every kind of message (collective, chunk, phase, step, slot) is sent by each NPU
// to a different one, and crosses at every hop each link of its kind exactly once, then by induction over the instants all NPUs are in the
// same state: what NPU 0 sends towards an offset arrives at NPU 0 from the opposite offset. So NPU 0 is simulated with every link folded onto
// its own link at the same port, by the same code as all others (events::Plans::fold(), events::Routes::fold()), and the result is multiplied.
// Offsets are differences modulo the size of a dimension; halving-doubling exchanges with r xor 2^b, which is as good on Switch dimensions
// (all of an NPU's messages share its two links) and on FullyConnected ones that only halving-doubling uses.
// Explicit programs: messages of a kind are those of one place (foldprogram.h). Where they go to r + m everywhere it is as above; where they go elsewhere,
// each NPU still sends and gets one, so that below a switch every link up and down is crossed once, and only input ports may differ from NPU to NPU: a run
// in which they would decide a tie is given up (events::Network::positionsDiffer()).
// Under flow a way that crosses several links of a kind takes as much of the folded one as so many flows: as many cross every link of the kind (FlowNetwork::Crossing).
// A ring that is alone in the network begins every step with all resources idle: its steps are equal, and are passed over at once
// (events::FastForward).

/// Runs a folded scenario. The record is that of simulateEvents() on the original in every field but `events` and `engines`;
/// RunOptions::message gets the messages that rank 0 sends. Errors: those of simulateEvents(); Unsupported when the ranks cannot finish,
/// or when relative positions under halving-doubling or in an explicit program, which differ from NPU to NPU, would decide a tie; messages of explicit
/// programs, when RunOptions::message asks for them.
/// \pre !options.messageDigest
Result<RunRecord> simulateFolded(const FoldedScenario& folded, const RunOptions& options, std::stop_token stop, const events::Shortcuts& shortcuts = {});

/// Runs more ranks than this message by message only when told to: RunOptions::message gets what rank 0 sends.
constexpr std::int32_t kMostRanksForMessages = 1 << 16;

/// simulateFolded() when the scenario folds and the options allow it, else what graphrun.h and treerun.h follow; absent: the event engine has to do it. With
/// EngineChoice::Symmetry the reason comes back as an error instead.
std::optional<Result<RunRecord>> trySymmetry(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);

} // namespace fabricscope
