#include "tests/unit/support/testprogram.h"

#include "tests/unit/support/longonly.h"
#include "tests/unit/support/sanitized.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace fabricscope::test {
namespace {

std::map<std::string, RunTest, std::less<>>& tests()
{
    static std::map<std::string, RunTest, std::less<>> all;
    return all;
}

/// The test that main() runs.
std::string& running()
{
    static std::string name;
    return name;
}

/// The functions of a test that QtTest runs, as it tells them: private slots without parameters that are not called for others.
std::vector<std::string> functionsOf(const QMetaObject& test)
{
    static const std::set<std::string, std::less<>> kCalled{"initTestCase", "cleanupTestCase", "init", "cleanup"};
    std::vector<std::string> functions;
    for (int i = test.methodOffset(); i < test.methodCount(); ++i) {
        const QMetaMethod method = test.method(i);
        const std::string name = method.name().toStdString();
        if (method.methodType() == QMetaMethod::Slot && method.access() == QMetaMethod::Private && method.parameterCount() == 0
            && !name.ends_with("_data") && !kCalled.contains(name))
            functions.push_back(name);
    }
    return functions;
}

} // namespace

std::optional<std::vector<std::string>> withoutLongOnly(std::string_view test, const std::vector<std::string>& functions, std::span<const std::string> given)
{
    const auto named = [&](const std::string& text) { return std::find(functions.begin(), functions.end(), text.substr(0, text.find(':'))) != functions.end(); };
    std::vector<std::string> left = functions;
    for (const LongOnly& row : kLongOnly) {
        if (test == row.test)
            std::erase(left, row.function);
    }
    if (left.size() == functions.size() || std::any_of(given.begin(), given.end(), named))
        return std::nullopt;
    return left;
}

Arguments::Arguments(int argc, char** argv, const QMetaObject& test) : m_texts(argv, argv + argc)
{
    const std::vector<std::string> all = functionsOf(test);
    const auto left = withoutLongOnly(running(), all, std::span(m_texts).subspan(1));
    if (left && kSanitized && !std::getenv("FABRICSCOPE_LONG")) {
        std::fprintf(stderr, "%zu of %zu functions run only with FABRICSCOPE_LONG\n", all.size() - left->size(), all.size());
        m_texts.insert(m_texts.end(), left->begin(), left->end());
        m_nothing = left->empty();
    }
    for (std::string& text : m_texts)
        m_pointers.push_back(text.data());
    m_pointers.push_back(nullptr);
}

Registered::Registered(const char* file, RunTest run)
{
    std::string name(file);
    name.erase(0, name.rfind('/') + 1);
    name.erase(name.rfind('.'));
    tests().emplace(std::move(name), run);
}

} // namespace fabricscope::test

int main(int argc, char** argv)
{
    const auto& tests = fabricscope::test::tests();
    const auto test = argc > 1 ? tests.find(std::string_view(argv[1])) : tests.end();
    if (test == tests.end()) {
        std::fprintf(stderr, "%s: the name of a test is expected first, of:\n", argv[0]);
        for (const auto& [name, run] : tests)
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    fabricscope::test::running() = test->first;
    // The test sees what a program of its own would.
    argv[1] = argv[0];
    return test->second(argc - 1, argv + 1);
}
