#include "core/yaml/markplace.h"

#include "core/base/placeof.h"

namespace fabricscope {

Place placeOf(std::string file, const YAML::Mark& mark, std::string field)
{
    Place place = mark.is_null() ? placeOfFile(std::move(file)) : placeOfLine(std::move(file), mark.line + 1, mark.column + 1);
    place.field = std::move(field);
    return place;
}

} // namespace fabricscope
