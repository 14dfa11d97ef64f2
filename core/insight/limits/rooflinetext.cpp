#include "core/insight/limits/rooflinetext.h"

#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"
#include "core/report/placementfigures.h"
#include "core/report/runtext.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::size_t kRooflineRows = 6;
constexpr double kExactIntegers = 9007199254740992.0; // 2^53.

/// `whole` > 0; above 1 where rounded times, or recorded ones, are shorter than the roof allows.
std::string reachedText(double part, double whole)
{
    return percentText(std::llround(part / whole * 1e6), 1, 1'000'000);
}

std::string shownRate(double rate)
{
    return showBandwidth({std::llround(rate)});
}

/// "12.5", "0.622": four digits.
std::string intensityText(const RooflineKernel& kernel)
{
    if (kernel.bytes <= 0)
        return "no bytes said";
    const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(kernel.intensity()))), 0, 6);
    return shortDecimal(std::llround(kernel.intensity() * std::pow(10.0, decimals)), decimals);
}

/// Those that take longest, in their order.
std::vector<const RooflineCollective*> longestOf(const Roofline& roofline)
{
    std::vector<const RooflineCollective*> rows;
    for (const RooflineCollective& collective : roofline.collectives)
        rows.push_back(&collective);
    std::stable_sort(rows.begin(), rows.end(), [](const RooflineCollective* a, const RooflineCollective* b) {
        return static_cast<double>(a->row.best.ps) * static_cast<double>(a->row.count) > static_cast<double>(b->row.best.ps) * static_cast<double>(b->row.count);
    });
    return rows;
}

std::string moreText(std::size_t all)
{
    return all > kRooflineRows ? "  " + std::to_string(all - kRooflineRows) + " rows more: --json has all of them\n" : std::string();
}

void writeReal(JsonWriter& json, std::string_view key, double value)
{
    json.key(key);
    if (value == std::floor(value) && value < kExactIntegers)
        json.integer(std::llround(value));
    else
        json.number(decimal(value));
}

/// 0: not known.
void writeKnown(JsonWriter& json, std::string_view key, double value)
{
    if (value > 0)
        return writeReal(json, key, value);
    json.key(key);
    json.null();
}

void writeReached(JsonWriter& json, double rate, double roof)
{
    json.key("share");
    roof > 0 ? json.number(shareText(std::llround(rate / roof * 1e9), 1'000'000'000)) : json.null();
}

void writeWord(JsonWriter& json, const char* word, double roof)
{
    json.key("roof");
    roof > 0 ? json.string(word) : json.null();
}

void writeKernel(JsonWriter& json, const RooflineKernel& kernel)
{
    json.beginCompactObject();
    json.member("name", kernel.name);
    json.member("ranks", kernel.ranks.text());
    json.member("count", kernel.count);
    writeReal(json, "flop", kernel.operations);
    writeKnown(json, "bytes", kernel.bytes);
    writeReal(json, "busy_ps", kernel.busyPs);
    writeKnown(json, "flop_per_byte", kernel.intensity());
    writeReal(json, "flop_per_s", kernel.rate());
    writeKnown(json, "peak_flop_per_s", kernel.peak);
    writeKnown(json, "memory_bytes_per_s", kernel.memoryRate);
    writeWord(json, roofWord(kernel), kernel.roof());
    writeKnown(json, "roof_flop_per_s", kernel.roof());
    writeReached(json, kernel.rate(), kernel.roof());
    json.member("recorded", kernel.recorded);
    json.endObject();
}

void writeCollective(JsonWriter& json, const RooflineCollective& collective)
{
    const CollectiveBoundRow& row = collective.row;
    json.beginCompactObject();
    json.member("op", row.op);
    json.member("group", row.group);
    json.member("ranks", std::int64_t{row.ranks});
    json.member("size_bytes", row.bytes);
    json.member("algorithm", row.algorithm);
    json.member("count", row.count);
    writeReal(json, "bytes_per_npu", collective.bytesPerNpu);
    json.member("best_ps", row.best.ps);
    json.member("worst_ps", row.worst.ps);
    writeReal(json, "bytes_per_s", collective.rate());
    json.member("latency_ps", row.latency.ps);
    writeKnown(json, "bandwidth_bytes_per_s", collective.bandwidth());
    writeWord(json, roofWord(collective), collective.roof());
    writeKnown(json, "roof_bytes_per_s", collective.roof());
    writeReached(json, collective.rate(), collective.roof());
    json.member("cut", row.cut);
    json.endObject();
}

void writeMessages(JsonWriter& json, const RooflineMessages& messages)
{
    json.beginCompactObject();
    json.member("name", messages.name);
    json.member("size_bytes", messages.bytes);
    json.member("count", messages.count);
    json.member("best_ps", messages.best.ps);
    json.member("worst_ps", messages.worst.ps);
    writeReal(json, "bytes_per_s", messages.rate());
    json.member("latency_ps", messages.latency.ps);
    writeReal(json, "bandwidth_bytes_per_s", messages.linkRate());
    json.member("roof", roofWord(messages));
    writeReal(json, "roof_bytes_per_s", messages.roof());
    writeReached(json, messages.rate(), messages.roof());
    json.endObject();
}

} // namespace

const char* roofWord(const RooflineKernel& kernel)
{
    return kernel.memoryBinds() ? "memory" : "peak";
}

const char* roofWord(const RooflineCollective& collective)
{
    return collective.latencyBinds() ? "latency" : "bandwidth";
}

const char* roofWord(const RooflineMessages& messages)
{
    return messages.latencyBinds() ? "latency" : "bandwidth";
}

std::string messagesTitle(const RooflineMessages& messages)
{
    return messages.name + " of " + showBytes({messages.bytes});
}

std::string collectiveTitle(const RooflineCollective& collective)
{
    const CollectiveBoundRow& row = collective.row;
    return row.op + " of " + showBytes({row.bytes}) + (row.group.empty() ? std::string() : ", " + row.group);
}

std::string rooflineText(const Roofline& roofline, const std::stop_token& stop)
{
    std::string text;
    if (!roofline.kernels.empty()) {
        TextColumns table({"Computation", "FLOP per byte", "reaches", "roof", "share", "by"}, 1, stop);
        for (std::size_t i = 0; i < std::min(kRooflineRows, roofline.kernels.size()); ++i) {
            const RooflineKernel& kernel = roofline.kernels[i];
            const bool known = kernel.roof() > 0;
            table.add({shownText(kernel.name, 40), intensityText(kernel), placedSpeedText(kernel.rate()), known ? placedSpeedText(kernel.roof()) : "unknown",
                       known ? reachedText(kernel.rate(), kernel.roof()) : "", known ? roofWord(kernel) : ""});
        }
        text += table.text() + moreText(roofline.kernels.size());
    }
    if (!roofline.collectives.empty()) {
        TextColumns table({"Collective", "each NPU sends", "reaches", "roof", "share", "by"}, 1, stop);
        const std::vector<const RooflineCollective*> rows = longestOf(roofline);
        for (std::size_t i = 0; i < std::min(kRooflineRows, rows.size()); ++i) {
            const RooflineCollective& collective = *rows[i];
            table.add({shownText(collectiveTitle(collective), 50), showBytes({std::llround(collective.bytesPerNpu)}), shownRate(collective.rate()), shownRate(collective.roof()),
                       reachedText(collective.rate(), collective.roof()), roofWord(collective)});
        }
        text += table.text() + moreText(rows.size());
    }
    if (!roofline.messages.empty()) {
        TextColumns table({"Message", "count", "reaches", "roof", "share", "by"}, 1, stop);
        for (std::size_t i = 0; i < std::min(kRooflineRows, roofline.messages.size()); ++i) {
            const RooflineMessages& messages = roofline.messages[i];
            table.add({shownText(messagesTitle(messages), 50), std::to_string(messages.count), shownRate(messages.rate()), shownRate(messages.roof()), reachedText(messages.rate(), messages.roof()),
                       roofWord(messages)});
        }
        text += table.text() + moreText(roofline.messages.size());
    }
    const bool says = !text.empty() || !roofline.noNetworkRoof.empty();
    for (const std::string& note : says ? roofline.notes : std::vector<std::string>())
        text += "  note: " + note + '\n';
    return text;
}

void writeRoofline(JsonWriter& json, const Roofline& roofline)
{
    json.key("roofline");
    json.beginObject();
    json.key("compute");
    json.beginArray();
    for (const RooflineKernel& kernel : roofline.kernels)
        writeKernel(json, kernel);
    json.endArray();
    json.key("network");
    json.beginArray();
    for (const RooflineCollective& collective : roofline.collectives)
        writeCollective(json, collective);
    json.endArray();
    json.key("messages");
    json.beginArray();
    for (const RooflineMessages& messages : roofline.messages)
        writeMessages(json, messages);
    json.endArray();
    json.key("notes");
    json.beginArray();
    for (const std::string& note : roofline.notes)
        json.string(note);
    json.endArray();
    json.endObject();
}

} // namespace fabricscope
