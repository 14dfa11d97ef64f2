#include "core/plan/pipeline/planshape.h"

namespace fabricscope {

PipelineShape pipelineShape(const PlanLayout& layout)
{
    return layout.shape;
}

} // namespace fabricscope
