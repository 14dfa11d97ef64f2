#include "core/design/file/sectionfields.h"

namespace fabricscope {

namespace {

constexpr KeyTable<CtrlDeps, 3> kCtrlDeps{{{"auto", CtrlDeps::Auto}, {"use", CtrlDeps::Use}, {"ignore", CtrlDeps::Ignore}}};

const SectionFields<GroupFamily::Axis>& axisFields()
{
    using Config = GroupFamily::Axis;
    static const SectionFields<Config> fields{required(saidWhole("size", &Config::size, 1, kMaxNpus, "")), saidWhole("stride", &Config::stride, 1, kMaxNpus, "")};
    return fields;
}

/// Lists of ranks.
SectionField<GroupSpec> listsField()
{
    return {"lists", "",
            [](const MapReader& map, GroupSpec& group) {
                for (const auto& [item, field] : map.list("lists")) {
                    std::vector<std::int64_t> members;
                    if (!item->isSequence())
                        map.context().error(*item, field, "a list of ranks is needed here", "[0, 4, 8]");
                    for (std::size_t i = 0; i < item->items.size(); ++i)
                        members.push_back(readInteger(map.context(), item->items[i], field + "[" + std::to_string(i) + "]", 0, kMaxNpus - 1).value_or(0));
                    group.lists.push_back(std::move(members));
                }
            },
            [](MapBuilder& map, const GroupSpec& group, const Writing& how) {
                YamlNode list = YamlNode::sequence();
                for (const auto& members : group.lists) {
                    checkStop(how.stop);
                    list.items.push_back(wholesTree(members));
                }
                map.addFilled("lists", std::move(list));
            },
            [](const GroupSpec&, const auto&) {}, {}};
}

/// Families with their places in the file.
SectionField<StepsWorkload> groupsField()
{
    return {"groups", "",
            [](const MapReader& map, StepsWorkload& steps) {
                for (const auto& [item, field] : map.list("groups")) {
                    GroupSpec& group = steps.groups.emplace_back();
                    group.place = map.context().document.place(*item, field);
                    const MapReader reader(map.context(), *item, field, keysOf(groupFields()));
                    if (!item->isMap())
                        continue;
                    if (reader.has("dimensions") + reader.has("axes") + reader.has("lists") != 1)
                        map.context().error(*item, field, "nothing, or more than one thing, says who is in the groups", "one of dimensions, axes, lists");
                    readFields(reader, groupFields(), group);
                }
            },
            [](MapBuilder& map, const StepsWorkload& steps, const Writing& how) { map.addFilled("groups", listTree(groupFields(), steps.groups, how)); },
            [](const StepsWorkload&, const auto&) {}, {}};
}

} // namespace

const SectionFields<GroupSpec>& groupFields()
{
    using Config = GroupSpec;
    static const SectionFields<Config> fields{
        required(saidText("name", &Config::name, "")),
        wholesField("dimensions", &Config::dimensions, 0, 63, "along dimensions of the platform"),
        listField("axes", &Config::axes, axisFields, ""),
        listsField(),
    };
    return fields;
}

const SectionFields<StepsWorkload>& stepsFields()
{
    static const SectionFields<StepsWorkload> fields{groupsField(), stepsField("steps", &StepsWorkload::steps)};
    return fields;
}

const SectionFields<SingleCollective>& collectiveFields()
{
    using Config = SingleCollective;
    static const SectionFields<Config> fields{
        collectiveField("collective", &Config::op, "one collective by all ranks"),
        required(quantityField("size", &Config::size, Measure::Size, "")),
    };
    return fields;
}

const SectionFields<TraceWorkload>& traceFields()
{
    using Config = TraceWorkload;
    // The hash of a design has the content of the files, not their names.
    const auto isFile = [](const Writing& how) { return how.form == DesignForm::File; };
    static const SectionFields<Config> fields{
        {"trace", "",
         [](const MapReader& map, Config& config) {
             config.prefix = map.text("trace").value_or("");
             if (config.prefix.empty())
                 map.error("trace", "the prefix of the trace files is empty", "PREFIX of files PREFIX.RANK.et");
         },
         [isFile](MapBuilder& map, const Config& config, const Writing& how) { map.add("trace", isFile(how) ? config.prefix : std::string("files")); },
         [](const Config&, const auto&) {}, {}},
        written(textField("comm_groups", &Config::commGroups, "their groups"),
                [isFile](MapBuilder& map, const Config& config, const Writing& how) {
                    if (!config.commGroups.empty())
                        map.add("comm_groups", isFile(how) ? config.commGroups : std::string("file"));
                }),
        written(wordField("ctrl_deps", &Config::ctrlDeps, kCtrlDeps, "auto, use, ignore control dependencies"),
                [isFile](MapBuilder& map, const Config& config, const Writing& how) {
                    if (!isFile(how) || config.ctrlDeps != CtrlDeps::Auto)
                        map.add("ctrl_deps", std::string(keyOf(kCtrlDeps, config.ctrlDeps)));
                }),
        written(wholeField("bytes_per_element", &Config::bytesPerElement, 1, 1024, "factor on their sizes"),
                [isFile](MapBuilder& map, const Config& config, const Writing& how) {
                    if (!isFile(how) || config.bytesPerElement != 1)
                        map.add("bytes_per_element", std::int64_t{config.bytesPerElement});
                }),
    };
    return fields;
}

} // namespace fabricscope
