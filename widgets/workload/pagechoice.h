#pragma once

#include <QString>

namespace fabricscope {

class DesignDocument;

/// What the text of a design says about its workload, also where that has an error and the design has none.
namespace workloadtext {

/// It has a graph to shard (`workload.shard`). Of a text that is no YAML: the last one had.
bool saysGraph(const DesignDocument& document);
/// It has a plan (`workload.plan`), or a model to be planned.
bool saysPlan(const DesignDocument& document);
/// The first error of the document with its line and what was expected; empty: there is none.
QString firstProblem(const DesignDocument& document);

} // namespace workloadtext

} // namespace fabricscope
