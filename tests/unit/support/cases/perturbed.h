#pragma once

#include "tests/unit/support/cases/randomcase.h"

#include <cstdint>
#include <string>

namespace fabricscope::test {

/// What is different about one thing of a case.
enum class Defect : std::uint8_t { None, SlowLink, LateLink, SlowNpu, SlowReducer, LongerTask, ExtraTask };

/// A case of symmetric layers: the same computations and collectives over groups along dimensions, one after the other, several
/// times, with one defect somewhere. Deterministic.
CaseSpec layeredCase(std::uint64_t seed, Defect defect);

/// Changes one link, NPU or task of a symmetric case; `what` says which in words.
CaseSpec perturbed(CaseSpec spec, std::uint64_t seed, Defect defect, std::string* what = nullptr);

} // namespace fabricscope::test
