#include "app/cli/values.h"

#include "app/cli/runflags.h"
#include "core/base/nearestword.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace fabricscope::cli {

namespace {

std::vector<std::string_view> namesOf(std::span<const CollectiveOp> ops)
{
    std::vector<std::string_view> names;
    for (const CollectiveOp op : ops)
        names.push_back(collectiveKey(op));
    return names;
}

} // namespace

std::string withDecimals(double value, int digits)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string counted(std::int64_t count, std::string_view what)
{
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::vector<std::string> commaSeparated(const std::string& text)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string part = text.substr(begin, end - begin);
        part.erase(0, part.find_first_not_of(" \t"));
        part.erase(part.find_last_not_of(" \t") + 1);
        parts.push_back(std::move(part));
        begin = end + 1;
    }
    return parts;
}

std::span<const CollectiveOp> everyCollective()
{
    static constexpr auto kAll = [] {
        std::array<CollectiveOp, kCollectiveKeys.size()> all{};
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = kCollectiveKeys[i].second;
        return all;
    }();
    return kAll;
}

std::string collectiveList(std::span<const CollectiveOp> ops)
{
    return listedWords(namesOf(ops), "or");
}

Result<CollectiveOp> collectiveNamed(const std::string& name, const std::string& option, std::span<const CollectiveOp> taken)
{
    const std::optional<CollectiveOp> op = valueMeant(kCollectiveKeys, name);
    if (op && std::find(taken.begin(), taken.end(), *op) != taken.end())
        return *op;
    return usageError("there is no collective \"" + name + '"' + didYouMean(name, namesOf(taken)), option, collectiveList(taken));
}

} // namespace fabricscope::cli
