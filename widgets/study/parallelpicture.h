#pragma once

#include "widgets/base/theme.h"
#include "widgets/study/variantcolumns.h"

#include <QImage>
#include <QPolygonF>
#include <QSize>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Designs as lines over axes side by side, to be drawn on any thread.
struct ParallelLines {
    struct Side {
        std::size_t column = 0;
        bool inverted = false;
        double x = 0;
    };
    VariantColumnsPtr columns;
    std::vector<Side> sides;  ///< From the left.
    BrushedRows inside;
    std::optional<std::size_t> colour{}; ///< The column that what is brushed is coloured by.
    double top = 0;
    double height = 1;
    QSize size;
    double ratio = 1; ///< Device pixels per logical one.
    Theme theme;

    bool isBrushed(std::size_t row) const { return !inside || (*inside)[row] != 0; }
    double yOf(const Side& side, double value) const;
    /// Of the height, from above; designs with the same one of a few values lie beside each other. NaN: it has no value.
    float shareOfRow(const Side& side, std::size_t row) const;
    double yOfRow(const Side& side, std::size_t row) const { return top + height * static_cast<double>(shareOfRow(side, row)); }
    /// The value at a height; the inverse of yOf().
    double valueAt(const Side& side, double y) const;
    /// Of one design, in pieces where it has no value.
    std::vector<QPolygonF> lineOf(std::size_t row) const;
    /// Bucket of the heat colours.
    int bucketOf(std::size_t row) const;
};

/// As many as that are drawn one by one, more as how many lie on each other: counted over pairs of bins of 2 px, so that the time depends on the size of the picture more than on the designs.
constexpr std::size_t kMostParallelLines = 500;
QImage parallelPicture(const ParallelLines& lines, const std::stop_token& stop = {});

} // namespace fabricscope
