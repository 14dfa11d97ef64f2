#pragma once

#include "core/sharding/shardproblem.h"
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/mlirtext.h"
#include "core/sharding/stablehlo/namedmeshes.h"
#include "core/sharding/stablehlo/tilings.h"

#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::mlir {

/// Fills graph and annotations of a problem whose mesh is known.
class HloReader {
public:
    HloReader(const Module& module, const NamedMeshes& named, const Tilings& tilings, const std::string& file, ShardProblem& problem, const std::stop_token& stop);
    Status read(const Function& main);

private:
    using Values = std::map<std::string, std::vector<HloValue>, std::less<>>;

    static const Span* shardingOf(const Attributes& attributes);
    HloValue input(const Argument& argument);
    /// Values of the results of a function, its ops added.
    std::vector<HloValue> body(const Function& function, const HloOperands& arguments, const std::string& prefix, int depth);
    std::vector<HloValue> body(const std::vector<Argument>& names, const Region& region, const std::string& what, const Place& place, const HloOperands& arguments, const std::string& prefix, int depth);
    HloOperands operandsOf(const Operation& op, const Values& values);
    void bind(const Operation& op, std::vector<HloValue> made, Values& values);
    std::vector<HloValue> valuesOf(const Operation& op, const HloOperands& in, const std::map<std::string, int, std::less<>>& uses, const std::string& prefix, int depth);
    std::vector<HloValue> call(const Operation& op, const HloOperands& in, int depth);
    /// Axes of the mesh that stand in an attribute ("{"x", "y"}", "#sdy<manual_axes{"x"}>"), rising.
    std::vector<std::int32_t> axesNamed(const Span& text);
    /// The shardings of an attribute for so many tensors.
    std::vector<TensorAnnotation> layoutsOf(const Operation& op, std::string_view key, const std::vector<TensorShape>& shapes);
    std::function<void(TensorId)> layer(TensorAnnotation note);
    std::vector<HloValue> manualComputation(const Operation& op, const HloOperands& in, int depth);
    /// A value of the program per device as one of the whole.
    HloValue left(const HloValue& value, const TensorAnnotation& note, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix);
    /// custom_call @SPMDFullToShardShape and @SPMDShardToFullShape: in and out of a program per device, of all axes.
    HloValue regionCall(const Operation& op, const HloValue& value, bool in);
    /// Annotates the results of an op by its attributes.
    std::vector<HloValue> sharded(const Operation& op, std::vector<HloValue> values);
    /// sdy.sharding_constraint and its like, custom_call @Sharding.
    HloValue constraint(const Operation& op, const HloOperands& in, bool custom, bool alone);
    /// Annotates the value, or a copy of it where it has an annotation, is an input or others use it as it is.
    void constrain(HloValue& value, const Span& sharding, bool may, const std::string& suffix);
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
    std::vector<std::int32_t> m_manual; ///< Axes of the program per device that is read, or was last; empty: none was.
    std::size_t m_steps = 0;
    int m_calls = 0;
    bool m_maximal = false;
};

} // namespace fabricscope::mlir
