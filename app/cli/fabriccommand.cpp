// fabricscope-cli fabric: what a generated fabric consists of and how far apart its NPUs are.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/output/billoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/cli/outputs.h"
#include "core/base/decimal.h"
#include "core/base/files/textfile.h"
#include "core/design/fabricdesign.h"
#include "core/design/file/costsection.h"
#include "core/design/file/designdocument.h"
#include "core/platform/fabric/figures.h"
#include "core/platform/fabric/parseline.h"
#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace fabricscope::cli {

namespace {

struct FabricFlags {
    std::string design;
    std::string line;
    std::string out;
    std::vector<std::string> sets;
    bool nodes = false;
    bool json = false;
    bool strict = false;
};

/// Rounded to nine digits behind the point, from integers.
std::string decimalOf(const Fraction& value)
{
    constexpr std::int64_t kScale = 1'000'000'000;
    const auto scaled = static_cast<std::int64_t>((WideCount{value.over % value.under} * kScale * 2 + value.under) / (WideCount{2} * value.under));
    const std::int64_t whole = value.over / value.under + scaled / kScale;
    const std::string rest = shortDecimal(scaled % kScale, 9);
    return std::to_string(whole) + rest.substr(1);
}

std::string fractionText(const Fraction& value)
{
    return std::to_string(value.over) + (value.under == 1 ? "" : '/' + std::to_string(value.under));
}

std::string cablesText(const Fraction& value)
{
    return fractionText(value) + (value == Fraction{1, 1} ? " cable" : " cables");
}

std::string table(const Fabric& fabric, const FabricFigures& figures)
{
    std::string out = std::string(fabric.spec().family->title) + (fabric.spec().host && !fabric.spec().host->name.empty() ? ", of " + fabric.spec().host->name : std::string()) + "\n\n";
    const auto row = [&out](std::string name, const std::string& value) {
        name.resize(18, ' ');
        out += name + value + '\n';
    };
    row("NPUs", std::to_string(fabric.npus()));
    for (const FabricTier& tier : fabric.tiers()) {
        const std::int64_t radix = fabric.radix(tier);
        row(tier.name, counted(tier.count, "switch") + ", " + counted(tier.ports, "port") + " used" + (tier.up > 0 ? " (" + std::to_string(tier.up) + " up)" : std::string())
                           + (radix > 0 ? ", " + std::to_string(radix - tier.ports) + " free" : std::string())
                           + (fabric.crossbar(tier) ? ", crossbar " + fabric.crossbar(tier)->text() : std::string()));
    }
    row("cables", std::to_string(fabric.cableCount()) + (fabric.cablesInside() > 0 ? ", " + std::to_string(fabric.cablesInside()) + " of them inside enclosures" : std::string()));
    for (const CableKind& kind : fabric.kinds())
        row("  " + kind.name, std::to_string(kind.count));
    if (!fabric.note().empty())
        row("", fabric.note());
    const std::string from = " (from " + std::to_string(figures.sampled) + " NPUs)";
    row("diameter", figures.diameter ? counted(*figures.diameter, "link") : figures.diameterAtLeast ? "at least " + counted(*figures.diameterAtLeast, "link") + from : "-");
    row("mean distance", figures.mean ? fractionText(*figures.mean) + (figures.mean->under == 1 ? "" : " = " + decimalOf(*figures.mean)) : figures.meanSampled ? "about " + decimalOf(*figures.meanSampled) + from : "-");
    row("bisection", figures.bisection ? cablesText(*figures.bisection) + (figures.bisectionKnown == Known::Formula ? " (formula)" : "")
                     : figures.bisectionAtMost ? "at most " + cablesText(*figures.bisectionAtMost) + " (the best half found)" : "-");
    row("ways", figures.ways ? std::to_string(*figures.ways) + " from NPU 0 to the farthest" : "-");
    return out;
}

std::string json(const Fabric& fabric, const FabricFigures& figures, const std::optional<HardwareBill>& bill, const std::optional<Checkpointing>& kept)
{
    JsonWriter out;
    const auto number = [&out](std::string_view key, const std::optional<std::int64_t>& value) {
        out.key(key);
        value ? out.integer(*value) : out.null();
    };
    out.beginObject();
    number("schema", 1);
    out.key("result");
    out.beginObject();
    out.member("family", fabric.spec().family->name);
    number("npus", fabric.npus());
    out.key("switches");
    out.beginCompactArray();
    for (const FabricTier& tier : fabric.tiers())
        out.integer(tier.count);
    out.endArray();
    out.key("tiers");
    out.beginArray();
    for (const FabricTier& tier : fabric.tiers()) {
        out.beginCompactObject();
        out.member("name", tier.name);
        number("switches", tier.count);
        number("ports_used", tier.ports);
        number("ports_up", tier.up);
        if (const std::int64_t radix = fabric.radix(tier); radix > 0)
            number("ports_free", radix - tier.ports);
        if (const auto crossbar = fabric.crossbar(tier))
            number("crossbar", toBandwidth(*crossbar).bytesPerSecond);
        out.endObject();
    }
    out.endArray();
    number("cables", fabric.cableCount());
    number("cables_inside", fabric.cablesInside());
    out.key("cable_kinds");
    out.beginArray();
    for (const CableKind& kind : fabric.kinds()) {
        out.beginCompactObject();
        out.member("name", kind.name);
        number("cables", kind.count);
        out.member("inside", kind.inside);
        out.endObject();
    }
    out.endArray();
    number("diameter", figures.diameter);
    out.key("mean_distance");
    figures.mean ? out.number(decimalOf(*figures.mean)) : out.null();
    out.key("mean_distance_exact");
    figures.mean ? out.string(fractionText(*figures.mean)) : out.null();
    out.key("bisection");
    figures.bisection ? out.number(decimalOf(*figures.bisection)) : out.null();
    out.key("bisection_by");
    figures.bisection ? out.string(figures.bisectionKnown == Known::Formula ? "formula" : "exact") : out.null();
    if (figures.bisectionAtMost) {
        out.key("bisection_at_most");
        out.number(decimalOf(*figures.bisectionAtMost));
    }
    if (figures.sampled > 0) {
        number("sampled_npus", figures.sampled);
        number("diameter_at_least", figures.diameterAtLeast);
        out.key("mean_distance_sampled");
        out.number(decimalOf(*figures.meanSampled));
    }
    number("ways", figures.ways);
    if (!fabric.note().empty()) {
        out.member("note", fabric.note());
    }
    if (bill) {
        out.key("costs");
        writeBill(out, *bill, kept);
    }
    out.key("warnings");
    out.beginArray();
    for (const Diagnostic& entry : figures.warnings)
        out.string(entry.text());
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

std::string familyTable()
{
    std::string out;
    for (const FabricFamily* family : fabricFamilies()) {
        std::string name(family->name);
        name.resize(16, ' ');
        std::string keys;
        for (const FamilyKey& key : family->keys)
            keys += (keys.empty() ? "" : ", ") + std::string(key.usual.empty() ? "" : "[") + std::string(key.name) + (key.usual.empty() ? "" : "]");
        out += name + std::string(family->title) + '\n' + (keys.empty() ? std::string() : std::string(16, ' ') + keys + '\n');
    }
    return out;
}

std::string familyJson()
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", std::int64_t{1});
    json.key("families");
    json.beginArray();
    for (const FabricFamily* family : fabricFamilies()) {
        json.beginObject();
        json.member("name", family->name);
        json.member("title", family->title);
        json.key("parameters");
        json.beginArray();
        for (const FamilyKey& key : family->keys) {
            json.beginObject();
            json.member("name", key.name);
            json.member("meaning", key.meaning);
            json.member("least", key.least);
            json.member("most", key.most);
            json.member("list", key.list);
            if (!key.usual.empty())
                json.member("usual", key.usual);
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

/// Writes the fabric of a line as a design.
Status writeTo(const FabricFlags& flags, Session& session)
{
    if (Status status = claimOutputs(session, {{"--out", flags.out}}, {}, flags.json); !status)
        return status;
    const Result<FabricForm> form = parseFabricForm(flags.line);
    if (!form)
        return form.error();
    const Result<Design> design = designOfFabric(form.value(), flags.nodes, session.stopToken());
    if (!design)
        return design.error();
    return writeOutputFile(flags.out, writeDesign(design.value(), session.stopToken()), session.outputs());
}

/// What figures of cables do not say of switches; empty: none has a limit.
std::string crossbarNote(const PlatformSpec& platform)
{
    std::vector<Quantity> rates;
    std::int64_t switches = 0;
    for (const auto& [node, rate] : platform.nodes.crossbars()) {
        rates.push_back(rate);
        ++switches;
    }
    const std::int64_t npus = std::accumulate(platform.dimensions.begin(), platform.dimensions.end(), std::int64_t{1}, [](std::int64_t all, const Dimension& d) { return all * d.size; });
    for (const Dimension& dimension : platform.dimensions) {
        if (!dimension.crossbar || dimension.size < 2)
            continue;
        rates.push_back(*dimension.crossbar);
        switches += npus / dimension.size;
    }
    if (rates.empty())
        return {};
    const auto [least, most] = std::ranges::minmax_element(rates, {}, &Quantity::base);
    return "note: " + counted(switches, "switch") + (switches == 1 ? " passes" : " pass") + " on no more than " + (least->base() == most->base() ? "" : least->text() + " to ") + most->text()
        + (switches == 1 ? "" : " each") + " (crossbar); the bisection counts cables alone";
}

/// A fabric, and what there is to say of its costs; absent: no table and no design knows a price.
struct FabricWithBill {
    Fabric fabric;
    std::optional<HardwareBill> bill{};
    std::optional<Checkpointing> kept{};
};

/// The fabric of a design, without its overrides.
Result<FabricWithBill> fabricOfDesign(const FabricFlags& flags, Session& session)
{
    const Result<std::vector<FieldOverride>> sets = overridesOf(flags.sets, "platform.fabric.levels.0.count=4");
    if (!sets)
        return sets.error();
    std::vector<PlacedField> fields;
    for (const FieldOverride& set : sets.value())
        fields.push_back({set, "--set " + set.path});
    Result<std::string> text = readTextFile(flags.design, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    Result<YamlDocument> document = YamlDocument::parse(std::move(text).value(), flags.design, session.stopToken());
    if (!document)
        return std::move(document).error();
    const Result<LoadedDesign> loaded = readDesignDocument(document.value(), fields, session.stopToken());
    if (!loaded)
        return loaded.error();
    const Result<std::optional<CostConfig>> costs = readCosts(document.value());
    if (!costs)
        return costs.error();
    for (const Diagnostic& entry : loaded.value().diagnostics)
        session.say(entry.text());
    const PlatformSpec& platform = *loaded.value().design.platform;
    if (!platform.linkOverrides.empty() || !platform.npuOverrides.empty())
        session.say("note: figures of the fabric as built, without platform.overrides");
    if (const std::string limits = crossbarNote(platform); !limits.empty())
        session.say(limits);
    const Result<Fabric> fabric = fabricOfPlatform(platform);
    if (!fabric)
        return fabric.error();
    FabricWithBill out{fabric.value()};
    const CostConfig* const said = costs.value() ? &*costs.value() : nullptr;
    const Result<HardwareBill> bill = hardwareBill(platform, said);
    if (bill && (bill.value().saysAnything() || said)) {
        out.bill = bill.value();
        out.kept = checkpointing(bill.value(), said);
    }
    return out;
}

Result<FabricWithBill> fabricOf(const FabricFlags& flags, Session& session)
{
    if (flags.line.empty())
        return fabricOfDesign(flags, session);
    const Result<Fabric> fabric = fabricOfLine(flags.line);
    if (!fabric)
        return fabric.error();
    FabricWithBill out{fabric.value()};
    HardwareBill bill = hardwareBill(fabric.value(), {}, nullptr);
    if (bill.saysAnything())
        out.bill = std::move(bill);
    return out;
}

Status checkFlags(const FabricFlags& flags)
{
    const bool none = flags.line.empty() && flags.design.empty();
    if (none && flags.strict)
        return usageError("--strict is not used without a fabric", "--line", "a design, or a fabric such as \"npu / torus 4x4x8\"");
    if (!flags.line.empty() && !flags.design.empty())
        return usageError("a design and a line are given", "--line", "one of them");
    if (!flags.out.empty() && flags.line.empty())
        return usageError("--out writes the fabric of a line", "--out", "--line");
    if (!flags.sets.empty() && flags.design.empty())
        return usageError("--set is not used without a design", "--set", "a design whose field is replaced");
    if (flags.nodes && flags.out.empty())
        return usageError("--nodes is not used without --out", "--nodes", "--out FILE.yaml");
    return {};
}

void run(const FabricFlags& flags, Session& session)
{
    if (const Status status = checkFlags(flags); !status)
        return session.fail(status);
    if (flags.line.empty() && flags.design.empty())
        return session.print(flags.json ? familyJson() : familyTable());
    const Result<FabricWithBill> found = fabricOf(flags, session);
    if (!found)
        return session.fail(found.error());
    const auto& [fabric, bill, kept] = found.value();
    if (!flags.out.empty()) {
        if (const Status status = writeTo(flags, session); !status)
            return session.fail(status);
    }
    Result<FabricFigures> figures = fabricFigures(fabric, session.stopToken());
    if (!figures)
        return session.fail(figures.error());
    if (kept)
        figures.value().warnings.insert(figures.value().warnings.end(), kept->warnings.begin(), kept->warnings.end());
    for (const Diagnostic& entry : figures.value().warnings)
        session.say(entry.text());
    session.print(flags.json ? json(fabric, figures.value(), bill, kept) : table(fabric, figures.value()) + (bill ? billText(*bill, kept) : std::string()));
    if (flags.strict && !figures.value().warnings.empty())
        session.setExit(1);
}

} // namespace

void addFabric(Command& program, Session& session)
{
    auto flags = std::make_shared<FabricFlags>();
    Command& command = *program.add_subcommand("fabric", "Figures of a fabric: switches, cables, distances, bisection; without a design or a line: the families of generated ones");
    command.add_option("DESIGN", flags->design, "The fabric of a design; one that is not generated: at most 1048576 cables");
    command.add_option("--set", flags->sets, "Replace a field of the design, e.g. platform.fabric.levels.0.count=4")->type_name("PATH=VALUE")->expected(1)->take_all()->allow_extra_args(false);
    command.add_option("--line", flags->line, "The fabric: part [xN] / join ..., such as \"hgx-h100 x32 / rails 64p 400G x4 / spine 2:1\" or \"npu / torus 4x4x8\"");
    command.add_option("--out", flags->out, "Write the fabric of the line as a design that can be run: one all-reduce of 64 MiB");
    command.add_flag("--nodes", flags->nodes, "With --out: as nodes and links instead of levels");
    command.add_flag("--json", flags->json, "As JSON");
    command.add_flag("--strict", flags->strict, "Exit code 1 if there are warnings");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
