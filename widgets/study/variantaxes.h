#pragma once

#include "core/study/spacerun.h"
#include "widgets/base/tablecontent.h"

#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace fabricscope {

/// What the designs of a study are seen by: a figure, or a parameter that is a number.
struct VariantAxis {
    QString name;                      ///< "Step time"; of a parameter as the study has it.
    Measure measure = Measure::Count;
    std::optional<PointFigure> figure{};
    std::size_t parameter = 0;         ///< Without a figure.
    StudyObjective::Sense sense = StudyObjective::Sense::Report;
    bool isObjective = false;

    bool isSame(const VariantAxis& other) const { return figure == other.figure && (figure || parameter == other.parameter); }
    std::optional<double> of(const StudySpec& space, const StudyTableRow& row) const;
    /// One unit for values up to `largest`.
    ColumnUnit unit(double largest) const;
    /// "4.944 ms", "3.8 M$", "12".
    QString text(double value) const;
    /// The same in a unit that is said elsewhere: "4.944".
    static QString number(double value, const ColumnUnit& in);
};

/// Objectives first, then parameters that are numbers, then the other figures that some design has.
std::vector<VariantAxis> variantAxes(const StudySpec& space, const StudyTable& table);
/// "Step time": for people.
QString figureTitle(PointFigure figure);

} // namespace fabricscope
