#include "core/base/index.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::size_t kMaxLabel = 200;
constexpr std::int32_t kMaxPriority = 1 << 30;

/// "+8", "-8", "3".
bool isPeer(const std::string& text)
{
    const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    return text.size() > sign && text.size() <= sign + 7 && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A name or a list of names. `said`: whether it is written.
SectionField<Step> labelsField(const char* key, std::vector<std::string> Step::* member, bool (*said)(const Step&))
{
    return {key, "",
            [key, member](const MapReader& map, Step& step) {
                const YamlNode* list = map.node(key);
                if (list && list->isScalar())
                    (step.*member).push_back(list->text);
                else if (list)
                    for (const auto& [item, field] : map.list(key))
                        (step.*member).push_back(readText(map.context(), *item, field).value_or(""));
            },
            [key, member, said](MapBuilder& map, const Step& step, const Writing&) {
                if (!said(step))
                    return;
                YamlNode list = YamlNode::sequence();
                for (const std::string& label : step.*member)
                    list.items.push_back(YamlNode::scalar(label));
                map.add(key, list.items.size() == 1 ? list.items[0] : list);
            },
            [](const Step&, const auto&) {}, {}};
}

/// What a step does, with the bytes that it moves.
SectionField<Step> movedField(const char* key)
{
    return written(givenQuantity(key, &Step::bytes, Measure::Size, ""),
                   [key](MapBuilder& map, const Step& step, const Writing&) { map.add(key, step.bytes.value_or(Quantity{0, "B", Measure::Size})); });
}

/// The other side of a message.
SectionField<Step> sideField(const char* key)
{
    return {key, "",
            [key](const MapReader& map, Step& step) {
                map.required(key);
                step.peer = map.text(key).value_or("0");
                if (isPeer(step.peer))
                    return;
                map.error(key, "\"" + step.peer + "\" is not possible here", "a rank such as 3, or a difference such as +8 or -8");
                step.peer = "0";
            },
            [key](MapBuilder& map, const Step& step, const Writing&) { map.add(key, step.peer); }, [](const Step&, const auto&) {}, {}};
}

/// A time or operations.
SectionField<Step> computeField()
{
    return {"compute", "",
            [](const MapReader& map, Step& step) {
                const auto given = map.text("compute");
                if (!given)
                    return;
                auto time = parseQuantity(*given, Measure::Time);
                auto work = parseQuantity(*given, Measure::Operations);
                if (time)
                    step.duration = std::move(time).value();
                else if (work)
                    step.operations = std::move(work).value();
                else
                    map.error("compute", time.error().message, "a time such as 120 us, or operations such as 2.5 TFLOP");
            },
            [](MapBuilder& map, const Step& step, const Writing&) {
                map.add("compute", step.duration ? *step.duration : step.operations.value_or(Quantity{0, "FLOP", Measure::Operations}));
            },
            [](const Step&, const auto&) {}, {}};
}

/// Beside a time.
SectionField<Step> operationsField()
{
    return {"operations", "",
            [](const MapReader& map, Step& step) {
                auto work = map.quantity("operations", Measure::Operations);
                if (!work)
                    return;
                if (step.operations)
                    map.error("operations", "operations are given twice");
                step.operations = std::move(work);
            },
            [](MapBuilder& map, const Step& step, const Writing&) {
                if (step.duration)
                    map.add("operations", step.operations);
            },
            [](const Step&, const auto&) {}, {}};
}

SectionField<Step> nameField()
{
    SectionField<Step> name = textField("name", &Step::name, "");
    name.read = [read = std::move(name.read)](const MapReader& map, Step& step) {
        read(map, step);
        if (step.name.size() > kMaxLabel)
            map.error("name", "this name is too long", "at most " + std::to_string(kMaxLabel) + " bytes");
    };
    return name;
}

SectionField<Step> afterField()
{
    SectionField<Step> after = labelsField("after", &Step::after, [](const Step& step) { return step.afterGiven; });
    after.read = [read = std::move(after.read)](const MapReader& map, Step& step) {
        read(map, step);
        step.afterGiven = map.node("after") != nullptr;
    };
    return after;
}

/// The keys of one kind before those of all kinds.
SectionFields<Step> stepOf(SectionFields<Step> own)
{
    for (SectionField<Step>& field :
         SectionFields<Step>{nameField(), afterField(), labelsField("uses", &Step::uses, [](const Step& step) { return !step.uses.empty(); }),
                             givenQuantity("output", &Step::output, Measure::Size, ""), givenQuantity("scratch", &Step::scratch, Measure::Size, ""), ranksField("ranks", &Step::ranks, ""),
                             wholeField("priority", &Step::priority, -kMaxPriority, kMaxPriority, "higher goes first with scheduling.order: explicit")})
        own.push_back(std::move(field));
    return own;
}

SectionFields<Step> fieldsOf(Step::Kind kind)
{
    const auto tag = [] { return wholeField("tag", &Step::tag, 0, UINT32_MAX, ""); };
    switch (kind) {
    case Step::Kind::Compute:
        return stepOf({computeField(), operationsField(), givenQuantity("bytes", &Step::bytes, Measure::Size, "with bytes moved in local memory")});
    case Step::Kind::Collective:
        return stepOf({collectiveField("collective", &Step::op, ""), required(givenQuantity("size", &Step::bytes, Measure::Size, "the large side")),
                       textField("group", &Step::group, "")});
    case Step::Kind::Send:
        return stepOf({movedField("send"), sideField("to"), tag()});
    case Step::Kind::Receive:
        return stepOf({movedField("receive"), sideField("from"), tag()});
    case Step::Kind::Load:
        return stepOf({movedField("load"), textField("gather", &Step::group, "")});
    case Step::Kind::Store:
        return stepOf({movedField("store")});
    case Step::Kind::Repeat:
        break;
    }
    return {saidWhole("repeat", &Step::times, 1, INT32_MAX, ""), required(stepsField("steps", &Step::steps))};
}

Step readStep(FieldContext& context, const YamlNode& node, const std::string& field)
{
    Step step;
    step.place = context.document.place(node, field);
    std::vector<std::string_view> known;
    int kinds = 0;
    for (const auto& [key, kind] : kStepKinds) {
        known.push_back(key);
        if (node.isMap() && node.find(key)) {
            step.kind = kind;
            ++kinds;
        }
    }
    if (kinds == 1) {
        known = keysOf(stepFields(step.kind));
    } else {
        static const SectionFields<Step> ofAll = stepOf({});
        for (const std::string_view key : keysOf(ofAll))
            known.push_back(key);
    }
    const MapReader map(context, node, field, known);
    if (!node.isMap())
        return step;
    if (kinds == 1)
        readFields(map, stepFields(step.kind), step);
    else
        context.error(node, field, kinds == 0 ? "nothing says what this step does" : "this step does more than one thing", "one of " + listedWords(keysOf(kStepKinds)));
    return step;
}

} // namespace

const SectionFields<Step>& stepFields(Step::Kind kind)
{
    static const auto fields = [] {
        std::array<SectionFields<Step>, kStepKinds.size()> all;
        for (const auto& [key, of] : kStepKinds)
            all[at(of)] = fieldsOf(of);
        return all;
    }();
    return fields[at(kind)];
}

std::vector<Step> readSteps(const MapReader& map, std::string_view key)
{
    std::vector<Step> steps;
    for (const auto& [item, field] : map.list(key))
        steps.push_back(readStep(map.context(), *item, field));
    return steps;
}

YamlNode stepsTree(const std::vector<Step>& steps, const Writing& how)
{
    YamlNode list = YamlNode::sequence();
    for (const Step& step : steps) {
        checkStop(how.stop);
        list.items.push_back(fieldsTree(stepFields(step.kind), step, how));
    }
    return list;
}

} // namespace fabricscope
