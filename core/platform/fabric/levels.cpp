// Levels of a fabric, one above the other: rails or leaves, spines, cores.
#include "core/platform/fabric/levels.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/platform/families/clos.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace fabricscope {

namespace {

std::string digits(std::int64_t number) { return std::to_string(number); }

/// A number from 1 behind `key`.
Result<std::int64_t> keyed(const FabricJoin& join, std::size_t level, std::string_view key, std::int64_t otherwise)
{
    for (const auto& [word, numbers] : join.keyed) {
        if (word != key)
            continue;
        if (numbers.size() != 1 || numbers.front() < 1 || numbers.front() > kMaxNpus)
            return levelError(level, key, quotedText(word) + " is one number from 1 to " + digits(kMaxNpus), std::string(key) + " 16, for example");
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

/// Numbers that errors may advise are tried: so many of each kind.
constexpr int kMostTries = 24;

/// Levels of a line, one above the other.
class Levels {
public:
    /// \param advises errors name numbers that would do, which are tried first.
    Levels(const FabricForm& line, std::shared_ptr<const FabricHost> host, bool advises = true) : m_line(line), m_joins(line.joins), m_advises(advises) { m_spec.host = std::move(host); }

    Result<FabricSpec> read()
    {
        if (Status status = checkWords(); !status)
            return std::move(status).error();
        for (std::size_t i = 0; i < m_joins.size(); ++i) {
            const bool named = m_joins[i].word != "clos" && m_joins[i].word != "rails" && m_joins[i].word != "rails_only";
            m_spec.levels.push_back(fabricLevelOf(m_joins[i]));
            if (m_spec.levels[i].name.empty() && named)
                m_spec.levels[i].name = m_joins[i].word;
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

    /// The line with `change` made to it is a fabric.
    template <typename Change>
    bool wouldDo(const Change& change) const
    {
        if (!m_advises)
            return false;
        FabricForm line = m_line;
        change(line);
        Result<FabricSpec> spec = Levels(line, m_spec.host, false).read();
        return spec && Fabric::create(std::move(spec).value());
    }

    /// The nearest that would do: multiples of `step` below `now` and at most `most`, and above. `set(line, N)` puts one into a line.
    template <typename Set>
    std::vector<std::int64_t> nearestThatDo(std::int64_t now, std::int64_t step, std::int64_t most, const Set& set) const
    {
        std::vector<std::int64_t> out;
        const auto isTaken = [&](std::int64_t number) {
            if (!wouldDo([&](FabricForm& line) { set(line, number); }))
                return false;
            out.push_back(number);
            return true;
        };
        std::int64_t below = std::min(now - 1, most) / step * step;
        for (int tries = 0; tries < kMostTries && below > 0 && !isTaken(below); ++tries)
            below -= step;
        std::int64_t above = (now / step + 1) * step;
        for (int tries = 0; tries < kMostTries && above <= kMaxNpus && !isTaken(above); ++tries)
            above += step;
        return out;
    }

    Status checkWords() const
    {
        static constexpr std::array<std::string_view, 3> kKeys{"up", "switches", "separate"};
        if (m_line.times == 0)
            return levelError(0, "count", "how many " + m_line.part + " does " + m_joins.front().word + " join?", m_line.part + " xN");
        for (std::size_t i = 0; i < m_joins.size(); ++i) {
            const FabricJoin& join = m_joins[i];
            if (!join.numbers.empty())
                return levelError(i, "join", "numbers without a key at level " + quotedText(join.word) + ": " + listText(join.numbers.front(), ","), "up N, switches N, Np, a:b or xN");
            if (i == 0 && join.ratio)
                return levelError(i, "oversubscription", "an oversubscription at the lowest level", "a:b at the level above");
            // What leads up from the lowest level stands at the level above; only rails have spines of their own, at the level above them.
            const std::span<const std::string_view> keys(kKeys.data(), i == 0 ? 0 : rails() && i == 1 ? 3 : 2);
            for (auto key = join.keyed.begin(); key != join.keyed.end(); ++key) {
                if (std::find(keys.begin(), keys.end(), key->first) == keys.end())
                    return levelError(i, key->first, "level " + quotedText(join.word) + " has no key " + quotedText(key->first) + didYouMean(key->first, keys),
                                     i == 0 ? "figures here; up and switches at the level above" : "up, switches, and separate at the level above rails");
                if (std::any_of(join.keyed.begin(), key, [&](const auto& other) { return other.first == key->first; }))
                    return levelError(i, key->first, quotedText(key->first) + " stands twice", "once");
            }
        }
        if (m_joins.back().times > 1)
            return levelError(m_joins.size() - 1, "join", "nothing joins the " + digits(m_joins.back().times) + " " + m_joins.back().word, "a join above: / spine");
        return {};
    }

    /// Cables up from a switch with so many down, by `up` or oversubscription of the level above.
    Result<std::int64_t> upOf(std::size_t level, std::int64_t down) const
    {
        const Ratio ratio = m_joins[level].ratio.value_or(Ratio{});
        const Result<std::int64_t> given = keyed(m_joins[level], level, "up", 0);
        if (!given)
            return given;
        if (given.value() > 0 && m_joins[level].ratio)
            return levelError(level, "up", "up and an oversubscription at " + quotedText(m_joins[level].word), "one of them");
        if (given.value() > 0)
            return given;
        const std::int64_t unit = ratio.down / std::gcd(ratio.down, ratio.up);
        if (down % unit != 0)
            return levelError(level, "oversubscription", counted(down, "cable") + " down cannot be " + digits(ratio.down) + ":" + digits(ratio.up) + " oversubscribed", multiplesThatDo(level, unit));
        return product({down / unit, ratio.up / std::gcd(ratio.down, ratio.up)});
    }

    /// What leads to a multiple of `unit` cables down below `level`: of the part, or of the switches below that.
    std::string multiplesThatDo(std::size_t level, std::int64_t unit) const
    {
        static constexpr const char* kNone = "another oversubscription, or switches of more ports";
        const auto list = [](const std::vector<std::int64_t>& numbers, const std::string& before, std::int64_t each) {
            std::string out;
            for (const std::int64_t number : numbers)
                out += (out.empty() ? "" : " or ") + before + digits(number * each);
            return out;
        };
        if (level > 1) {
            const std::size_t join = level - 2;
            const auto found = nearestThatDo(times(join), 1, kMaxNpus, [join](FabricForm& line, std::int64_t number) { line.joins[join].times = number; });
            return found.empty() ? kNone : quotedText(m_joins[join].word) + ' ' + list(found, "x", 1);
        }
        const std::int64_t each = rails() ? 1 : hostNpus();
        const std::int64_t step = unit / std::gcd(unit, each);
        const std::int64_t radix = m_spec.levels.front().radix;
        const auto found = nearestThatDo(m_line.times, step, radix > 0 ? mostFitting(radix, each) : kMaxNpus, [](FabricForm& line, std::int64_t number) { line.times = number; });
        if (found.empty())
            return kNone;
        return "a multiple of " + digits(step * each) + ": " + list(found, "", each) + (each > 1 ? ", " + m_line.part + ' ' + list(found, "x", 1) : std::string());
    }

    /// Refuses what is too much to count; `level` is the first that brings it about.
    Status checkSize(std::size_t level, std::int64_t npus, std::int64_t cables) const
    {
        if (npus > kMaxNpus)
            return levelError(level, "count", "more than " + digits(kMaxNpus) + " NPUs with " + quotedText(m_joins[level].word), "fewer");
        if (cables > kMostCables)
            return levelError(level, "up", "more than " + digits(kMostCables) + " cables at " + quotedText(m_joins[level].word), "fewer up");
        return {};
    }

    /// `separate` of the level above rails: alone or 1, or 0. `otherwise`: where it does not stand there.
    Result<bool> isSeparate(bool otherwise) const
    {
        for (const auto& [word, numbers] : m_joins[1].keyed) {
            if (word != "separate")
                continue;
            if (numbers.size() > 1 || (numbers.size() == 1 && numbers.front() > 1))
                return levelError(1, "separate", "\"separate\" is not " + listText(numbers, ","), "separate, or separate 0");
            return numbers.empty() || numbers.front() == 1;
        }
        return otherwise;
    }

    /// Ports of a switch of a level that lead down, of `radix`, when it leads up as the next level says.
    std::int64_t downPorts(std::size_t level, std::int64_t radix) const
    {
        if (level + 1 >= m_joins.size())
            return radix;
        if (const Result<std::int64_t> up = keyed(m_joins[level + 1], level + 1, "up", 0); up && up.value() > 0)
            return std::max<std::int64_t>(radix - up.value(), 1);
        const Ratio ratio = m_joins[level + 1].ratio.value_or(Ratio{});
        return std::max<std::int64_t>(radix * ratio.down / (ratio.down + ratio.up), 1);
    }

    Result<std::int64_t> switchesOf(std::size_t level, std::int64_t cables) const
    {
        const Result<std::int64_t> given = keyed(m_joins[level], level, "switches", 0);
        if (!given || given.value() > 0)
            return given;
        if (m_spec.levels[level].radix == 0)
            return levelError(level, "radix", "how many switches has " + quotedText(m_joins[level].word) + "?", "ports of its switches, such as 64p, or switches N");
        const std::int64_t down = downPorts(level, m_spec.levels[level].radix);
        return (cables + down - 1) / down;
    }

    /// Most of the part that switches of `radix` ports take with what leads up; `each`: ports of one.
    std::int64_t mostFitting(std::int64_t radix, std::int64_t each) const
    {
        if (m_joins.size() < 2)
            return radix / each;
        if (const Result<std::int64_t> up = keyed(m_joins[1], 1, "up", 0); up && up.value() > 0)
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
        // Fewer of the part may ask for other numbers of spines, and those not join all.
        const std::int64_t fitting = mostFitting(radix, each);
        const std::int64_t unit = m_joins.size() > 1 && m_joins[1].ratio ? m_joins[1].ratio->down / std::gcd(m_joins[1].ratio->down, m_joins[1].ratio->up) : 1;
        const auto found = nearestThatDo(fitting + 1, unit / std::gcd(unit, each), fitting, [](FabricForm& line, std::int64_t number) { line.times = number; });
        std::string expected = !found.empty() && found.front() <= fitting ? "at most " + m_line.part + " x" + digits(found.front()) : std::string();
        if (down + up <= kMaxNpus && wouldDo([&](FabricForm& line) { line.joins.front().radix = down + up; }))
            expected += (expected.empty() ? "" : ", or ") + ("switches of " + counted(down + up, "port"));
        return levelError(0, "radix", "a " + quotedText(m_joins.front().word) + " needs " + counted(down, "port") + " down and " + digits(up) + " up, of " + digits(radix),
                         expected.empty() ? "fewer up, or switches of more ports" : expected);
    }

    /// The switches of `level` must join all below, in each of so many sets of them.
    Status checkJoined(std::size_t level, const SpineJoin& join, std::int64_t sets) const
    {
        if (join.spines < 1 || join.spines > product({join.lower, join.up}) || join.connected())
            return {};
        const std::string word = quotedText(m_joins[level].word);
        const Result<std::int64_t> switches = keyed(m_joins[level], level, "switches", 0);
        const bool given = switches && switches.value() > 0;
        std::string expected;
        const auto isTaken = [&](std::int64_t spines) {
            if (spines < 1)
                return;
            if (given) {
                const std::int64_t all = product({spines, sets});
                if (wouldDo([&](FabricForm& line) { std::find_if(line.joins[level].keyed.begin(), line.joins[level].keyed.end(), [](const auto& key) { return key.first == "switches"; })->second = {all}; }))
                    expected = "switches " + digits(all);
                return;
            }
            // So many of them that there are no more than that.
            const std::int64_t down = (product({join.lower, join.up}) + spines - 1) / spines;
            std::int64_t radix = down;
            while (radix < kMaxNpus && downPorts(level, radix) < down)
                radix += std::max<std::int64_t>(down - downPorts(level, radix), 1);
            if (wouldDo([&](FabricForm& line) { line.joins[level].radix = radix; }))
                expected = digits(radix) + "p at " + word;
        };
        // Even ones first.
        for (std::int64_t spines = std::min(join.up, join.spines - 1); spines > 0 && expected.empty(); --spines) {
            if (join.up % spines == 0)
                isTaken(spines);
        }
        std::int64_t spines = join.spines - 1;
        for (int tries = 0; tries < kMostTries && expected.empty(); ++tries)
            isTaken(spines--);
        return levelError(level, given ? "switches" : "radix", counted(join.up, "cable") + " up from each " + quotedText(m_joins[level - 1].word) + " to " + digits(join.spines) + ' ' + word + (sets > 1 ? " in each of " + digits(sets) + " sets" : "")
                             + " do not join all of them",
                         expected.empty() ? "fewer switches of more ports" : expected);
    }

    Status readRails()
    {
        const std::int64_t hosts = m_line.times;
        const std::int64_t rails = hostNpus();
        if (m_joins.size() == 1 || m_joins.front().word == "rails_only") {
            if (m_joins.size() > 1)
                return levelError(1, "join", "rails_only has no level above, but " + quotedText(m_joins[1].word) + " stands there", "rails, or no level above");
            m_spec.family = &railOnlyFamily();
            m_spec.values = numbers({{hosts}, {rails}});
            if (Status status = checkSize(0, product({hosts, rails}), 0); !status)
                return status;
            return checkLowest(hosts, 0, 1);
        }
        if (m_joins.size() > 3)
            return levelError(3, "join", digits(static_cast<std::int64_t>(m_joins.size())) + " levels above rails", "spine, or spine and core");
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
        const Result<std::int64_t> derived = switchesOf(1, product({leaves, up.value()}));
        if (!derived)
            return derived.error();
        const bool given = !m_joins[1].keyed.empty() && keyed(m_joins[1], 1, "switches", 0).value() > 0;
        const std::int64_t spines = given ? derived.value() : product({derived.value(), sets});
        if (Status status = spines % sets == 0 ? checkJoined(1, {leaves, up.value(), spines / sets}, sets) : Status(); !status)
            return status;
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
            const Result<std::int64_t> derived = switchesOf(level, product({units, up.value()}));
            if (!derived)
                return derived.error();
            std::int64_t parents = derived.value(); // of one lower switch
            if (level > 1) {
                const Result<std::int64_t> given = keyed(m_joins[level], level, "switches", 0);
                if (!given)
                    return given.error();
                if (given.value() % sets != 0)
                    return levelError(level, "switches", counted(given.value(), "switch") + " at " + quotedText(m_joins[level].word) + " for " + digits(sets) + " planes below", "a multiple of " + digits(sets));
                if (given.value() > 0)
                    parents = given.value() / sets;
            }
            if (m_joins.size() == 2) {
                if (Status status = checkJoined(level, {units, up.value(), parents}, 1); !status)
                    return status;
                m_spec.family = &leafSpineFamily();
                m_spec.values = numbers({{units}, {down}, {parents}, {up.value()}});
                return {};
            }
            const std::int64_t wanted = parents;
            parents = divisorFrom(up.value(), parents);
            if (up.value() % parents != 0 || (wanted != parents && keyed(m_joins[level], level, "switches", 0).value() > 0)) {
                return levelError(level, "switches", counted(up.value(), "cable") + " up do not divide among " + counted(wanted, "switch") + " at " + quotedText(m_joins[level].word),
                                 "a divisor of " + digits(up.value()) + ", or switches of more ports");
            }
            if (wanted != parents) {
                m_spec.warnings.push_back(warning("rounded-switches", quotedText(m_joins[level].word) + ": " + counted(product({wanted, sets}), "switch") + " would take all cables, but "
                                                                         + counted(up.value(), "cable") + " of each switch below do not divide among " + digits(wanted) + ": "
                                                                         + counted(product({parents, sets}), "switch") + " taken"));
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

    const FabricForm& m_line;
    const std::vector<FabricJoin>& m_joins;
    bool m_advises;
    FabricSpec m_spec;
};

} // namespace

Error levelError(std::size_t level, std::string_view key, std::string message, std::string expected)
{
    Place place;
    place.field = "levels[" + std::to_string(level) + "]." + std::string(key);
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

FabricLevel fabricLevelOf(const FabricJoin& join)
{
    return {join.name, join.radix, join.bandwidth, join.latency, join.crossbar};
}

Result<FabricSpec> fabricOfLevels(const FabricForm& form, std::shared_ptr<const FabricHost> host)
{
    return Levels(form, std::move(host)).read();
}

} // namespace fabricscope
