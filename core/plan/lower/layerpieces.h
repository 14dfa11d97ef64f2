#pragma once

#include "core/model/kernelterms.h"
#include "core/plan/lower/groupfamilies.h"
#include "core/plan/lower/stagework.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// Families of the groups that communicate inside layers; -1: nobody.
struct LayerFamilies {
    FamilyId tensor = -1;
    FamilyId context = -1;
    FamilyId experts = -1;
};

/// Pieces of one layer, or of what stands before or behind the layers, for one micro-batch on one rank. Communications are those of communicationsOf() (sends.h), each where
/// it separates computation; computation between two of them is one piece. `kernels`: what times the ops; null: operations and bytes do. O(ops).
struct LayerPieces {
    std::vector<WorkPiece> forward;
    std::vector<WorkPiece> backward; ///< Gradient of the input, with what is computed again before it.
    std::vector<WorkPiece> full;     ///< With that of the weights.
    WorkPiece weight;                ///< That alone.
};

LayerPieces piecesOfLayer(const SpreadModel& spread, const LayerKind& kind, const LayerFamilies& families, const NpuKernels* kernels = nullptr);
LayerPieces piecesBefore(const SpreadModel& spread, const LayerFamilies& families, const NpuKernels* kernels = nullptr);
LayerPieces piecesBehind(const SpreadModel& spread, const LayerFamilies& families, const NpuKernels* kernels = nullptr);

} // namespace fabricscope
