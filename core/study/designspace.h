#pragma once

#include "core/design/design.h"
#include "core/design/file/designdocument.h"
#include "core/study/constraint.h"
#include "core/study/pointfigures.h"
#include "core/yaml/tree.h"

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// One thing a parameter may be.
struct ParameterChoice {
    std::string label; ///< In tables: the value as written, or the name of the alternative.
    std::string value; ///< As `--set` takes it.
    Place place;
    NamedValue named;  ///< In constraints.
};

/// From one number to another, of one measure.
struct ParameterRange {
    double from = 0; ///< In `unit`.
    double to = 0;
    std::string unit; ///< Empty: none.
    Measure measure = Measure::Count;
    bool logarithmic = false;
};

/// What is varied. Either choices, or a range without points, which only samplings take.
struct StudyParameter {
    std::string name;
    std::vector<std::string> fields; ///< Of the design; linked: all get the same value.
    std::vector<ParameterChoice> choices;
    std::optional<ParameterRange> range{};
    bool fromRange = false; ///< The choices are points of a range.
    Place place;
    /// The choice for a number from 0 to below 1: one of the choices, or in the range.
    ParameterChoice at(double share) const;
};

struct StudyObjective {
    enum class Sense : std::uint8_t { Minimise, Maximise, Report };
    Sense sense = Sense::Minimise;
    PointFigure figure = PointFigure::StepTime;
    Place place;
};
inline constexpr KeyTable<StudyObjective::Sense, 3> kObjectiveSenses{
    {{"minimise", StudyObjective::Sense::Minimise}, {"maximise", StudyObjective::Sense::Maximise}, {"report", StudyObjective::Sense::Report}}};

struct StudySampling {
    enum class Kind : std::uint8_t { Grid, LatinHypercube, Sobol, Saltelli };
    enum class Search : std::uint8_t { SuccessiveHalving, Nsga2, Local };
    Kind kind = Kind::Grid;
    std::int64_t points = 0; ///< Of a sampling; of Saltelli's rows, each of which has two designs more than there are parameters.
    std::uint64_t seed = 0;
    std::optional<Search> search{}; ///< Absent: all designs are run.
    std::int64_t budget = 0;        ///< Of a search: how many are simulated.
};
inline constexpr KeyTable<StudySampling::Search, 3> kStudySearches{{{"successive_halving", StudySampling::Search::SuccessiveHalving}, {"nsga2", StudySampling::Search::Nsga2}, {"local", StudySampling::Search::Local}}};
inline constexpr KeyTable<StudySampling::Kind, 4> kSamplings{
    {{"grid", StudySampling::Kind::Grid}, {"latin_hypercube", StudySampling::Kind::LatinHypercube}, {"sobol", StudySampling::Kind::Sobol}, {"saltelli", StudySampling::Kind::Saltelli}}};

struct StudyConstraint {
    Constraint condition;
    Place place;
};

/// Most designs of one study, of one that is halved, and of a grid of which a search looks at some.
constexpr std::int64_t kMostDesigns = 10'000'000;
constexpr std::int64_t kMostHalved = 1'000'000;
constexpr std::int64_t kMostSearched = 1'000'000'000'000'000;

/// A study as read. A plain value.
struct StudySpec {
    std::string name;
    std::string file;
    YamlDocument base; ///< The design that is varied; its places are those of its file.
    std::vector<StudyParameter> parameters;
    std::vector<std::pair<std::size_t, std::string>> fields; ///< What is set, by which parameter: a section before what is in it.
    std::vector<StudyConstraint> constraints;
    std::vector<StudyObjective> objectives;
    StudySampling sampling;

    std::int64_t mostDesigns() const; ///< That such a study may have.
    std::int64_t designCount() const; ///< At most mostDesigns().
    /// What each parameter is in a design. \pre 0 <= number < designCount()
    std::vector<ParameterChoice> choicesOf(std::int64_t number) const;
    /// The fields they set. \pre one choice for each parameter
    std::vector<PlacedField> fieldsOf(const std::vector<ParameterChoice>& choices) const;
    /// What a name of a constraint is with these choices and figures.
    NamedValue valueOf(std::string_view asked, const std::vector<ParameterChoice>& choices, const PointFigures& figures) const;
    bool usesParts() const; ///< An objective or a constraint does.

    /// Latin hypercube: the row of every design in each dimension, made once. Else empty.
    std::vector<std::vector<std::int32_t>> strata;
};

/// Reads a study and tries every value of every parameter in the design, so that what is misspelt is told before anything runs. `sets`: as --set. In readspace.cpp.
/// Errors: InvalidInput with file, line and field; Unsupported; Cancelled.
Result<StudySpec> readStudy(const std::string& file, const std::vector<FieldOverride>& sets, const std::stop_token& stop = {});
/// The same of a text that stands in `file`. In readspace.cpp.
Result<StudySpec> readStudyText(std::string text, const std::string& file, const std::vector<FieldOverride>& sets, const std::stop_token& stop = {});

/// The Sobol sequence of Joe and Kuo: number `index` of dimension `dimension`, from 0 to below 1. In sobolsequence.cpp. \pre dimension < kSobolDimensions, index < 2^32
constexpr std::size_t kSobolDimensions = 21;
double sobolNumber(std::uint32_t index, std::size_t dimension, std::uint32_t shift);

} // namespace fabricscope
