#pragma once

#include "core/base/decimal.h"
#include "core/base/keytable.h"
#include "core/design/file/sectiontree.h"
#include "core/yaml/fieldreader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// A field of a section that is read into `Config`, described once: reading, writing and checking follow from its row. A new key of such a section
/// is a member of the Config, a row, and a line in resources/examples/reference.yaml, which says the same words (tst_section_fields).
template <class Config>
struct SectionField {
    /// Says what is wrong with a value: the path of its field below the section, the message, what was expected.
    using Tell = std::function<void(const std::string& key, std::string message, std::string expected)>;

    std::string key;
    std::string text; ///< What it means, as the reference says it.
    std::function<void(const MapReader& map, Config& config)> read;
    std::function<void(MapBuilder& map, const Config& config)> write; ///< Nothing where the value is the usual one.
    std::function<void(const Config& config, const Tell& tell)> check;
    std::vector<SectionField> inner; ///< Of a mapping.
};

template <class Config>
using SectionFields = std::vector<SectionField<Config>>;

constexpr double kLeastShare = 1e-6; ///< What integers of a millionth can hold.

/// A share; 0 is one.
std::optional<double> readShare(const MapReader& map, std::string_view key);

/// A fraction from 1/1000000 to 1, like 120/128.
std::optional<std::pair<std::int64_t, std::int64_t>> readFraction(const MapReader& map, std::string_view key);

/// One of the words of a list. `usual`: what it is where nothing is said; absent: as in a Config that nothing was read into.
template <class Config, class Value, std::size_t count>
SectionField<Config> wordField(const char* key, Value Config::* member, const KeyTable<Value, count>& words, const char* text,
                               Value (*usual)(const Config&) = [](const Config&) { return Value{}; })
{
    return {key, text,
            [key, member, &words, usual](const MapReader& map, Config& config) {
                const std::vector<std::pair<std::string_view, Value>> choices(words.begin(), words.end());
                config.*member = map.choice<Value>(key, choices).value_or(usual(config));
            },
            [key, member, &words, usual](MapBuilder& map, const Config& config) {
                for (const auto& [word, value] : words) {
                    if (value == config.*member && value != usual(config))
                        map.add(key, std::string(word));
                }
            },
            [](const Config&, const auto&) {}, {}};
}

/// A whole number; a Config that nothing was read into may say one out of the range, which then means that nothing is said.
template <class Config>
SectionField<Config> wholeField(const char* key, std::int32_t Config::* member, std::int32_t least, std::int32_t most, const char* text)
{
    return {key, text,
            [key, member, least, most](const MapReader& map, Config& config) { config.*member = map.integer32(key, least, most).value_or(config.*member); },
            [key, member](MapBuilder& map, const Config& config) {
                if (config.*member != Config{}.*member)
                    map.add(key, std::int64_t{config.*member});
            },
            [key, member, least, most](const Config& config, const auto& tell) {
                const std::int32_t value = config.*member;
                if (value != Config{}.*member && (value < least || value > most))
                    tell(key, std::to_string(value) + " is not possible here", std::to_string(least) + " to " + std::to_string(most));
            },
            {}};
}

/// A share that leaves something: 0 or more, below 1. Always written.
template <class Config>
SectionField<Config> lossField(const char* key, double Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) { config.*member = readShare(map, key).value_or(config.*member); },
            [key, member](MapBuilder& map, const Config& config) { map.add(key, decimal(config.*member)); },
            [key, member](const Config& config, const auto& tell) {
                if (!(config.*member >= 0) || config.*member > 1 - kLeastShare)
                    tell(key, "not a share that leaves something", "0 or more and below 1");
            },
            {}};
}

/// True or false; written where it is true.
template <class Config>
SectionField<Config> flagField(const char* key, bool Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) { config.*member = map.boolean(key).value_or(false); },
            [key, member](MapBuilder& map, const Config& config) {
                if (config.*member)
                    map.add(key, "true");
            },
            [](const Config&, const auto&) {}, {}};
}

/// What may be absent, and is written where it is there. `read`: the value of a key, if it is one; `write`: its text.
template <class Config, class Value, class Read, class Write>
SectionField<Config> givenField(const char* key, std::optional<Value> Config::* member, const char* text, Read read, Write write)
{
    return {key, text,
            [key, member, read](const MapReader& map, Config& config) {
                if (std::optional<Value> value = read(map, key))
                    config.*member = std::move(value);
            },
            [key, member, write](MapBuilder& map, const Config& config) {
                if (config.*member)
                    map.add(key, std::string(write(*(config.*member))));
            },
            [](const Config&, const auto&) {}, {}};
}

template <class Config>
SectionField<Config> givenQuantity(const char* key, std::optional<Quantity> Config::* member, Measure measure, const char* text)
{
    return givenField(key, member, text, [measure](const MapReader& map, const char* of) { return map.quantity(of, measure); }, [](const Quantity& value) { return value.text(); });
}

template <class Config>
SectionField<Config> givenWhole(const char* key, std::optional<std::int32_t> Config::* member, std::int32_t least, std::int32_t most, const char* text)
{
    return givenField(key, member, text, [least, most](const MapReader& map, const char* of) { return map.integer32(of, least, most); },
                      [](std::int32_t value) { return std::to_string(value); });
}

template <class Config, class Value, std::size_t count>
SectionField<Config> givenWord(const char* key, std::optional<Value> Config::* member, const KeyTable<Value, count>& words, const char* text)
{
    return givenField(key, member, text, [&words](const MapReader& map, const char* of) { return map.choice<Value>(of, {words.begin(), words.end()}); },
                      [&words](Value value) { return keyOf(words, value); });
}

template <class Config>
SectionField<Config> givenFlag(const char* key, std::optional<bool> Config::* member, const char* text)
{
    return givenField(key, member, text, [](const MapReader& map, const char* of) { return map.boolean(of); }, [](bool value) { return value ? "true" : "false"; });
}

/// A fraction of at most 1, like 120/128.
template <class Config>
SectionField<Config> givenFraction(const char* key, std::optional<std::pair<std::int64_t, std::int64_t>> Config::* member, const char* text)
{
    return givenField(key, member, text, readFraction, [](const auto& value) { return std::to_string(value.first) + '/' + std::to_string(value.second); });
}

/// Reads what is there; every other key is reported. `path`: of the section, "scheduling".
template <class Config>
void readFields(FieldContext& context, const YamlNode& node, const std::string& path, const SectionFields<Config>& fields, Config& config)
{
    std::vector<std::string_view> keys;
    for (const SectionField<Config>& field : fields)
        keys.push_back(field.key);
    const MapReader map(context, node, path, keys);
    for (const SectionField<Config>& field : fields) {
        if (field.inner.empty())
            field.read(map, config);
        else if (const YamlNode* inside = map.node(field.key))
            readFields(context, *inside, path + '.' + field.key, field.inner, config);
    }
}

template <class Config>
YamlNode fieldsTree(const SectionFields<Config>& fields, const Config& config)
{
    MapBuilder map;
    for (const SectionField<Config>& field : fields) {
        if (field.inner.empty())
            field.write(map, config);
        else
            map.addFilled(field.key, fieldsTree(field.inner, config));
    }
    return map.take();
}

/// In the order of the rows.
template <class Config>
void checkFields(const SectionFields<Config>& fields, const Config& config, const typename SectionField<Config>::Tell& tell)
{
    for (const SectionField<Config>& field : fields) {
        if (field.inner.empty()) {
            field.check(config, tell);
            continue;
        }
        checkFields<Config>(field.inner, config, [&tell, &field](const std::string& key, std::string message, std::string expected) {
            tell(field.key + '.' + key, std::move(message), std::move(expected));
        });
    }
}

/// The entries of a list, each described by `fields`.
template <class Entry>
std::vector<Entry> readList(const MapReader& map, std::string_view key, const SectionFields<Entry>& fields)
{
    std::vector<Entry> entries;
    for (const auto& [item, field] : map.list(key))
        readFields(map.context(), *item, field, fields, entries.emplace_back());
    return entries;
}

template <class Entry>
YamlNode listTree(const SectionFields<Entry>& fields, const std::vector<Entry>& entries)
{
    YamlNode list = YamlNode::sequence();
    for (const Entry& entry : entries)
        list.items.push_back(fieldsTree(fields, entry));
    return list;
}

/// `key`: of the list.
template <class Entry>
void checkList(const std::string& key, const SectionFields<Entry>& fields, const std::vector<Entry>& entries, const typename SectionField<Entry>::Tell& tell)
{
    for (std::size_t i = 0; i < entries.size(); ++i) {
        checkFields<Entry>(fields, entries[i], [&](const std::string& of, std::string message, std::string expected) {
            tell(key + '[' + std::to_string(i) + "]." + of, std::move(message), std::move(expected));
        });
    }
}

struct SchedulingConfig;
struct EfficiencyPoint;
struct EfficiencyKind;
struct MemoryConfig;
struct ResidentMemory;
struct SlowdownConfig;
struct ProtocolConfig;
struct FaultConfig;

// The sections that are described so; the order of rows is that in which they are written, which the hash of a design rests on.
const SectionFields<SchedulingConfig>& schedulingFields();
const SectionFields<SlowdownConfig>& slowdownFields();
const SectionFields<EfficiencyPoint>& pointFields(Measure measure); ///< Of an entry of compute.efficiency.operations or .bytes.
const SectionFields<EfficiencyKind>& kindFields();                  ///< Of an entry of compute.efficiency.kinds.
const SectionFields<MemoryConfig>& memoryFields();
const SectionFields<ResidentMemory>& residentFields();              ///< Of an entry of compute.memory.resident.
const SectionFields<ProtocolConfig>& protocolFields(); ///< Of an entry of network.protocols.
const SectionFields<FaultConfig>& faultFields();       ///< Of an entry of network.faults.

} // namespace fabricscope
