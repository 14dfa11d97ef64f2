#pragma once

#include "core/transform/tensorprogram.h"
#include "core/yaml/fieldreader.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fabricscope::transform {

/// Reads sizes, scalars, tensors and stages of a file; layouts are not inferred yet.
class StageReader {
public:
    StageReader(FieldContext& context, TensorProgram& program) : m_context(context), m_program(program) {}

    void readSizes(const MapReader& map);
    void readScalars(const MapReader& map);
    void readTensors(const MapReader& map);
    void readStages(const MapReader& map);
    void readOutputs(const MapReader& map);

private:
    std::optional<std::int64_t> readExtent(const YamlNode& node, const std::string& field);
    std::optional<Extents> readShape(const MapReader& map);
    std::optional<Layout> readLayout(const MapReader& map, std::size_t dims);
    bool checkName(const YamlEntry& entry, const std::string& field);
    bool checkName(const YamlNode& node, const std::string& name, const std::string& field);
    void readStage(const YamlNode& node, const std::string& field);
    void readInputs(const MapReader& map, Stage& stage, std::size_t count);
    void readExpr(const MapReader& map, Stage& stage);
    void readSettings(const MapReader& map, Stage& stage);
    /// The maker of what a name means at this point; nothing: unknown.
    std::optional<std::string> resolved(std::string_view name) const;

    FieldContext& m_context;
    TensorProgram& m_program;
    std::map<std::string, std::int64_t, std::less<>> m_sizes;
    std::map<std::string, double, std::less<>> m_scalars;
    std::size_t m_operands = 0;
    std::map<std::string, std::string, std::less<>> m_latest; ///< Of a name: the stage that made its content last, or itself.
};

} // namespace fabricscope::transform
