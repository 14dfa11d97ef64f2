#include "core/sharding/partition/partitionedprogram.h"

namespace fabricscope {

namespace {

constexpr KeyTable<StepKind, 12> kStepWords = {{{"input", StepKind::Input}, {"local", StepKind::Local}, {"mask", StepKind::Mask}, {"keep_first", StepKind::KeepFirst},
    {"all_reduce", StepKind::AllReduce}, {"reduce_scatter", StepKind::ReduceScatter}, {"all_gather", StepKind::AllGather}, {"all_to_all", StepKind::AllToAll},
    {"permute", StepKind::Permute}, {"halo_exchange", StepKind::HaloExchange}, {"slice", StepKind::Slice}, {"window", StepKind::Window}}};

} // namespace

std::string_view wordOf(StepKind kind)
{
    return keyOf(kStepWords, kind);
}

bool isCollective(StepKind kind)
{
    return kind >= StepKind::AllReduce && kind <= StepKind::Slice;
}

} // namespace fabricscope
