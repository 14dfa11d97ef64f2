#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

// An InfraGraph document (schema 2.4) as written: blueprints of boxes, how many of them there are, and rules that wire them.
// The expanded graph is in expandinstances.h, the way to a platform in importer.h.

struct InfraBandwidth {
    enum class Unit : std::uint8_t { GigabitsPerSecond, GigabytesPerSecond, GigatransfersPerSecond };
    Unit unit = Unit::GigabitsPerSecond;
    double value = 0;
    std::string text; ///< The number as written: "100", "100.0".
    /// "100 Gbps", "12.5 GBps", "32 GT/s".
    std::string label() const;
};

struct InfraLatency {
    enum class Unit : std::uint8_t { Milliseconds, Microseconds, Nanoseconds };
    Unit unit = Unit::Nanoseconds;
    double value = 0;
    std::string text;
    std::string label() const; ///< "0.5 us".
};

/// A named kind of connection, not a cable.
struct InfraLink {
    std::string name;
    std::string description;
    std::optional<InfraBandwidth> bandwidth; ///< Of one edge and direction.
    std::optional<InfraLatency> latency;
    Place place;
};

enum class InfraChoice : std::uint8_t { Custom, Device, Cpu, Xpu, Nic, Memory, Port, Switch };
std::string_view infraChoiceName(InfraChoice choice);

/// A kind of part of a device and how many of it one device holds; Device: a nested device of that name.
struct InfraComponent {
    std::string name;
    std::string description;
    std::int32_t count = 0; ///< 0 or less: none.
    InfraChoice choice = InfraChoice::Custom;
    std::string customType; ///< Custom only; empty: not given.
    Place place;
    /// The choice, or the custom type ("custom" where it is not given).
    std::string type() const;
};

/// One end of a rule. In a device `prefix` is the path through nested devices ("card[0:2]"), in the infrastructure the instance.
struct InfraEndpoint {
    std::string prefix;
    std::string component;
    Place place;
};

enum class InfraScheme : std::uint8_t { OneToOne, ManyToMany, Ring };
std::string_view infraSchemeName(InfraScheme scheme);

/// Two lists of parts and how they are paired; expands to many edges.
struct InfraRule {
    InfraEndpoint ep1;
    InfraEndpoint ep2;
    std::optional<InfraScheme> scheme;
    std::string link;
    Place place;
};

struct InfraDevice {
    std::string name;
    std::string description;
    std::vector<InfraComponent> components;
    std::vector<InfraLink> links;
    std::vector<InfraRule> rules;
    Place place;
};

struct InfraInstance {
    std::string name;
    std::string description;
    std::string device;
    std::int32_t count = 0;
    Place place;
};

struct InfraAttribute {
    std::string name;
    std::string value;
};

/// Attributes of nodes (`first` is the selector), of one edge (`first` and `second` are node ids) or of all edges of a link.
struct InfraAnnotation {
    std::string first;
    std::string second;
    std::vector<InfraAttribute> attributes;
    Place place;
};

struct InfraDocument {
    std::string file;        ///< For messages.
    std::string name;
    std::string description;
    std::vector<InfraDevice> devices;
    std::vector<InfraLink> links;
    std::vector<InfraInstance> instances;
    std::vector<InfraRule> rules; ///< Between instances.
    std::vector<InfraAnnotation> nodeAnnotations;
    std::vector<InfraAnnotation> edgeAnnotations;
    std::vector<InfraAnnotation> linkAnnotations;
    std::vector<InfraAttribute> graphAttributes;

    /// Index of the first device of that name; -1: none.
    std::int32_t deviceIndex(std::string_view deviceName) const;
};

/// A document and everything found in it: every problem of its form and meaning (rules "infragraph-*"; Error where an importer
/// has to refuse it). Derived attributes of annotations are dropped with one note.
struct InfraReading {
    InfraDocument document;
    Diagnostics diagnostics;
    bool sound = true; ///< No finding is an error: the document can be expanded.
};

/// Elements (nodes and edges before duplicates are joined) a document may expand to.
constexpr std::int64_t kMaxInfraElements = 5'000'000;

/// Reads the YAML or JSON text of an infrastructure, a combined document or a single device (taken as one instance, with a note) and
/// checks it strictly. `file` is only for messages. O(text), plus the lengths of the index lists of its rules. Told to stop: throws
/// StopRequested (stop.h). In documentreader.cpp.
InfraReading inspectInfraGraph(const std::string& text, const std::string& file, const std::stop_token& stop = {});

/// The same; the first error is the result. Warnings and notes go to `diagnostics`. Told to stop: Cancelled.
Result<InfraDocument> readInfraGraph(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop = {});
Result<InfraDocument> loadInfraGraph(const std::string& path, Diagnostics& diagnostics, const std::stop_token& stop = {});

/// The strict checks of meaning alone, for documents built in memory (manual: formats 6.2). Told to stop: throws
/// StopRequested. In check.cpp.
void checkInfraGraph(const InfraDocument& document, Diagnostics& diagnostics, const std::stop_token& stop = {});

/// What only the expanded graph shows: nodes without an edge, parts that are not joined, ports with several cables. Notes and warnings.
/// \pre the checks found no error. Told to stop: throws StopRequested. In check.cpp.
void checkInfraExpansion(const InfraDocument& document, Diagnostics& diagnostics, const std::stop_token& stop = {});

/// The document as block YAML with quoted texts where needed; reads back as the same document. Annotations make it a combined one.
/// Told to stop: throws StopRequested. In documentwriter.cpp.
std::string writeInfraGraph(const InfraDocument& document, const std::stop_token& stop = {});

} // namespace fabricscope
