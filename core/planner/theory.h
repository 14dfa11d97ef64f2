#pragma once

#include "core/planner/placedgraph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// How the devices hold a tensor: all of it each (identity), a part along a dimension each (gather), or addends (reduce).
class Property {
public:
    constexpr Property() = default;
    static constexpr Property identity() { return Property(1); }
    static constexpr Property reduce() { return Property(2); }
    static constexpr Property gather(int dim) { return Property(static_cast<std::uint8_t>(3 + dim)); }
    static constexpr Property ofCode(std::uint8_t code) { return Property(code); }

    constexpr bool none() const { return m_code == 0; }
    constexpr bool isIdentity() const { return m_code == 1; }
    constexpr bool isReduce() const { return m_code == 2; }
    constexpr bool isGather() const { return m_code > 2; }
    constexpr int dim() const { return m_code - 3; }
    constexpr std::uint8_t code() const { return m_code; }
    std::string text() const; ///< "identity", "reduce", "gather 0".
    friend constexpr bool operator==(Property, Property) = default;

private:
    constexpr explicit Property(std::uint8_t code) : m_code(code) {}
    std::uint8_t m_code = 0;
};

/// What a rule of an op is called in programs.
enum class RuleWord : std::uint8_t { Batch, Column, Row, Replicated, SufficientFactor };
std::string_view wordOf(RuleWord word);

/// One way to run an op on all devices: {operands' properties} op {result's property}.
struct PlacementRule {
    std::vector<Property> needs; ///< By operand.
    Property makes;
    RuleWord word = RuleWord::Replicated;
    double shared = 0; ///< FLOP that fall by the ratios, backward included.
    double whole = 0;  ///< FLOP on every device.
    int sufficient = -1; ///< Operand whose gradient every device computes from gathered factors; -1: none.
    bool resplit = false;  ///< Moves parts from the ratios of one segment to those of another.
    std::int64_t units = 0; ///< Groups of elements that are shared out (PlacedTensor::units); 0: nothing is.
};

/// Rules that may be switched, and what holds for all of them (manual: placement 2).
struct TheoryOptions {
    bool rowParallel = true;      ///< Parameters split along a summed factor.
    bool sufficientFactor = true; ///< Gradients of weights from gathered factors.
    bool backward = true;         ///< Computation counts three times.
    bool dataParallelOnly = false; ///< Parameters whole, inputs split along the batch: the baselines.
    std::map<int, Property> fixed; ///< Property in which a tensor is first made.
    double gradientBytes = 1;      ///< Held for each byte of a parameter that has a gradient, with `backward`.
    double optimizerBytes = 0;     ///< Likewise: states of the optimiser.

    /// Bytes held of a tensor: of a parameter its gradient and the states of its optimiser, too.
    double heldBytes(const PlacedTensor& tensor) const
    {
        const bool trained = backward && tensor.role == TensorRole::Parameter && tensor.gradient;
        return tensor.bytes * (trained ? 1 + gradientBytes + optimizerBytes : 1);
    }
};

/// The rules of all ops, generated from their factors: every operand whole; one factor split in every tensor that has it (Blocked ones never; a summed one leaves
/// addends); addends through linear ops; a parameter added to addends held by the first device alone; sufficient factors.
/// O(sum over ops of factors * operands).
std::vector<std::vector<PlacementRule>> backgroundTheory(const PlacedGraph& graph, const TheoryOptions& options);

} // namespace fabricscope
