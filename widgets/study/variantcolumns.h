#pragma once

#include "widgets/study/variantaxes.h"
#include "widgets/study/variantrunner.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fabricscope {

/// Of the values of an axis.
struct VariantInterval {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool holds(double value) const { return value >= low && value <= high; }
    friend bool operator==(const VariantInterval&, const VariantInterval&) = default;
};

/// Where all designs of a study stand along one axis. Values of a parameter are evenly spread, from the least below to the largest above, or as they are listed where they are no numbers; all
/// else is to scale, logarithmic where the largest is more than fifty times the least.
class VariantColumn {
public:
    VariantColumn(VariantAxis axis, std::vector<double> values);
    /// `places`: for each design which of the values it has. `numbers` ascend.
    VariantColumn(VariantAxis axis, const std::vector<std::size_t>& places, std::vector<double> numbers, std::vector<QString> labels);

    const VariantAxis& axis() const { return m_axis; }
    /// Of the values, from below; of an axis to scale there are none.
    const std::vector<QString>& labels() const { return m_labels; }
    std::size_t rows() const { return m_values.size(); }
    /// NaN: the design has none.
    double value(std::size_t row) const { return m_values[row]; }
    /// partOf() that.
    float part(std::size_t row) const { return m_parts[row]; }
    double least() const { return m_least; }
    double most() const { return m_most; }
    /// 0 below to 1 above; of any number, so that others may be outside.
    double partOf(double value) const;
    double valueAt(double part) const;
    /// What a value is called: as the study has it, or with its unit.
    QString text(double value) const;
    /// "157 µs – 213 µs"; of few values the first and the last that it holds.
    QString text(const VariantInterval& interval) const;

private:
    void findParts();

    VariantAxis m_axis;
    std::vector<double> m_values;
    std::vector<float> m_parts;
    std::vector<double> m_numbers; ///< Of the labels.
    std::vector<QString> m_labels;
    double m_least = 0;
    double m_most = 1;
    bool m_log = false;
};

struct VariantColumns {
    VariantColumns(StudyTablePtr of, std::vector<VariantColumn> with, std::size_t ofNumbers);

    StudyTablePtr table;
    std::vector<VariantColumn> columns; ///< As variantAxes() has them, then parameters that are no numbers.
    std::size_t numeric = 0;            ///< How many of them variantAxes() has.
    std::vector<std::uint32_t> done;    ///< Rows of designs that are done.
    std::vector<float> spread;          ///< By row, from -0.5 to 0.5, always the same for a design: where it lies among those with the same value.
    const VariantColumn* find(const VariantAxis& axis) const;
};
using VariantColumnsPtr = std::shared_ptr<const VariantColumns>;

/// Any thread. O(designs x axes).
VariantColumnsPtr variantColumns(const VariedStudyPtr& study, const StudyTablePtr& table);

/// What all views of a study have in common: intervals of some axes, all of which hold for what is brushed.
class VariantBrush {
public:
    using Side = std::pair<VariantAxis, VariantInterval>;

    bool isEmpty() const { return m_sides.empty(); }
    const std::vector<Side>& sides() const { return m_sides; }
    /// Null: none.
    const VariantInterval* of(const VariantAxis& axis) const;
    void set(const VariantAxis& axis, const VariantInterval& interval);
    void remove(const VariantAxis& axis);

private:
    std::vector<Side> m_sides;
};

/// By row of the table: 1 inside. Null: all are.
using BrushedRows = std::shared_ptr<const std::vector<char>>;

/// A design without a value of a brushed axis is outside.
BrushedRows brushedRows(const VariantColumns& columns, const VariantBrush& brush);

} // namespace fabricscope
