#pragma once

#include "core/draw/drawing.h"
#include "core/program/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

struct ProgramLayoutOptions {
    std::int32_t firstRank = 0;      ///< First row and column shown ...
    std::int32_t firstColumn = 0;
    std::int32_t mostRanks = 32;     ///< ... and how many at most.
    std::int32_t mostColumns = 48;
    std::size_t mostArrows = 4000;   ///< Columns that would go beyond are left out.
    std::vector<std::string> phases; ///< Names of OpTags::phase, where somebody knows them (Script::phases).
};

/// One message (or one-sided put) in the picture.
struct ProgramArrow {
    std::uint32_t send = 0;      ///< Operation, index into the columns of the body.
    std::uint32_t receive = 0;   ///< That takes it; of a put the same as `send`.
    std::int32_t from = 0;       ///< Ranks.
    std::int32_t to = 0;
    std::int32_t column = 0;
    bool reduces = false;        ///< The receiver adds it to what it has.
    LineF line;                  ///< From the row of `from` to that of `to`.
    PointF bubble;               ///< Middle of the label.
    std::string label;           ///< Chunks it carries: "3", "4-7".
    DrawColor color;             ///< By phase where the program names phases, else by chunk.
};

/// Work of one rank that is no message: copy, reduce, compute, switch operations.
struct ProgramMark {
    std::uint32_t operation = 0;
    std::int32_t rank = 0;
    std::int32_t column = 0;
    RectF rect;
    DrawColor color;
};

/// A program as a grid: ranks are rows, steps are columns, messages are arrows to the right. Above the limits only a part of the ranks, columns
/// and instances is there, and `note` says so.
struct ProgramLayout {
    struct Band {
        std::string text;  ///< "step 3", or a phase.
        double left = 0;
        double right = 0;
        DrawColor color;
    };

    SizeF size;
    std::int32_t ranks = 0;    ///< Of the program.
    std::int32_t columns = 0;
    std::int32_t firstRank = 0;
    std::int32_t shownRanks = 0;
    std::int32_t firstColumn = 0;
    std::int32_t shownColumns = 0;
    std::vector<Band> steps;   ///< Shown columns.
    std::vector<Band> phases;  ///< Over runs of columns; empty where the program names none.
    std::vector<ProgramArrow> arrows; ///< By (column, from, to).
    std::vector<ProgramMark> marks;
    std::string note;          ///< What is not shown, for people; empty: everything is.

    double rowY(std::int32_t rank) const; ///< Middle of the row of a rank.
};

/// O(operations + depends). \pre an explicit body.
ProgramLayout layoutProgram(const Program& program, const ProgramLayoutOptions& options = {});

/// The grid painted. \pre `layout` is of this program.
Drawing programFigure(const Program& program, const ProgramLayout& layout);

} // namespace fabricscope
