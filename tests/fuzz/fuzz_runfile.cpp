// Saved runs: whatever the bytes, reading ends with a run or an error, and a run that was read writes and reads back the same.
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fabricscope;
    const Result<SavedRun> run = readRunText({reinterpret_cast<const char*>(data), size}, "run.json");
    if (!run)
        return 0;
    const std::string text = runFileText(run.value().summary, run.value().cost);
    const Result<SavedRun> again = readRunText(text, "run.json");
    if (!again || runFileText(again.value().summary, again.value().cost) != text)
        std::abort();
    static_cast<void>(reportHtml(run.value().summary));
    static_cast<void>(runText(run.value().summary, run.value().cost, RankRows::All));
    return 0;
}
