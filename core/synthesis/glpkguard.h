#pragma once

namespace fabricscope {

/// Runs `work(data)`, which calls GLPK, in an environment of GLPK of its own, silently. GLPK itself would print and abort when memory runs
/// out; here it leaves by longjmp() and all its memory is given back. Throws std::bad_alloc then, std::logic_error when GLPK finds fault
/// with how it was called. Per thread, as GLPK's environment is.
/// \pre `work` throws nothing and holds no object that needs destruction while it calls GLPK: it may be left in the middle.
void withGlpk(void (*work)(void* data), void* data);

} // namespace fabricscope
