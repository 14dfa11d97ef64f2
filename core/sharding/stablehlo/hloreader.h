#pragma once

#include "core/sharding/shardproblem.h"
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/mlirtext.h"
#include "core/sharding/stablehlo/namedmeshes.h"
#include "core/sharding/stablehlo/shardinggroups.h"
#include "core/sharding/stablehlo/tilings.h"

#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::mlir {

/// What the ops of a function or a region see.
struct HloScope {
    std::string prefix; ///< Of names of the graph: "relu.1:".
    int depth = 0;      ///< Functions and regions around it.
    const HloScope* outer = nullptr; ///< Of a region: that of its op, whose values it may use.
    std::map<std::string, std::vector<HloValue>, std::less<>> values;
    std::map<std::string, int, std::less<>> uses; ///< Of each name, those in regions too.

    /// "%0#1" as "%0" and 1; a name alone is the first. No index where it is none.
    static std::pair<std::string_view, std::optional<std::size_t>> nameAndIndex(std::string_view operand);
    /// Null: a name that is not known.
    const std::vector<HloValue>* find(std::string_view name) const;
    /// Is there a use of a result of an op of this function or region?
    bool usesResult(const Operation& op, int index) const;
};

/// Fills graph and annotations of a problem whose mesh is known.
class HloReader {
public:
    HloReader(const Module& module, const NamedMeshes& named, const Tilings& tilings, const std::string& file, ShardProblem& problem, const std::stop_token& stop);
    Status read(const Function& main);

private:
    // In hloreader.cpp.
    HloValue input(const Argument& argument);
    /// Values of the results of a function or region, its ops added. Of `scope` prefix, depth and outer count.
    std::vector<HloValue> body(const std::vector<Argument>& names, const Region& region, const std::string& what, const Place& place, const HloOperands& arguments, HloScope scope);
    HloOperands operandsOf(const Operation& op, const HloScope& scope);
    void bind(const Operation& op, std::vector<HloValue> made, HloScope& scope);
    std::vector<HloValue> valuesOf(const Operation& op, const HloOperands& in, HloScope& scope);
    /// tuple and get_tuple_element: no ops of the graph.
    HloValue tupleOp(const Operation& op, const HloOperands& in);
    std::vector<HloValue> call(const Operation& op, const HloOperands& in, const HloScope& scope);

    // In hlocontrol.cpp.
    std::vector<HloValue> namedComputation(const Operation& op, const HloOperands& in, const HloScope& scope);
    /// Every turn by itself: the condition has to be known.
    std::vector<HloValue> loop(const Operation& op, const HloOperands& in, const HloScope& scope);
    std::vector<HloValue> branch(const Operation& op, std::size_t index, const HloScope& scope);
    /// stablehlo.if and case: the branch that is known, else all of them and a choice of their results.
    std::vector<HloValue> branches(const Operation& op, const HloOperands& in, const HloScope& scope);
    /// The value as one that lies as all of the group.
    HloValue carried(const HloValue& value, const std::string& group, const std::string& suffix);
    void group(const Operation& op, const HloOperands& in, HloScope& scope);

    // In hlodevices.cpp.
    /// Axes of the mesh that stand in an attribute ("{"x", "y"}", "#sdy<manual_axes{"x"}>"), rising.
    std::vector<std::int32_t> axesNamed(const Span& text);
    std::vector<HloValue> manualComputation(const Operation& op, const HloOperands& in, const HloScope& scope);
    /// A value of the program per device as one of the whole.
    HloValue left(const HloValue& value, const TensorAnnotation& note, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix);
    /// custom_call @SPMDFullToShardShape and @SPMDShardToFullShape: in and out of a program per device, of all axes.
    HloValue regionCall(const Operation& op, const HloValue& value, bool in);

    // In hloannotations.cpp.
    static const Span* shardingOf(const Attributes& attributes);
    /// The shardings of an attribute for so many tensors.
    std::vector<TensorAnnotation> layoutsOf(const Operation& op, std::string_view key, const std::vector<TensorShape>& shapes);
    std::function<void(TensorId)> layer(TensorAnnotation note);
    /// Annotates the results of an op by its attributes.
    std::vector<HloValue> sharded(const Operation& op, std::vector<HloValue> values);
    /// sdy.propagation_barrier: a copy over which axes spread one way, or not at all.
    HloValue barrier(const Operation& op, const HloOperands& in);
    /// sdy.sharding_constraint and its like, custom_call @Sharding.
    HloValue constraint(const Operation& op, const HloOperands& in, bool custom, bool alone);
    /// Annotates the value, or a copy of it where it has an annotation, is an input or others use it as it is.
    void constrain(HloValue& value, const Span& sharding, bool may, const std::string& suffix);
    /// "unspecified_dims=[1]" of custom_call @Sharding: dims that may be cut further.
    void leaveOpen(const Span& config, TensorId tensor);
    bool isManual(const Span& text) const;
    void annotate(TensorId tensor, const Span& text);
    /// Layout of a result of the program.
    void result(HloValue value, const Span& sharding, std::size_t index);

    std::map<std::string_view, const Function*> m_functions;
    const NamedMeshes& m_named;
    const Tilings& m_tilings;
    const std::string& m_file;
    ShardProblem& m_problem;
    const std::stop_token& m_stop;
    HloBuilder m_builder;
    std::set<TensorId> m_annotated;
    ShardingGroups m_groups;
    std::vector<std::int32_t> m_manual; ///< Axes of the program per device that is read, or was last; empty: none was.
    std::size_t m_steps = 0;
    int m_calls = 0;
    bool m_maximal = false;
};

} // namespace fabricscope::mlir
