#include "core/synthesis/glpkguard.h"

#include <csetjmp>
#include <cstring>
#include <glpk.h>
#include <new>
#include <stdexcept>

namespace fabricscope {

namespace {

struct Trap {
    std::jmp_buf way;
    bool memory = false; ///< The message speaks of memory.
};

/// GLPK's messages come here; not 0: they are not printed.
int hear(void* trap, const char* text)
{
    if (std::strstr(text, "memory"))
        static_cast<Trap*>(trap)->memory = true;
    return 1;
}

void leave(void* trap)
{
    std::longjmp(static_cast<Trap*>(trap)->way, 1);
}

/// False: GLPK gave up. Nothing here, in `work` or in GLPK needs destruction, so longjmp() skips nothing.
bool trapped(Trap& trap, void (*work)(void*), void* data)
{
    if (setjmp(trap.way) != 0)
        return false;
    work(data);
    return true;
}

} // namespace

void withGlpk(void (*work)(void* data), void* data)
{
    constexpr int kNoMemory = 2;
    if (glp_init_env() == kNoMemory)
        throw std::bad_alloc();
    Trap trap;
    glp_term_out(GLP_OFF);
    glp_term_hook(hear, &trap);
    glp_error_hook(leave, &trap);
    const bool done = trapped(trap, work, data);
    glp_free_env();
    if (done)
        return;
    if (trap.memory)
        throw std::bad_alloc();
    throw std::logic_error("GLPK refused a problem of ours");
}

} // namespace fabricscope
