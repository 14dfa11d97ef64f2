#pragma once

// One program holds all tests of a folder: linking the libraries into a program for each of two hundred tests took more time and disk than
// compiling them. A test is run by name: tests_sim tst_engines [FUNCTION[:ROW]] [QtTest's options].
#include <QtTest/QtTest>

namespace fabricscope::test {

using RunTest = int (*)(int argc, char** argv);

/// A test of this program, under the name of its source without folder and ending. Made before main() begins.
class Registered
{
public:
    /// \param file path of its source: __FILE__
    Registered(const char* file, RunTest run);
};

/// Runs the functions of `Test` with an application of its own. \returns the number of those that failed.
template <typename Test, typename Application = QCoreApplication>
int runTest(int argc, char** argv)
{
    const Application application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace fabricscope::test

/// At the end of the source of a test: its functions are those of `Class`.
#define FABRICSCOPE_TEST(Class) static const fabricscope::test::Registered registered##Class(__FILE__, &fabricscope::test::runTest<Class>);

/// The same for a test with widgets.
#define FABRICSCOPE_GUI_TEST(Class) \
    static const fabricscope::test::Registered registered##Class(__FILE__, &fabricscope::test::runTest<Class, QApplication>);

/// The same for a test whose program begins in its own way: `function(argc, argv)`, as main() would be.
#define FABRICSCOPE_TEST_BEGINS(function) static const fabricscope::test::Registered registered##function(__FILE__, &(function));
