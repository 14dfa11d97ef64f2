#include "core/platform/fabric/parseline.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/platform/fabric/levels.h"
#include "core/platform/fabric/linetokens.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/presets.h"
#include "core/platform/topologytext.h"

#include <algorithm>
#include <array>
#include <span>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 4> kLowestLevels{"leaf", "switch", "tor", "edge"};
constexpr std::size_t kMostNearChars = 100; ///< Of a word that is compared with names.
constexpr std::array<std::string_view, 7> kUpperLevels{"spine", "core", "clos", "aggregation", "agg", "superspine", "top"};

template <std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string text(std::int64_t number) { return std::to_string(number); }

/// An error of a form: of the part, or of a key of a level.
Error formError(std::string field, std::string message, std::string expected)
{
    Place place;
    place.field = std::move(field);
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

Error partError(std::string message, std::string expected)
{
    return formError("of", std::move(message), std::move(expected));
}

/// Of the part.
Error ofPart(Error error)
{
    error.place = {};
    error.place.field = "of";
    return error;
}

/// The joins are levels: "rails 2,2,2,2,2" and "switch 72 planes 18" are families with their numbers, "rails" and "switch 64p" levels.
bool isOfLevels(const FabricForm& form)
{
    const FabricJoin& lowest = form.joins.front();
    const bool numbered = !lowest.numbers.empty() || !lowest.keyed.empty();
    const bool isLevel = lowest.word == "rails" || lowest.word == "rails_only" || isOneOf(lowest.word, kLowestLevels);
    return isLevel && !(numbered && fabricFamily(lowest.word));
}

/// Lines have no names of fields but those of families, where they name one.
Error asLineError(Error error, const FabricForm& form)
{
    if (isOfLevels(form) || error.place.field == "of" || error.place.field.starts_with("levels["))
        error.place.field.clear();
    error.code = ErrorCode::Usage;
    error.place.field = "--line" + (error.place.field.empty() ? "" : ' ' + error.place.field);
    return error;
}

/// The few names most like a word, for who knows none.
std::string namesNear(std::string_view word, std::vector<std::string_view> names)
{
    constexpr std::size_t kMost = 3;
    std::stable_sort(names.begin(), names.end(), [&](std::string_view a, std::string_view b) { return editDistance(word, a) < editDistance(word, b); });
    std::string list;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i)
        list += (i > 0 ? ", " : "") + std::string(names[i]);
    return list;
}

Result<std::shared_ptr<const FabricHost>> readPart(const FabricForm& form)
{
    const std::string& part = form.part;
    if (!form.blueprint && (part == "npu" || part == "gpu"))
        return std::shared_ptr<const FabricHost>();
    Result<PlatformSpec> spec = PlatformSpec{};
    if (form.blueprint) {
        spec.value() = *form.blueprint;
        spec.value().name = part;
    } else if (part.find('(') != std::string::npos) {
        spec = parseTopologyText(part, {}, {});
        if (!spec) {
            Error error = std::move(spec).error();
            error.message = quotedText(part) + ": " + error.message;
            return ofPart(std::move(error));
        }
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
            return partError("there is no part " + quotedText(part) + (found.empty() ? didYouMean(part, names) : " (" + text(static_cast<std::int64_t>(found.size())) + " presets start so)"),
                             "npu, a preset such as " + namesNear(part.substr(0, kMostNearChars), {names.begin() + 1, names.end()}) +
                                 " (fabricscope-cli presets lists them) or a topology such as Switch(8, 450 GB/s, 1 us)");
        }
        spec = presetPlatform(found.front());
        if (spec)
            spec.value().name = found.front();
    }
    if (!spec)
        return ofPart(std::move(spec).error());
    Result<FabricHost> host = hostOf(spec.value());
    if (!host)
        return ofPart(std::move(host).error());
    const NodeList& nodes = spec.value().nodes;
    for (std::size_t npu = 0; host.value().forwards && !nodes.empty() && npu < at(host.value().npus); ++npu) {
        if (!nodes.forwards(npu))
            return partError(quotedText(nodes.name(npu)) + " passes nothing on, and others of the host do", "forwards: false at all of its NPUs, or at none");
    }
    if (host.value().npus == 1)
        return std::shared_ptr<const FabricHost>();
    return std::shared_ptr<const FabricHost>(std::make_shared<FabricHost>(std::move(host).value()));
}

/// The numbers of a join as the keys of a family.
Result<FamilyValues> readValues(const FabricFamily& family, const FabricJoin& join)
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
            return levelError(0, word, std::string(family.name) + " has no key " + quotedText(word) + didYouMean(word, keys), order.empty() ? "none" : order);
        if (given[at(key)])
            return levelError(0, word, quotedText(word) + " stands twice", "once");
        const FamilyKey& row = family.keys[at(key)];
        if (numbers.empty() && (row.least > 0 || row.most != 1))
            return levelError(0, word, "no number follows " + quotedText(word), row.list ? "numbers such as 4,4" : "a number");
        lists[at(key)] = numbers.empty() ? std::vector<std::int64_t>{1} : numbers;
        given[at(key)] = true;
    }
    std::size_t next = 0;
    for (const std::vector<std::int64_t>& numbers : join.numbers) {
        for (std::size_t i = 0; i < numbers.size();) {
            while (next < lists.size() && given[next])
                ++next;
            if (next == lists.size())
                return levelError(0, "join", "more numbers than " + std::string(family.name) + " has keys: " + listText(numbers, ","), order.empty() ? "none" : order);
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

/// Figures of cables inside and between groups, behind those of NPUs.
Status addCableFigures(const FabricJoin& join, FabricSpec& spec)
{
    if (!join.local && !join.global)
        return {};
    if (spec.family != &dragonflyFamily() && spec.family != &dragonflyPlusFamily())
        return levelError(0, join.local ? "local" : "global", "only groups have cables inside and between them, not " + std::string(spec.family->name), "no local and global");
    const FabricLevel& npus = spec.levels.front();
    const auto level = [&](const std::optional<CableFigures>& figures) {
        FabricLevel out{{}, npus.radix, npus.bandwidth, npus.latency, npus.crossbar};
        if (figures && figures->bandwidth)
            out.bandwidth = figures->bandwidth;
        if (figures && figures->latency)
            out.latency = figures->latency;
        return out;
    };
    spec.levels = {npus, level(join.local), level(join.global)};
    return {};
}

Result<FabricSpec> readFamily(const FabricForm& line, const FabricFamily& family, std::shared_ptr<const FabricHost> host)
{
    const FabricJoin& join = line.joins.front();
    if (line.joins.size() > 1)
        return levelError(1, "join", quotedText(line.joins[1].word) + " stands above " + std::string(family.name) + ", which joins everything itself", "rails or leaf as the lowest of several levels");
    if (join.ratio)
        return levelError(0, "oversubscription", std::string(family.name) + " knows no oversubscription a:b", "its numbers");
    if (join.times > 1)
        return levelError(0, "join", "nothing joins the " + text(join.times) + " " + join.word, "one");
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
    FabricSpec spec{&family, std::move(values).value(), std::move(host), {fabricLevelOf(join)}};
    if (Status status = addCableFigures(join, spec); !status)
        return std::move(status).error();
    if (Status status = checkFamilyValues(family, spec.values); !status)
        return std::move(status).error();
    const FabricPlan plan = family.plan(spec.values);
    if (join.crossbar && plan.tiers.empty())
        return levelError(0, "crossbar", std::string(family.name) + " has no switches", "no crossbar; budgets limit NPUs");
    if (const std::int64_t npus = plan.npus; given > 0 && npus != given) {
        const std::int64_t each = spec.host ? spec.host->npus : 1;
        return levelError(0, "count", std::string(family.name) + " of these numbers has " + text(npus) + " NPUs, but the line says " + text(given),
                         (npus % each == 0 ? "x" + text(npus / each) + ", or " : std::string()) + "no number of " + line.part);
    }
    return spec;
}

} // namespace

Result<FabricForm> parseFabricForm(std::string_view line)
{
    return tokenizeFabricLine(line);
}

FabricForm normalForm(FabricForm form)
{
    const FabricFamily* const family = fabricFamily(form.joins.front().word);
    const bool numbered = !form.joins.front().numbers.empty() || !form.joins.front().keyed.empty();
    if (family && (numbered || (family != &railsFamily() && family != &railOnlyFamily() && family != &switchFamily()))) {
        FabricJoin& join = form.joins.front();
        const Result<FamilyValues> values = readValues(*family, join);
        if (!values)
            return form;
        join.word = family->name;
        join.numbers.clear();
        join.keyed.clear();
        for (std::size_t key = 0; key < family->keys.size(); ++key) {
            if (const std::span<const std::int64_t> list = values.value().list(key); !list.empty())
                join.keyed.emplace_back(family->keys[key].name, std::vector<std::int64_t>(list.begin(), list.end()));
        }
        return form;
    }
    for (std::size_t i = 0; i < form.joins.size(); ++i) {
        FabricJoin& join = form.joins[i];
        const std::string_view common = i == 0 ? isOneOf(join.word, kLowestLevels) ? "switch" : "" : isOneOf(join.word, kUpperLevels) ? "clos" : "";
        if (!common.empty() && join.word != common && join.name.empty())
            join.name = join.word;
        if (!common.empty())
            join.word = common;
        for (auto& [key, numbers] : join.keyed) {
            if (numbers.empty())
                numbers = {1};
        }
        std::sort(join.keyed.begin(), join.keyed.end());
    }
    return form;
}

Status checkFabricPart(std::string_view text)
{
    const Result<FabricForm> joined = tokenizeFabricLine(std::string(text) + " / leaf"); // Any join would do.
    if (!joined)
        return joined.error();
    const auto part = readPart(joined.value());
    return part ? Status{} : asLineError(part.error(), joined.value());
}

Result<Fabric> fabricOfLine(std::string_view line)
{
    const Result<FabricForm> form = tokenizeFabricLine(line);
    if (!form) {
        // That there is no such part is told before what is missing behind it.
        const Status part = isFabricLine(line) ? Status{} : checkFabricPart(line);
        return part ? form.error() : part.error();
    }
    Result<Fabric> fabric = fabricOfForm(form.value());
    if (!fabric)
        return asLineError(std::move(fabric).error(), form.value());
    return fabric;
}

Result<Fabric> fabricOfForm(const FabricForm& form)
{
    Result<FabricSpec> spec = fabricSpecOf(form);
    return spec ? Fabric::create(std::move(spec).value()) : std::move(spec).error();
}

Result<FabricSpec> fabricSpecOf(const FabricForm& form)
{
    auto host = readPart(form);
    if (!host)
        return std::move(host).error();
    const FabricJoin& lowest = form.joins.front();
    std::vector<std::string_view> words(kLowestLevels.begin(), kLowestLevels.end());
    for (const FabricFamily* family : fabricFamilies())
        words.push_back(family->name);
    if (isOfLevels(form)) {
        for (std::size_t i = 1; i < form.joins.size(); ++i) {
            if (const std::string& word = form.joins[i].word; !isOneOf(word, kUpperLevels))
                return levelError(i, "join", quotedText(word) + " does not join what is below" + didYouMean(word, kUpperLevels), "spine, core or clos");
        }
        auto spec = fabricOfLevels(form, std::move(host).value());
        if (!spec)
            return spec;
        if (Status status = checkFamilyValues(*spec.value().family, spec.value().values); !status)
            return std::move(status).error();
        return spec;
    }
    const FabricFamily* const family = fabricFamily(lowest.word);
    if (!family)
        return levelError(0, "join", "there is no join " + quotedText(lowest.word) + didYouMean(lowest.word, words), "a family (fabricscope-cli fabric lists them), rails or leaf");
    return readFamily(form, *family, std::move(host).value());
}

} // namespace fabricscope
