#include "core/platform/fabric/family.h"

#include <algorithm>
#include <array>
#include <limits>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostProduct = std::int64_t{1} << 62;

std::string withUnderscores(std::string_view name)
{
    std::string out(name);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

} // namespace

void FamilyValues::set(std::size_t key, std::vector<std::int64_t> numbers)
{
    if (m_lists.size() <= key)
        m_lists.resize(key + 1);
    m_lists[key] = std::move(numbers);
}

std::span<const FabricFamily* const> fabricFamilies()
{
    static const std::array<const FabricFamily*, 20> all{
        &ringFamily(), &torusFamily(), &meshFamily(), &hypercubeFamily(), &fullFamily(), &switchFamily(), &leafSpineFamily(), &closFamily(), &fatTreeFamily(), &railsFamily(),
        &railOnlyFamily(), &dragonflyFamily(), &dragonflyPlusFamily(), &hyperxFamily(), &expanderFamily(), &slimFlyFamily(), &tpuV4Family(), &twistedTorusFamily(),
        &cubeMeshFamily(), &nvl72Family()};
    return all;
}

const FabricFamily* fabricFamily(std::string_view name)
{
    const std::string wanted = withUnderscores(name);
    for (const FabricFamily* family : fabricFamilies()) {
        if (family->name == wanted)
            return family;
    }
    return nullptr;
}

int keyOf(const FabricFamily& family, std::string_view key)
{
    const std::string wanted = withUnderscores(key);
    for (std::size_t i = 0; i < family.keys.size(); ++i) {
        if (family.keys[i].name == wanted)
            return static_cast<int>(i);
    }
    return -1;
}

Error familyError(const FabricFamily& family, std::string_view key, std::string message, std::string expected)
{
    Place place;
    place.field = std::string(family.name) + (key.empty() ? "" : ".") + std::string(key);
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

Status checkFamilyValues(const FabricFamily& family, const FamilyValues& values)
{
    for (std::size_t i = 0; i < family.keys.size(); ++i) {
        const FamilyKey& key = family.keys[i];
        const std::string range = std::to_string(key.least) + " to " + std::to_string(key.most);
        if (!values.has(i)) {
            if (key.usual.empty())
                return familyError(family, key.name, "missing: " + std::string(key.meaning), key.list ? "numbers of " + range : range);
            continue;
        }
        if (!key.list && values.list(i).size() != 1)
            return familyError(family, key.name, std::to_string(values.list(i).size()) + " numbers", "one number of " + range);
        if (values.list(i).size() > 64)
            return familyError(family, key.name, std::to_string(values.list(i).size()) + " numbers", "at most 64");
        for (const std::int64_t number : values.list(i)) {
            if (number < key.least || number > key.most)
                return familyError(family, key.name, std::to_string(number) + " is outside of " + range, "the nearest is " + std::to_string(std::clamp(number, key.least, key.most)));
        }
    }
    return family.check(values);
}

std::int64_t product(std::span<const std::int64_t> factors)
{
    WideCount out = 1;
    for (const std::int64_t factor : factors)
        out = std::min<WideCount>(out * factor, kMostProduct);
    return static_cast<std::int64_t>(out);
}

std::int64_t product(std::initializer_list<std::int64_t> factors)
{
    return product(std::span<const std::int64_t>(factors.begin(), factors.size()));
}

std::optional<std::int64_t> exactProduct(std::span<const std::int64_t> factors)
{
    WideCount out = 1;
    for (const std::int64_t factor : factors) {
        out *= factor;
        if (out > std::numeric_limits<std::int64_t>::max())
            return std::nullopt;
    }
    return static_cast<std::int64_t>(out);
}

std::optional<std::int64_t> multinomial(std::span<const std::int64_t> parts, std::int64_t factor)
{
    // Each step is a whole number: a binomial coefficient of what was placed so far.
    WideCount out = factor;
    std::int64_t placed = 0;
    for (const std::int64_t part : parts) {
        for (std::int64_t i = 1; i <= part; ++i) {
            ++placed;
            if (out > (WideCount{1} << 64))
                return std::nullopt;
            out = out * placed / i;
        }
    }
    if (out > std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    return static_cast<std::int64_t>(out);
}

std::string counted(std::int64_t number, std::string_view one)
{
    return std::to_string(number) + ' ' + std::string(one) + (number == 1 ? "" : one.ends_with("ch") ? "es" : "s");
}

std::string listText(std::span<const std::int64_t> numbers, std::string_view between)
{
    std::string out;
    for (const std::int64_t number : numbers)
        out += (out.empty() ? "" : std::string(between)) + std::to_string(number);
    return out;
}

} // namespace fabricscope
