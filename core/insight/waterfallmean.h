#pragma once

#include "core/insight/waterfall.h"

#include <cstddef>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// What each change is worth does not depend on where it stands: the mean of what it changes over orders of the changes, in whole picoseconds. Up to
/// kAllOrders changes over all orders (their Shapley values); of n more over 2 n of them, those that begin with each change in turn and go on as the
/// file does, forwards or backwards: each change stands at each place equally often. Every design between is run once.
constexpr std::size_t kAllOrders = 5;

/// The orders, each a permutation of 0 to count - 1. O(result). Without any change: one, empty.
std::vector<std::vector<std::size_t>> ordersOfMean(std::size_t count);

/// Designs between that are run for a mean over so many changes.
int runsOfMean(std::size_t count);

/// As waterfall(), with means. Means are rounded down, and the picoseconds that are left go to the largest remainders, of equal ones to the first rows of
/// `changes`. The items add up exactly, and each has the same delta in any order.
/// \param order of the items: numbers of rows of `changes`, each once, all of them; empty: as they stand
/// \pre at most DesignChanges::kMost changes. Errors: as waterfall().
Result<Waterfall> meanWaterfall(const DesignChanges& changes, const RunRecord& a, const RunRecord& b, std::vector<std::size_t> order, const WaterfallOptions& options,
                                const std::stop_token& stop = {});

/// A mean with its items in another order, as meanWaterfall() makes it: nothing is run again. O(items). \pre as there
Waterfall inOrder(const Waterfall& mean, const std::vector<std::size_t>& order);

} // namespace fabricscope
