#include "app/cli/shared/commandset.h"
#include "app/cli/interrupt.h"
#include "app/cli/memorynet.h"
#include "app/cli/outputs.h"
#include "app/cli/session.h"
#include "core/run/memorylimit.h"

#include <memory>
#include <new>

namespace {

int runSession(int argc, char** argv)
{
    fabricscope::cli::guardStreams();
    const auto outputs = std::make_shared<fabricscope::OutputFiles>();
    fabricscope::cli::Interrupt interrupt(outputs);
    fabricscope::cli::Session session(interrupt.token(), outputs, fabricscope::cli::streamsOfProgram(interrupt));
    fabricscope::enforceDefaultMemoryLimit();
    fabricscope::cli::runArguments({argv, argv + argc}, session);
    return session.exit();
}

} // namespace

int main(int argc, char** argv)
{
    fabricscope::cli::spreadMemoryNet();
    try {
        return runSession(argc, argv);
    } catch (const std::bad_alloc&) {
        fabricscope::cli::sayOutOfMemory();
        return fabricscope::exitCode(fabricscope::ErrorCode::MemoryLimit);
    }
}
