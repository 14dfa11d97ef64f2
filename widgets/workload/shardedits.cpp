#include "widgets/workload/shardedits.h"

#include <utility>

namespace fabricscope::sharded {

namespace {

constexpr const char* kAnnotations = "workload.shard.annotations";

YamlNode axesNode(const Mesh& mesh, const AxisList& axes)
{
    YamlNode list = YamlNode::sequence();
    list.flow = true;
    for (const AxisPart& part : axes)
        list.items.push_back(YamlNode::scalar(axisText(mesh, part)));
    return list;
}

YamlNode dimsNode(const Mesh& mesh, const std::vector<AxisList>& dims)
{
    YamlNode list = YamlNode::sequence();
    list.flow = true;
    for (const AxisList& axes : dims)
        list.items.push_back(axesNode(mesh, axes));
    return list;
}

YamlNode closedNode(const std::vector<char>& closed)
{
    YamlNode list = YamlNode::sequence();
    list.flow = true;
    for (std::size_t d = 0; d < closed.size(); ++d) {
        if (closed[d])
            list.items.push_back(YamlNode::scalar(std::to_string(d)));
    }
    return list;
}

/// Number of the annotation in the text; as many as there are: none.
std::size_t indexOf(const YamlDocument& yaml, const std::string& name)
{
    const YamlNode* const list = yaml.find(kAnnotations);
    if (!list || !list->isSequence())
        return 0;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
        const YamlEntry* const tensor = list->items[i].isMap() ? list->items[i].find("tensor") : nullptr;
        if (tensor && tensor->value.text == name)
            return i;
    }
    return list->items.size();
}

std::size_t countOf(const YamlDocument& yaml)
{
    const YamlNode* const list = yaml.find(kAnnotations);
    return list && list->isSequence() ? list->items.size() : 0;
}

} // namespace

Status setAnnotation(YamlDocument& yaml, const ShardProblem& problem, TensorId tensor, const std::vector<AxisList>& dims, const std::optional<std::vector<char>>& closed)
{
    const std::string& name = problem.graph.tensor(tensor).name;
    const std::size_t index = indexOf(yaml, name);
    const std::string path = std::string(kAnnotations) + '.' + std::to_string(index);
    if (index == countOf(yaml)) {
        YamlNode note = YamlNode::map();
        note.flow = true;
        note.add("tensor", YamlNode::scalar(name));
        note.add("dims", dimsNode(problem.mesh, dims));
        if (closed)
            note.add("closed", closedNode(*closed));
        if (index > 0)
            return yaml.insert(path, note);
        YamlNode list = YamlNode::sequence();
        list.items.push_back(std::move(note));
        return yaml.set(kAnnotations, list);
    }
    if (const TensorAnnotation* const note = problem.annotationOf(tensor); note && !note->replicated.empty()) {
        AxisList kept = note->replicated;
        for (const AxisList& axes : dims)
            kept = without(kept, axes);
        if (kept != note->replicated) {
            if (Status done = yaml.set(path + ".replicated", axesNode(problem.mesh, kept)); !done)
                return done;
        }
    }
    if (Status done = yaml.set(path + ".dims", dimsNode(problem.mesh, dims)); !done)
        return done;
    return closed ? yaml.set(path + ".closed", closedNode(*closed)) : Status();
}

Status dropAnnotation(YamlDocument& yaml, const ShardProblem& problem, TensorId tensor)
{
    const std::size_t index = indexOf(yaml, problem.graph.tensor(tensor).name);
    const std::size_t count = countOf(yaml);
    if (index == count)
        return {};
    return yaml.remove(count == 1 ? std::string(kAnnotations) : std::string(kAnnotations) + '.' + std::to_string(index));
}

std::vector<AxisList> withAxes(std::vector<AxisList> dims, std::size_t dim, const AxisList& axes)
{
    for (std::size_t d = 0; d < dims.size(); ++d)
        dims[d] = d == dim ? axes : without(dims[d], axes);
    return dims;
}

} // namespace fabricscope::sharded
