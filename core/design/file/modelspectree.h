#pragma once

#include "core/design/file/sectiontree.h"
#include "core/model/modelspec.h"

namespace fabricscope {

/// A model as readModel() reads it back; compared, without its name.
YamlNode modelSpecTree(const ModelSpec& model, DesignForm form);

} // namespace fabricscope
