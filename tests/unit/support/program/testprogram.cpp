#include "tests/unit/support/testprogram.h"

#include <cstdio>
#include <map>
#include <string>

namespace fabricscope::test {
namespace {

std::map<std::string, RunTest, std::less<>>& tests()
{
    static std::map<std::string, RunTest, std::less<>> all;
    return all;
}

} // namespace

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
    // The test sees what a program of its own would.
    argv[1] = argv[0];
    return test->second(argc - 1, argv + 1);
}
