#pragma once

#include "app/cli/interrupt.h"
#include "app/cli/output/progressteller.h"
#include "core/base/error.h"
#include "core/base/files/outputfiles.h"
#include "core/base/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

class Command;
class Interrupt;
class Option;

/// Where a session puts what it says.
struct SessionStreams {
    std::function<int(std::string_view)> print;       ///< Takes the result; 0, or the error number.
    std::function<void(std::string_view)> say;        ///< Takes messages: lines with their ends. From any thread.
    std::function<void()> allowBestSoFar = [] {};     ///< From here on a stop may take longer.
    std::function<void(std::string)> answerWith = [](const std::string&) {}; ///< Takes the answer of a session that is ended from outside.
    std::function<bool()> takeAnswer = [] { return true; };                  ///< False: that one has been given.
    bool ownsProcess = false;                         ///< The process runs this session only: its limits may be set.
};

/// Those of the program: standard output and error. \pre `interrupt` outlives them
SessionStreams streamsOfProgram(Interrupt& interrupt);

/// What all subcommands share: the output streams and files, the stop token and the exit code. Lives in main().
class Session {
public:
    Session(std::stop_token stop, std::shared_ptr<OutputFiles> outputs, SessionStreams streams);

    /// A result: collected, printed by finish().
    void print(std::string_view text)
    {
        if (!m_leaveOutput)
            m_output += text;
    }
    /// From now on nothing is printed: a file is written to stdout instead.
    void leaveOutput();
    bool ownsProcess() const { return m_streams.ownsProcess; }
    /// From here on a stop leads to the best so far, which finish() prints although it was stopped.
    void allowBestSoFar();
    /// From now on what fails is also said as JSON on stdout, where there is no result (manual: json 2).
    void answerAsJson();
    /// Output files: written there, and given their names by finish().
    OutputFiles* outputs() { return m_outputs.get(); }
    /// From now on only errors are said: no warnings, notes or progress.
    void beQuiet();
    /// A message: to stderr at once, one line.
    void say(std::string_view message);
    /// The same for what is wrong: also when quiet.
    void sayError(std::string_view message);
    /// How far the command is; any thread.
    ProgressTeller& progress() { return m_progress; }
    /// "error: ..." to stderr; sets the exit code that belongs to it (manual: json 2).
    void fail(const Error& error);
    void fail(const Status& status)
    {
        if (!status)
            fail(status.error());
    }
    /// The same for what ran out of memory before it was done: needs no memory.
    void failForMemory() noexcept;
    /// Every error and warning to stderr; true when there is an error among them, which sets exit code 2.
    bool failOn(const Diagnostics& diagnostics);

    void setExit(int code) { m_exit = code; }
    /// The end of every command. Writes what was printed and gives the output files their names; exit code 5 when one of them cannot take it.
    /// Told to stop before that, it does neither (but see allowBestSoFar()): exit code 4. After want of memory neither too: exit code 6.
    void finish();
    int exit() const { return m_exit; }
    std::stop_token stopToken() const { return m_stop; }
    std::int64_t elapsedMicroseconds() const;

private:
    void writeFailure() const;

    std::stop_token m_stop;
    std::shared_ptr<OutputFiles> m_outputs;
    SessionStreams m_streams;
    std::string m_output;
    std::string m_failure; ///< As JSON; empty: none, or none is wanted.
    ProgressTeller m_progress;
    bool m_json = false;
    bool m_quiet = false;
    bool m_leaveOutput = false;
    bool m_bestSoFar = false;
    int m_exit = 0;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

/// Subcommands; each adds itself to the program and runs in its callback.
void addSimulate(Command& program, Session& session);    // simulatecommand.cpp
void addCollective(Command& program, Session& session);  // collectivecommand.cpp
void addLint(Command& program, Session& session);        // lintcommand.cpp
void addConvert(Command& program, Session& session);     // convertcommand.cpp
void addReport(Command& program, Session& session);      // reportcommand.cpp
void addCompare(Command& program, Session& session);     // comparecommand.cpp
void addExplain(Command& program, Session& session);     // explaincommand.cpp
void addFabric(Command& program, Session& session);      // fabriccommand.cpp
void addPlan(Command& program, Session& session);        // plancommand.cpp
void addGenerate(Command& program, Session& session);    // generatecommand.cpp
void addModel(Command& program, Session& session);       // modelcommand.cpp
void addProgram(Command& program, Session& session);     // programcommand.cpp
void addShard(Command& program, Session& session);       // shardcommand.cpp
void addPresets(Command& program, Session& session);     // presetscommand.cpp
void addExamples(Command& program, Session& session);    // examplescommand.cpp
void addManual(Command& program, Session& session);      // manualcommand.cpp
void addAstra(Command& program, Session& session);       // astracommand.cpp
void addStudy(Command& program, Session& session);       // explore/studycommand.cpp
void addCase(Command& program, Session& session);        // explore/casecommand.cpp
void addSchema(Command& program, Session& session);      // clients/schemacommand.cpp
void addServe(Command& program, Session& session);       // clients/servecommand.cpp
void addCompletion(Command& program, Session& session);  // clients/completioncommand.cpp
void addStep(Command& program, Session& session);        // stepcommand.cpp
void addSubsets(Command& program, Session& session);     // subsetscommand.cpp
void addSynthesize(Command& program, Session& session);  // synthesizecommand.cpp
void addTransform(Command& program, Session& session);   // transformcommand.cpp
void addTune(Command& program, Session& session);        // tunecommand.cpp
void addPlace(Command& program, Session& session);        // placecommand.cpp
void addVerify(Command& program, Session& session);      // verifycommand.cpp

/// `astra` with ASTRA-sim's own options, which no other parser may see. `program`: argv[0], whose name may choose the back end. In astracommand.cpp.
void runAstra(const std::string& program, const std::vector<std::string>& arguments, Session& session);

} // namespace fabricscope::cli
