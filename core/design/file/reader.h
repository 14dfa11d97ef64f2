#pragma once

#include "core/design/design.h"
#include "core/yaml/fieldreader.h"

#include <stop_token>

namespace fabricscope {

/// One reading of a design file: the document, the design so far and what was found. The parts below each read one section.
struct DesignReading {
    FieldContext fields;
    Design design;
    bool readFiles = true;
    std::stop_token stop{};

    /// Opens a file named in the design: its path as to be opened; nothing (and an error) when files may not be read.
    std::optional<std::string> openable(const MapReader& map, std::string_view key);
    /// Reports an error of another reader at its own place, or at the field where it has none.
    void report(const YamlNode& node, const std::string& field, const Error& error);
};

// In platformsection.cpp, workloadreader.cpp, collectivesection.cpp, modelsection.cpp, networksection.cpp, accuracysection.cpp, computesection.cpp and schedulingsection.cpp.
void readPlatformSection(DesignReading& reading, const YamlNode& node);
void readWorkloadSection(DesignReading& reading, const YamlNode& node);
void readCollectivesSection(DesignReading& reading, const YamlNode& node);
void readModelSection(DesignReading& reading, const YamlNode& node);
void readNetworkSection(DesignReading& reading, const YamlNode& node);
void readAccuracySection(DesignReading& reading, const YamlNode& node);
void readComputeSection(DesignReading& reading, const YamlNode& node);
void readSchedulingSection(DesignReading& reading, const YamlNode& node);

/// "ring", "standard", "direct4": an algorithm of one dimension; "auto" is read as "standard" there.
std::optional<AlgorithmChoice> parseAlgorithmChoice(std::string_view text);
std::string algorithmChoiceText(const AlgorithmChoice& choice);

} // namespace fabricscope
