#include "core/study/maineffects.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace fabricscope {

namespace {

MainEffect effectOf(const StudySpec& space, std::size_t parameter, const StudyTable& table, PointFigure figure)
{
    const std::vector<ParameterChoice>& choices = space.parameters[parameter].choices;
    std::map<std::string_view, std::size_t> places;
    std::vector<MainEffect::Value> values;
    for (const ParameterChoice& choice : choices) {
        places.emplace(choice.label, values.size());
        values.push_back({choice.label, 0, 0});
    }
    for (const StudyTableRow& row : table.rows) {
        if (row.state != StudyTableRow::State::Done || !row.figures[figure])
            continue;
        if (const auto place = places.find(row.labels[parameter]); place != places.end()) {
            values[place->second].mean += *row.figures[figure];
            ++values[place->second].designs;
        }
    }
    MainEffect effect{parameter, {}};
    for (MainEffect::Value& value : values) {
        if (value.designs == 0)
            continue;
        value.mean /= static_cast<double>(value.designs);
        effect.values.push_back(std::move(value));
    }
    return effect;
}

bool isLess(const MainEffect::Value& a, const MainEffect::Value& b)
{
    return a.mean < b.mean;
}

} // namespace

double MainEffect::least() const { return std::min_element(values.begin(), values.end(), isLess)->mean; }

double MainEffect::most() const { return std::max_element(values.begin(), values.end(), isLess)->mean; }

std::vector<MainEffect> mainEffects(const StudySpec& space, const StudyTable& table, PointFigure figure)
{
    std::vector<MainEffect> out;
    for (std::size_t parameter = 0; parameter < space.parameters.size(); ++parameter) {
        MainEffect effect = effectOf(space, parameter, table, figure);
        if (effect.values.size() > 1)
            out.push_back(std::move(effect));
    }
    std::stable_sort(out.begin(), out.end(), [](const MainEffect& a, const MainEffect& b) { return a.most() - a.least() > b.most() - b.least(); });
    return out;
}

} // namespace fabricscope
