#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What is asked of a generator.
struct GenerateRequest {
    std::string algorithm;           ///< GeneratorInfo::key.
    CollectiveOp op = CollectiveOp::AllReduce;
    std::vector<std::int32_t> axes;  ///< Extents of the group, axis 0 fastest; one entry: a flat group. All >= 1, product >= 2.
    std::int32_t chunks = 1;         ///< The vector is cut in so many pieces that follow each other (pipelining).
    std::int32_t root = 0;
    std::int32_t radix = 2;          ///< k-nomial, Bruck.
};

/// An algorithm as lists, menus and refusals name it.
struct GeneratorInfo {
    std::string_view key;      ///< "recursive_doubling".
    std::string_view title;    ///< "Recursive doubling".
    std::string_view source;   ///< Paper or section of a formula.
    std::string_view sizes;    ///< Which groups it takes, for people: "2^k ranks", "any", "two axes of even size".
    std::span<const CollectiveOp> ops;
};

/// Every generator, in the order menus show.
std::span<const GeneratorInfo> generators();
const GeneratorInfo* findGenerator(std::string_view key);

/// Why this generator does not take the request, or nothing: error with field "algorithm", "op", "axes", "chunks", ... and what is taken.
Status checkGenerate(const GenerateRequest& request);

/// Largest number of transfers a generated explicit program may have.
constexpr std::int64_t kMaxGeneratedTransfers = 8'000'000;

/// The program. It is in place in the normal form of MSCCLang (all-reduce uses Input, all-gather Output, reduce-scatter Input) unless the
/// algorithm needs scratch or two buffers, which the flags of the program say. Every program passes verify().
/// Errors: those of checkGenerate(); more than kMaxGeneratedTransfers transfers. O(transfers).
Result<ProgramPtr> generateProgram(const GenerateRequest& request);

/// The same operations in explicit form: what the template means, transfer by transfer. Chunks of the program times the product of the
/// extents are the chunks of the result (unequal chunk weights are kept). An explicit program comes back as it is.
/// Errors (Unsupported): phases in switches become switch operations; more than kMaxGeneratedTransfers transfers.
Result<ProgramPtr> expandTemplate(const ProgramPtr& program);

} // namespace fabricscope
