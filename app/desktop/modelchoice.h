#pragma once

#include "core/design/model.h"

#include <optional>

class QWidget;

namespace fabricscope {

/// Asks for a model to compare `current` with; nothing when the user turns away.
std::optional<Model> chooseModel(Model current, QWidget* parent);

} // namespace fabricscope
