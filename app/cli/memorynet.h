#pragma once

namespace fabricscope::cli {

/// The last net under the program when memory runs out. To be set up first thing in main(): touches the stack that the work will need (it
/// cannot grow later under a limit of address space), keeps some memory back for the way out, and turns what would end in std::terminate()
/// (an exception at the top of a thread, or in a function that must not throw) into exit code 6.
void spreadMemoryNet();

/// An allocation has failed, whether or not somebody heard of it: streams swallow the exception and go on with a text cut off.
bool memoryRanOut() noexcept;

/// "error: there is not enough memory for this" and sayMemoryBound(). Needs no memory.
void sayOutOfMemory() noexcept;

/// One line on stderr: the limit that holds, and how to raise it. Needs no memory.
void sayMemoryBound() noexcept;

} // namespace fabricscope::cli
