#pragma once

#include "tests/unit/support/cases/syntheticrun.h"

namespace fabricscope::test {

/// compute [0,100us) [150,300us), all-reduce of 8 MB [100,150us), send of 1 MB to rank 3 [300,320us), compute [320, 1000us).
inline SyntheticRun smallRun()
{
    RunBuilder builder;
    builder.compute("first", 0, 100'000'000);
    builder.collective("gradients", CollectiveOp::AllReduce, 0, 8'000'000, 100'000'000, 150'000'000);
    builder.compute("second", 150'000'000, 300'000'000);
    builder.send("activations", 3, 1'000'000, 300'000'000, 320'000'000);
    builder.compute("third", 320'000'000, 1'000'000'000);
    return oneClass(builder);
}

} // namespace fabricscope::test
