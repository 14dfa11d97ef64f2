#include "core/platform/fabric/parseline.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/platform/fabric/linetokens.h"
#include "core/platform/presets.h"
#include "core/platform/topologytext.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 4> kLowestLevels{"leaf", "switch", "tor", "edge"};
constexpr std::array<std::string_view, 7> kUpperLevels{"spine", "core", "clos", "aggregation", "agg", "superspine", "top"};

template <std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string text(std::int64_t number) { return std::to_string(number); }

Error asLineError(Error error)
{
    error.code = ErrorCode::Usage;
    error.place.field = "--line" + (error.place.field.empty() ? "" : ' ' + error.place.field);
    return error;
}

Result<std::shared_ptr<const FabricHost>> readPart(const std::string& part)
{
    if (part == "npu" || part == "gpu")
        return std::shared_ptr<const FabricHost>();
    Result<PlatformSpec> spec = PlatformSpec{};
    if (part.find('(') != std::string::npos) {
        spec = parseTopologyText(part, {}, {});
        if (!spec)
            return asLineError(std::move(spec).error());
        spec.value().name = part;
    } else {
        std::vector<std::string_view> names{"npu"};
        std::vector<std::string_view> found;
        for (const PresetInfo& preset : presets()) {
            names.push_back(preset.name);
            if (preset.name == part)
                found = {preset.name};
            else if (preset.name.starts_with(part) && (found.empty() || found.front() != part))
                found.push_back(preset.name);
        }
        // "dgx-a100" is dgx-a100-8, not dgx-a100-pod.
        const auto isSized = [&](std::string_view name) { return name.size() > part.size() + 1 && name[part.size()] == '-' && name.find_first_not_of("0123456789", part.size() + 1) == std::string_view::npos; };
        if (found.size() > 1 && std::count_if(found.begin(), found.end(), isSized) == 1)
            found = {*std::find_if(found.begin(), found.end(), isSized)};
        if (found.size() != 1) {
            return lineError("there is no part " + quotedText(part) + (found.empty() ? didYouMean(part, names) : " (" + text(static_cast<std::int64_t>(found.size())) + " presets start so)"),
                             "npu, a preset (fabricscope-cli presets lists them) or a topology such as Switch(8, 450 GB/s, 1 us)");
        }
        spec = presetPlatform(found.front());
        if (spec)
            spec.value().name = found.front();
    }
    if (!spec)
        return asLineError(std::move(spec).error());
    Result<FabricHost> host = hostOf(spec.value());
    if (!host)
        return asLineError(std::move(host).error());
    if (host.value().npus == 1)
        return std::shared_ptr<const FabricHost>();
    return std::shared_ptr<const FabricHost>(std::make_shared<FabricHost>(std::move(host).value()));
}

FabricLevel levelOf(const LineJoin& join, std::string name = {})
{
    return {std::move(name), join.radix, join.bandwidth, join.latency};
}

/// The numbers of a join as the keys of a family.
Result<FamilyValues> readValues(const FabricFamily& family, const LineJoin& join)
{
    std::vector<std::vector<std::int64_t>> lists(family.keys.size());
    std::vector<bool> given(family.keys.size());
    std::vector<std::string_view> keys;
    for (const FamilyKey& key : family.keys)
        keys.push_back(key.name);
    std::string order;
    for (const std::string_view key : keys)
        order += (order.empty() ? "" : ", ") + std::string(key);
    for (const auto& [word, numbers] : join.keyed) {
        const int key = keyOf(family, word);
        if (key < 0)
            return lineError(std::string(family.name) + " has no key " + quotedText(word) + didYouMean(word, keys), order.empty() ? "none" : order);
        if (given[at(key)])
            return lineError(quotedText(word) + " stands twice", "once");
        const FamilyKey& row = family.keys[at(key)];
        if (numbers.empty() && (row.least > 0 || row.most != 1))
            return lineError("no number follows " + quotedText(word), row.list ? "numbers such as 4,4" : "a number");
        lists[at(key)] = numbers.empty() ? std::vector<std::int64_t>{1} : numbers;
        given[at(key)] = true;
    }
    std::size_t next = 0;
    for (const std::vector<std::int64_t>& numbers : join.numbers) {
        for (std::size_t i = 0; i < numbers.size();) {
            while (next < lists.size() && given[next])
                ++next;
            if (next == lists.size())
                return lineError("more numbers than " + std::string(family.name) + " has keys: " + listText(numbers, ","), order.empty() ? "none" : order);
            given[next] = true;
            if (family.keys[next].list) {
                lists[next].assign(numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers.end());
                break;
            }
            lists[next] = {numbers[i++]};
        }
    }
    return FamilyValues(std::move(lists));
}

/// A number from 1 behind `key`.
Result<std::int64_t> keyed(const LineJoin& join, std::string_view key, std::int64_t otherwise)
{
    for (const auto& [word, numbers] : join.keyed) {
        if (word != key)
            continue;
        if (numbers.size() != 1 || numbers.front() < 1 || numbers.front() > kMaxNpus)
            return lineError(quotedText(word) + " is one number from 1 to " + text(kMaxNpus), std::string(key) + " 16, for example");
        return numbers.front();
    }
    return otherwise;
}

/// Most cables of a level: those of every family are counted in 31 bits.
constexpr std::int64_t kMostCables = INT32_MAX;

/// The least divisor of `number` from `least` on; `least` itself where that is above `number`. In O(sqrt number).
std::int64_t divisorFrom(std::int64_t number, std::int64_t least)
{
    std::int64_t best = std::max(number, least);
    for (std::int64_t d = 1; d * d <= number; ++d) {
        for (const std::int64_t divisor : {d, number / d}) {
            if (number % d == 0 && divisor >= least)
                best = std::min(best, divisor);
        }
    }
    return best;
}

FamilyValues numbers(std::vector<std::vector<std::int64_t>> lists)
{
    return FamilyValues(std::move(lists));
}

/// Levels of a line, one above the other.
class Levels {
public:
    Levels(const FabricLine& line, std::shared_ptr<const FabricHost> host) : m_line(line), m_joins(line.joins) { m_spec.host = std::move(host); }

    Result<FabricSpec> read()
    {
        if (Status status = checkWords(); !status)
            return std::move(status).error();
        for (std::size_t i = 0; i < m_joins.size(); ++i) {
            const bool named = m_joins[i].word != "clos" && m_joins[i].word != "rails" && m_joins[i].word != "rails_only";
            m_spec.levels.push_back(levelOf(m_joins[i], named ? m_joins[i].word : std::string()));
            if (i > 0 && m_spec.levels[i].radix == 0)
                m_spec.levels[i].radix = m_spec.levels[i - 1].radix;
        }
        if (Status status = rails() ? readRails() : readClos(); !status)
            return std::move(status).error();
        return std::move(m_spec);
    }

private:
    bool rails() const { return m_joins.front().word == "rails" || m_joins.front().word == "rails_only"; }
    std::int64_t hostNpus() const { return m_spec.host ? m_spec.host->npus : 1; }
    std::int64_t times(std::size_t join) const { return std::max<std::int64_t>(m_joins[join].times, 1); }

    Status checkWords() const
    {
        static constexpr std::array<std::string_view, 3> kKeys{"up", "switches", "separate"};
        if (m_line.times == 0)
            return lineError("how many " + m_line.part + " does " + m_joins.front().word + " join?", m_line.part + " xN");
        for (std::size_t i = 0; i < m_joins.size(); ++i) {
            const LineJoin& join = m_joins[i];
            if (!join.numbers.empty())
                return lineError("numbers without a key at level " + quotedText(join.word) + ": " + listText(join.numbers.front(), ","), "up N, switches N, Np, a:b or xN");
            if (i == 0 && join.ratio)
                return lineError("an oversubscription at the lowest level", "a:b at the level above");
            // What leads up from the lowest level stands at the level above; only rails have spines of their own, at the level above them.
            const std::span<const std::string_view> keys(kKeys.data(), i == 0 ? 0 : rails() && i == 1 ? 3 : 2);
            for (auto key = join.keyed.begin(); key != join.keyed.end(); ++key) {
                if (std::find(keys.begin(), keys.end(), key->first) == keys.end())
                    return lineError("level " + quotedText(join.word) + " has no key " + quotedText(key->first) + didYouMean(key->first, keys),
                                     i == 0 ? "figures here; up and switches at the level above" : "up, switches, and separate at the level above rails");
                if (std::any_of(join.keyed.begin(), key, [&](const auto& other) { return other.first == key->first; }))
                    return lineError(quotedText(key->first) + " stands twice", "once");
            }
        }
        if (m_joins.back().times > 1)
            return lineError("nothing joins the " + text(m_joins.back().times) + " " + m_joins.back().word, "a join above: / spine");
        return {};
    }

    /// Cables up from a switch with so many down, by `up` or oversubscription of the level above.
    Result<std::int64_t> upOf(std::size_t level, std::int64_t down) const
    {
        const Ratio ratio = m_joins[level].ratio.value_or(Ratio{});
        const Result<std::int64_t> given = keyed(m_joins[level], "up", 0);
        if (!given)
            return given;
        if (given.value() > 0 && m_joins[level].ratio)
            return lineError("up and an oversubscription at " + quotedText(m_joins[level].word), "one of them");
        if (given.value() > 0)
            return given;
        const std::int64_t unit = ratio.down / std::gcd(ratio.down, ratio.up);
        if (down % unit != 0) {
            const std::int64_t below = down / unit * unit;
            return lineError(text(down) + " cables down cannot be " + text(ratio.down) + ":" + text(ratio.up) + " oversubscribed",
                             "a multiple of " + text(unit) + ": " + (below > 0 ? text(below) + " or " : std::string()) + text(below + unit));
        }
        return product({down / unit, ratio.up / std::gcd(ratio.down, ratio.up)});
    }

    /// Refuses what is too much to count; `level` is the first that brings it about.
    Status checkSize(std::size_t level, std::int64_t npus, std::int64_t cables) const
    {
        if (npus > kMaxNpus)
            return lineError("more than " + text(kMaxNpus) + " NPUs with " + quotedText(m_joins[level].word), "fewer");
        if (cables > kMostCables)
            return lineError("more than " + text(kMostCables) + " cables at " + quotedText(m_joins[level].word), "fewer up");
        return {};
    }

    /// `separate` of the level above rails: alone or 1, or 0. `otherwise`: where it does not stand there.
    Result<bool> isSeparate(bool otherwise) const
    {
        for (const auto& [word, numbers] : m_joins[1].keyed) {
            if (word != "separate")
                continue;
            if (numbers.size() > 1 || (numbers.size() == 1 && numbers.front() > 1))
                return lineError("\"separate\" is not " + listText(numbers, ","), "separate, or separate 0");
            return numbers.empty() || numbers.front() == 1;
        }
        return otherwise;
    }

    /// Ports of a switch of a level that lead down, when it leads up as the oversubscription of the next level says.
    std::int64_t downPorts(std::size_t level) const
    {
        const std::int64_t radix = m_spec.levels[level].radix;
        if (level + 1 >= m_joins.size() || m_joins[level + 1].keyed.end() != std::find_if(m_joins[level + 1].keyed.begin(), m_joins[level + 1].keyed.end(), [](const auto& key) { return key.first == "up"; }))
            return radix;
        const Ratio ratio = m_joins[level + 1].ratio.value_or(Ratio{});
        return std::max<std::int64_t>(radix * ratio.down / (ratio.down + ratio.up), 1);
    }

    Result<std::int64_t> switchesOf(std::size_t level, std::int64_t cables) const
    {
        const Result<std::int64_t> given = keyed(m_joins[level], "switches", 0);
        if (!given || given.value() > 0)
            return given;
        if (m_spec.levels[level].radix == 0)
            return lineError("how many switches has " + quotedText(m_joins[level].word) + "?", "ports of its switches, such as 64p, or switches N");
        const std::int64_t down = downPorts(level);
        return (cables + down - 1) / down;
    }

    /// Most of the part that switches of `radix` ports take with what leads up; `each`: ports of one.
    std::int64_t mostFitting(std::int64_t radix, std::int64_t each) const
    {
        if (m_joins.size() < 2)
            return radix / each;
        if (const Result<std::int64_t> up = keyed(m_joins[1], "up", 0); up && up.value() > 0)
            return std::max<std::int64_t>(radix - up.value(), 0) / each;
        const Ratio ratio = m_joins[1].ratio.value_or(Ratio{});
        const std::int64_t unit = ratio.down / std::gcd(ratio.down, ratio.up);
        const std::int64_t step = unit / std::gcd(unit, each); // so that the cables up are a whole number
        return radix * ratio.down / (ratio.down + ratio.up) / each / step * step;
    }

    /// The lowest switches must have ports for what is below and above; `each`: ports that one more of the part takes.
    Status checkLowest(std::int64_t down, std::int64_t up, std::int64_t each) const
    {
        const std::int64_t radix = m_spec.levels.front().radix;
        if (radix == 0 || down + up <= radix)
            return {};
        const std::int64_t fitting = mostFitting(radix, each);
        std::string expected = fitting > 0 ? "at most " + m_line.part + " x" + text(fitting) : std::string();
        if (down + up <= kMaxNpus)
            expected += (expected.empty() ? "" : ", or ") + ("switches of " + text(down + up)) + " ports";
        return lineError("a " + quotedText(m_joins.front().word) + " needs " + text(down) + " ports down and " + text(up) + " up, of " + text(radix),
                         expected.empty() ? "fewer up, or switches of more ports" : expected);
    }

    Status readRails()
    {
        const std::int64_t hosts = m_line.times;
        const std::int64_t rails = hostNpus();
        if (m_joins.size() == 1 || m_joins.front().word == "rails_only") {
            if (m_joins.size() > 1)
                return lineError("rails_only has no level above, but " + quotedText(m_joins[1].word) + " stands there", "rails, or no level above");
            m_spec.family = &railOnlyFamily();
            m_spec.values = numbers({{hosts}, {rails}});
            if (Status status = checkSize(0, product({hosts, rails}), 0); !status)
                return status;
            return checkLowest(hosts, 0, 1);
        }
        if (m_joins.size() > 3)
            return lineError(text(static_cast<std::int64_t>(m_joins.size())) + " levels above rails", "spine, or spine and core");
        const bool core = m_joins.size() == 3;
        const Result<bool> asked = isSeparate(core);
        if (!asked)
            return asked.error();
        const bool separate = asked.value();
        const std::int64_t pods = core ? times(1) : 1;
        const std::int64_t units = product({times(0), pods});
        if (Status status = checkSize(0, product({units, hosts, rails}), 0); !status)
            return status;
        const Result<std::int64_t> up = upOf(1, hosts);
        if (!up)
            return up.error();
        if (Status status = checkSize(1, 0, product({units, rails, up.value()})); !status)
            return status;
        if (Status status = checkLowest(hosts, up.value(), 1); !status)
            return status;
        const std::int64_t sets = pods * (separate ? rails : 1);
        const std::int64_t leaves = units * rails / sets; // of a set
        const Result<std::int64_t> counted = switchesOf(1, product({leaves, up.value()}));
        if (!counted)
            return counted.error();
        const bool given = !m_joins[1].keyed.empty() && keyed(m_joins[1], "switches", 0).value() > 0;
        const std::int64_t spines = given ? counted.value() : product({counted.value(), sets});
        m_spec.family = &railsFamily();
        std::vector<std::vector<std::int64_t>> values{{units}, {hosts}, {rails}, {spines}, {up.value()}, {separate ? 1 : 0}};
        if (core) {
            const std::int64_t down = (product({leaves, up.value(), sets}) + spines - 1) / spines;
            const Result<std::int64_t> coreUp = upOf(2, down);
            if (!coreUp)
                return coreUp.error();
            if (Status status = checkSize(2, 0, product({spines, coreUp.value()})); !status)
                return status;
            const Result<std::int64_t> cores = switchesOf(2, product({spines, coreUp.value()}));
            if (!cores)
                return cores.error();
            values.insert(values.end(), {{pods}, {cores.value()}, {coreUp.value()}});
        }
        m_spec.values = FamilyValues(std::move(values));
        return {};
    }

    Status readClos()
    {
        const std::int64_t down = product({m_line.times, hostNpus()});
        if (Status status = checkSize(0, down, 0); !status)
            return status;
        if (m_joins.size() == 1) {
            m_spec.family = &switchFamily();
            m_spec.values = numbers({{down}});
            return checkLowest(down, 0, hostNpus());
        }
        std::int64_t ports = down; // of a switch below, towards the NPUs
        std::vector<std::int64_t> m{down};
        std::vector<std::int64_t> w{1};
        std::vector<std::int64_t> p{1};
        std::int64_t sets = 1; // switches of the level below that stand side by side in one of its units
        for (std::size_t level = 1; level < m_joins.size(); ++level) {
            const Result<std::int64_t> up = upOf(level, ports);
            if (!up)
                return up.error();
            if (Status status = level == 1 ? checkLowest(down, up.value(), hostNpus()) : Status(); !status)
                return status;
            const std::int64_t units = times(level - 1);
            m.push_back(units);
            if (Status status = checkSize(level, product(m), product({units, sets, up.value()})); !status)
                return status;
            const Result<std::int64_t> counted = switchesOf(level, product({units, up.value()}));
            if (!counted)
                return counted.error();
            std::int64_t parents = counted.value(); // of one lower switch
            if (level > 1) {
                const Result<std::int64_t> given = keyed(m_joins[level], "switches", 0);
                if (!given)
                    return given.error();
                if (given.value() % sets != 0)
                    return lineError(text(given.value()) + " switches at " + quotedText(m_joins[level].word) + " for " + text(sets) + " planes below", "a multiple of " + text(sets));
                if (given.value() > 0)
                    parents = given.value() / sets;
            }
            if (m_joins.size() == 2) {
                m_spec.family = &leafSpineFamily();
                m_spec.values = numbers({{units}, {down}, {parents}, {up.value()}});
                return {};
            }
            const std::int64_t wanted = parents;
            parents = divisorFrom(up.value(), parents);
            if (up.value() % parents != 0 || (wanted != parents && keyed(m_joins[level], "switches", 0).value() > 0)) {
                return lineError(text(up.value()) + " cables up do not divide among " + text(wanted) + " switches at " + quotedText(m_joins[level].word),
                                 "a divisor of " + text(up.value()) + ", or switches of more ports");
            }
            w.push_back(parents);
            p.push_back(up.value() / parents);
            ports = units * p.back();
            sets = product({sets, parents});
            if (Status status = checkSize(level, 0, sets); !status)
                return status;
        }
        m_spec.family = &closFamily();
        m_spec.values = numbers({std::move(m), std::move(w), std::move(p)});
        return {};
    }

    const FabricLine& m_line;
    const std::vector<LineJoin>& m_joins;
    FabricSpec m_spec;
};

Result<FabricSpec> readFamily(const FabricLine& line, const FabricFamily& family, std::shared_ptr<const FabricHost> host)
{
    const LineJoin& join = line.joins.front();
    if (line.joins.size() > 1)
        return lineError(quotedText(line.joins[1].word) + " stands above " + std::string(family.name) + ", which joins everything itself", "rails or leaf as the lowest of several levels");
    if (join.ratio)
        return lineError(std::string(family.name) + " knows no oversubscription a:b", "its numbers");
    if (join.times > 1)
        return lineError("nothing joins the " + text(join.times) + " " + join.word, "one");
    Result<FamilyValues> values = readValues(family, join);
    if (!values)
        return std::move(values).error();
    const std::int64_t given = line.times == 0 ? 0 : product({line.times, host ? host->npus : 1});
    if (given > 0 && !family.keys.empty() && family.keys[0].name == "size" && !values.value().has(0)) {
        // Where switches have NPUs each the size is that of switches.
        const int key = keyOf(family, "npus");
        const std::int64_t each = key < 0 ? 1 : values.value().one(at(key), 1);
        if (each > 0 && given % each == 0)
            values.value().set(0, {given / each});
    }
    FabricSpec spec{&family, std::move(values).value(), std::move(host), {levelOf(join)}};
    if (Status status = checkFamilyValues(family, spec.values); !status)
        return asLineError(std::move(status).error());
    if (const std::int64_t npus = family.plan(spec.values).npus; given > 0 && npus != given) {
        const std::int64_t each = spec.host ? spec.host->npus : 1;
        return lineError(std::string(family.name) + " of these numbers has " + text(npus) + " NPUs, but the line says " + text(given),
                         (npus % each == 0 ? "x" + text(npus / each) + ", or " : std::string()) + "no number of " + line.part);
    }
    return spec;
}

} // namespace

Result<FabricSpec> parseFabricLine(std::string_view line)
{
    const Result<FabricLine> tokens = tokenizeFabricLine(line);
    if (!tokens)
        return tokens.error();
    auto host = readPart(tokens.value().part);
    if (!host)
        return std::move(host).error();
    const LineJoin& lowest = tokens.value().joins.front();
    const bool numbered = !lowest.numbers.empty() || !lowest.keyed.empty();
    const bool isRails = lowest.word == "rails" || lowest.word == "rails_only";
    std::vector<std::string_view> words(kLowestLevels.begin(), kLowestLevels.end());
    for (const FabricFamily* family : fabricFamilies())
        words.push_back(family->name);
    if (isRails || isOneOf(lowest.word, kLowestLevels)) {
        // "rails 2,2,2,2,2" and "switch 72 planes 18" are families with their numbers, "rails" and "switch 64p" levels.
        if (!(numbered && fabricFamily(lowest.word))) {
            for (std::size_t i = 1; i < tokens.value().joins.size(); ++i) {
                if (const std::string& word = tokens.value().joins[i].word; !isOneOf(word, kUpperLevels))
                    return lineError(quotedText(word) + " does not join what is below" + didYouMean(word, kUpperLevels), "spine, core or clos");
            }
            auto spec = Levels(tokens.value(), std::move(host).value()).read();
            if (!spec)
                return spec;
            if (Status status = checkFamilyValues(*spec.value().family, spec.value().values); !status)
                return asLineError(std::move(status).error());
            return spec;
        }
    }
    const FabricFamily* const family = fabricFamily(lowest.word);
    if (!family)
        return lineError("there is no join " + quotedText(lowest.word) + didYouMean(lowest.word, words), "a family (fabricscope-cli fabric lists them), rails or leaf");
    return readFamily(tokens.value(), *family, std::move(host).value());
}

} // namespace fabricscope
