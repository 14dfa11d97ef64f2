#pragma once

#include "widgets/base/tablecontent.h"
#include "widgets/base/valuerows.h"
#include "widgets/study/variantcolumns.h"

#include <cstddef>
#include <span>
#include <vector>

namespace fabricscope {

/// Which designs of a study a table has.
enum class VariantChoice { Front, Done, All };

/// Designs with their objectives, parameters, state and other figures, made when a cell is looked at. Its ids are the numbers of the designs.
TableContentPtr variantTable(const VariedStudyPtr& study, const StudyTablePtr& table, VariantChoice choice, const BrushedRows& inside = {});
/// How many it has.
std::int64_t variantCount(const StudyTable& table, VariantChoice choice, const BrushedRows& inside);

/// "400 Gbit/s, 2:1", what the axes say of it, its state: a line each.
QString variantText(const StudySpec& space, const StudyTable& table, std::size_t row, std::span<const VariantAxis> axes);

/// "on the front", "done", "infeasible: npus == 64", "failed: ...", "open".
QString stateText(const StudyTable& table, std::size_t row);
bool isOnFront(const StudyTable& table, std::size_t row);

/// "full grid", "NSGA-II".
QString samplingText(const StudySampling& sampling);
/// What is varied, sought and asked for.
std::vector<ValueRow> parameterRows(const StudySpec& space);
std::vector<ValueRow> objectiveRows(const StudySpec& space);
std::vector<ValueRow> constraintRows(const StudySpec& space);
/// Of one design.
std::vector<ValueRow> variantRows(const VariedStudy& study, const StudyTable& table, std::size_t row);

} // namespace fabricscope
