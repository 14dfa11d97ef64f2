#pragma once

// One program holds all tests of a folder: linking the libraries into a program for each of two hundred tests took more time and disk than
// compiling them. A test is run by name: tests_sim tst_engines [FUNCTION[:ROW]] [QtTest's options].
#include <QtTest/QtTest>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::test {

using RunTest = int (*)(int argc, char** argv);

/// A test of this program, under the name of its source without folder and ending. Made before main() begins.
class Registered
{
public:
    /// \param file path of its source: __FILE__
    Registered(const char* file, RunTest run);
};

/// The functions of a test without those of kLongOnly; none where there is none to leave out, or what is given on the command line names a function.
/// \param functions all of the test
/// \param given without the name of the program: functions, as FUNCTION or FUNCTION:ROW, and options of QtTest
std::optional<std::vector<std::string>> withoutLongOnly(std::string_view test, const std::vector<std::string>& functions, std::span<const std::string> given);

/// What a test is given on its command line; built for a sanitizer, and without FABRICSCOPE_LONG, what withoutLongOnly() leaves besides.
class Arguments
{
public:
    Arguments(int argc, char** argv, const QMetaObject& test);

    /// Is there nothing left to run?
    bool nothing() const { return m_nothing; }
    int count() const { return static_cast<int>(m_pointers.size()) - 1; }
    char** values() { return m_pointers.data(); }

private:
    std::vector<std::string> m_texts;
    std::vector<char*> m_pointers; ///< Into the texts, and a null at the end.
    bool m_nothing = false;
};

/// Runs the functions of `Test` with an application of its own. \returns the number of those that failed.
template <typename Test, typename Application = QCoreApplication>
int runTest(int argc, char** argv)
{
    const Application application(argc, argv);
    Arguments arguments(argc, argv, Test::staticMetaObject);
    Test test;
    return arguments.nothing() ? 0 : QTest::qExec(&test, arguments.count(), arguments.values());
}

} // namespace fabricscope::test

/// At the end of the source of a test: its functions are those of `Class`.
#define FABRICSCOPE_TEST(Class) static const fabricscope::test::Registered registered##Class(__FILE__, &fabricscope::test::runTest<Class>);

/// The same for a test with widgets.
#define FABRICSCOPE_GUI_TEST(Class) \
    static const fabricscope::test::Registered registered##Class(__FILE__, &fabricscope::test::runTest<Class, QApplication>);

/// The same for a test whose program begins in its own way: `function(argc, argv)`, as main() would be.
#define FABRICSCOPE_TEST_BEGINS(function) static const fabricscope::test::Registered registered##function(__FILE__, &(function));
