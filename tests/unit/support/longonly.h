#pragma once

namespace fabricscope::test {

/// A function of a test that runs under sanitizers only with FABRICSCOPE_LONG (packaging/test --long).
struct LongOnly {
    const char* test;
    const char* function;
    const char* why; ///< Where the code it runs also runs under sanitizers, in fewer or smaller cases.
};

/// What asks nothing of memory or threads that other tests do not ask. Optimised it always runs. Whole tests are left out by their label "heavy"
/// (tests/unit/CMakeLists.txt), random cases by cases(), moments of a stop by checkEveryMoment(). Sorted by test.
constexpr LongOnly kLongOnly[] = {
    {"tst_cli_kinds", "aFileIsReadOrNamed", "every command with every kind of file is hundreds of programs; the readers behind them run in one in tst_openinput and tst_programforms"},
    {"tst_cli_outputs", "noOutputReplacesAnInput", "a hundred programs, one for each pair of files; tst_outputnames compares such names in one"},
    {"tst_fabric", "figuresAreThoseOfBruteForce", "a table of large fabrics; arithmeticIsWhatTheCablesSay has the same figures of smaller ones"},
    {"tst_leasttime", "noRunBeatsItsBound", "many runs for their times; boundsChangeNoChoice finds bounds and runs candidates in fewer"},
    {"tst_moe_example", "aPoolBehindNarrowSwitchesIsAsFastAsTheSwitches", "an example at its full size; tst_memory_remote has the same pools with few NPUs"},
    {"tst_moe_example", "exposedTimesFollowTheBandwidthOfTheMemory", "as the other"},
    {"tst_programtraces_run", "generatorsTakeTheSameTime", "templates, random programs and the corpus are written, read and run alike in its other functions"},
    {"tst_window_settings", "everySettingAtOtherScales", "the same once more in a program at another scale, which is Qt's; at 1 every setting runs"},
};

} // namespace fabricscope::test
