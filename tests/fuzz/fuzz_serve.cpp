#include "core/serve/clientrequest.h"
#include "core/serve/linesplitter.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

using namespace fabricscope;

namespace {

using Lines = std::vector<std::pair<std::string, bool>>;

Lines linesOf(std::string_view text, std::size_t most, std::size_t piece)
{
    LineSplitter splitter(most);
    Lines lines;
    const auto take = [&](std::string line, bool whole) { lines.emplace_back(std::move(line), whole); };
    for (std::size_t at = 0; at < text.size(); at += piece)
        splitter.add(text.substr(at, piece), take);
    splitter.finish(take);
    return lines;
}

void check(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

/// Lines are the same however their bytes arrive; what is understood can be started and stays in its folder; what is refused says so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    constexpr std::size_t kShort = 24;
    check(linesOf(text, kShort, 1) == linesOf(text, kShort, size + 1));
    for (const auto& [line, whole] : linesOf(text, size, 5)) {
        check(whole && line.find('\n') == std::string::npos);
        const RequestLine read = parseRequestLine(line);
        check(!read.id.empty());
        if (!read.request) {
            check(!read.request.error().message.empty());
            continue;
        }
        const ClientRequest& request = read.request.value();
        check((request.method == "cancel") == !request.cancels.empty());
        for (const std::string& argument : request.arguments)
            check(argument.find('\0') == std::string::npos && argument != "--json");
        for (const RequestFile& file : request.files)
            check(!file.name.empty() && file.name.front() != '/' && ("/" + file.name + '/').find("/../") == std::string::npos);
    }
    return 0;
}
