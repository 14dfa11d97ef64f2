#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/modelversions.h"

namespace fabricscope {

namespace {

inline constexpr auto kModelKeys = [] {
    KeyTable<Model, kModelRows.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = {kModelRows[i].name, kModelRows[i].model};
    return words;
}();

/// What an ASTRA-sim system file decides is not written, or as that says.
void writeDelay(MapBuilder& map, const Design& design, const Writing& how)
{
    if (!design.astra && (how.form == DesignForm::Canonical || !(design.model.endpointDelay == ModelConfig{}.endpointDelay)))
        map.add("endpoint_delay", design.model.endpointDelay);
}

void writeHandshake(MapBuilder& map, const Design& design, const Writing& how)
{
    const bool rendezvous = design.astra ? design.astra->rendezvous : design.model.rendezvous;
    if (how.form == DesignForm::Canonical || rendezvous)
        map.add("rendezvous", rendezvous ? "true" : "false");
}

void writeVersion(MapBuilder& map, const Design& design, const Writing& how)
{
    const std::string& version = design.model.version;
    if (how.form == DesignForm::Canonical || !version.empty())
        map.add("version", version.empty() ? std::string(currentVersion(design.model.model)) : version);
}

SectionField<Design> rooflineField()
{
    return {"roofline", "use operations and bytes of compute steps without a time",
            [](const MapReader& map, Design& design) { design.model.roofline = map.boolean("roofline").value_or(true); },
            [](MapBuilder& map, const Design& design, const Writing& how) {
                if (how.form == DesignForm::Canonical || !design.model.roofline)
                    map.add("roofline", design.model.roofline ? "true" : "false");
            },
            [](const Design&, const auto&) {}, {}};
}

} // namespace

const SectionFields<Design>& modelFields()
{
    using Config = ModelConfig;
    static const SectionFields<Design> fields{
        written(ofPart(&Design::model, wordField("name", &Config::model, kModelKeys, "", +[](const Config&) { return Model::Links; })),
                [](MapBuilder& map, const Design& design, const Writing&) { map.add("name", std::string(modelName(design.model.model))); }),
        written(ofPart(&Design::model, textField("version", &Config::version, "of its rules")), writeVersion),
        written(ofPart(&Design::model, quantityField("endpoint_delay", &Config::endpointDelay, Measure::Time, "software time per message at the sender")), writeDelay),
        written(ofPart(&Design::model, flagField("rendezvous", &Config::rendezvous, "a handshake before every message")), writeHandshake),
        rooflineField(),
    };
    return fields;
}

void readModelSection(DesignReading& reading, const YamlNode& node)
{
    const MapReader map(reading.fields, node, "model", keysOf(modelFields()));
    Design& design = reading.design;
    readFields(map, modelFields(), design);
    if (!design.astra)
        return;
    if (map.has("endpoint_delay"))
        map.error("endpoint_delay", "the ASTRA-sim system file decides this", "model without \"endpoint_delay\"");
    AstraSystem system = *design.astra;
    system.rendezvous = design.model.rendezvous;
    design.astra = std::make_shared<const AstraSystem>(std::move(system));
}

YamlNode modelTree(const Design& design, DesignForm form)
{
    return fieldsTree(modelFields(), design, {form});
}

} // namespace fabricscope
