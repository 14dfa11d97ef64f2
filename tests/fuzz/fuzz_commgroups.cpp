// Any text as a group file; what is read must pass the checks without harm.
#include "core/trace/commgroups.h"
#include "core/trace/groupresolver.h"

#include <cstdint>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto groups = parseCommGroups({reinterpret_cast<const char*>(data), size}, "groups.json");
    if (!groups)
        return 0;
    const GroupResolver resolver(TraceSet::fromRanks({}, "none"), groups.value());
    return checkCommGroups(groups.value(), 8).size() > size + 8 && resolver.groups().empty() ? 1 : 0;
}
