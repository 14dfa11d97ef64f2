#include "tests/unit/support/verified.h"

#include "core/verify/verify.h"

namespace fabricscope::test {

std::string verifierObjects(const Program& program)
{
    VerifyOptions options;
    options.slotCounts = {1, 2, 8};
    const Verification result = verify(program, options);
    if (!result.valid || result.postcondition != Postcondition::Holds)
        return result.findings.empty() ? "postcondition " + std::string(postconditionKey(result.postcondition)) : result.findings.front().rule + ": " + result.findings.front().message;
    if ((program.inPlace && !result.worksInPlace) || (program.outOfPlace && !result.worksOutOfPlace))
        return "does not work in a mode its flags claim";
    for (const SlotResult& slots : result.slotResults) {
        if (!slots.finishes)
            return "does not finish with " + std::to_string(slots.count) + " slots";
    }
    return {};
}

} // namespace fabricscope::test
