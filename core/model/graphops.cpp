#include "core/model/layerparts.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// An equation in parts: "bsm,mh->bsh".
struct EinsumLetters {
    std::vector<std::string> inputs;
    std::string output;
};

Result<EinsumLetters> splitEquation(const GraphSpec::Op& op)
{
    const auto refused = [&op](const std::string& message) {
        return Error{ErrorCode::InvalidInput, "op " + op.name + ": \"" + op.equation + "\" " + message, {}, "an equation as bsm,mh->bsh"};
    };
    const std::size_t arrow = op.equation.find("->");
    if (arrow == std::string::npos)
        return refused("has no arrow");
    EinsumLetters letters{{""}, op.equation.substr(arrow + 2)};
    for (const char letter : op.equation.substr(0, arrow)) {
        if (letter == ',')
            letters.inputs.emplace_back();
        else
            letters.inputs.back() += letter;
    }
    if (letters.inputs.size() != op.inputs.size())
        return refused("has " + std::to_string(letters.inputs.size()) + " inputs, the op " + std::to_string(op.inputs.size()));
    return letters;
}

/// Sizes and tensors of a graph while its ops are added.
class GraphWalk {
public:
    GraphWalk(const ModelSpec& model, const PassShape& pass) : m_model(model), m_ops(model, pass, m_tensors) {}

    Status add(const GraphSpec::Op& op)
    {
        const auto letters = splitEquation(op);
        if (!letters)
            return letters.error();
        std::string all;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            all += letters.value().inputs[i];
            if (const Status known = checkTensor(op, op.inputs[i], letters.value().inputs[i]); !known)
                return known;
        }
        for (const char letter : letters.value().output) {
            if (all.find(letter) == std::string::npos)
                return Error{ErrorCode::InvalidInput, "op " + op.name + ": letter " + std::string(1, letter) + " of the output is in no input", {}, {}};
        }
        if (const Status known = checkTensor(op, op.output, letters.value().output); !known)
            return known;
        addOp(op, letters.value(), all);
        return {};
    }
    Result<std::vector<LayerOp>> take() { return m_ops.take(); }

private:
    bool isParameter(const std::string& name) const
    {
        return std::find(m_model.graph.parameters.begin(), m_model.graph.parameters.end(), name) != m_model.graph.parameters.end();
    }
    Count sizeOf(const std::string& letters) const
    {
        Count size = 1;
        for (const char letter : letters)
            size = size * m_sizes.at(letter);
        return size;
    }
    /// Letters have sizes, and a tensor has the same letters' sizes wherever it stands.
    Status checkTensor(const GraphSpec::Op& op, const std::string& name, const std::string& letters)
    {
        if (m_sizes.empty()) {
            for (const auto& [letter, size] : m_model.graph.sizes)
                m_sizes[letter] = size;
        }
        std::vector<std::int64_t> shape;
        for (const char letter : letters) {
            const auto size = m_sizes.find(letter);
            if (size == m_sizes.end())
                return Error{ErrorCode::InvalidInput, "op " + op.name + ": letter " + std::string(1, letter) + " has no size", {}, "it in sizes"};
            shape.push_back(size->second);
        }
        const auto [at, isNew] = m_shapes.try_emplace(name, shape);
        if (!isNew && at->second != shape)
            return Error{ErrorCode::InvalidInput, "op " + op.name + ": tensor " + name + " has other sizes elsewhere", {}, {}};
        return {};
    }
    void addOp(const GraphSpec::Op& op, const EinsumLetters& letters, std::string all)
    {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        m_ops.begin(op.name.empty() ? op.output : op.name, LayerOpKind::Linear);
        if (op.inputs.size() > 1)
            m_ops.matrix(sizeOf(all) * 2 * static_cast<std::int64_t>(op.inputs.size() - 1));
        else
            m_ops.vector(sizeOf(all));
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const Count size = sizeOf(letters.inputs[i]);
            if (!isParameter(op.inputs[i])) {
                m_ops.reads(size, false).saves(size, false);
                continue;
            }
            const bool owned = std::none_of(m_tensors.begin(), m_tensors.end(), [&](const ParameterTensor& tensor) { return tensor.name == op.inputs[i]; });
            if (owned)
                m_tensors.push_back({op.inputs[i], TensorClass::Linear, size.value(), 1, 1, SplitLetter::None, false});
            owned ? m_ops.weights(op.inputs[i]) : m_ops.borrows(op.inputs[i]);
        }
        m_ops.writes(sizeOf(letters.output), false);
    }

    const ModelSpec& m_model;
    std::vector<ParameterTensor> m_tensors;
    OpBuilder m_ops;
    std::map<char, std::int64_t> m_sizes;
    std::map<std::string, std::vector<std::int64_t>> m_shapes;
};

} // namespace

Result<std::vector<LayerOp>> graphOps(const ModelSpec& model, const PassShape& pass)
{
    GraphWalk walk(model, pass);
    for (const GraphSpec::Op& op : model.graph.ops) {
        if (const Status added = walk.add(op); !added)
            return added.error();
    }
    return walk.take();
}

} // namespace fabricscope
