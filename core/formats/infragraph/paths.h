#pragma once

#include "core/formats/infragraph/infragraph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Indices first, first + step, ...; all inside 0..count-1.
struct InfraIndices {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t length = 0;
};

/// One dotted part of an endpoint: a component of a device and which copies of it.
struct InfraPathPart {
    std::int32_t device = -1;
    std::int32_t component = -1;
    InfraIndices indices;
};

/// An endpoint expression, resolved. It stands for the cartesian product of its parts, the earlier part slowest.
struct InfraPath {
    std::vector<InfraPathPart> parts;
    std::int64_t length = 1; ///< Product of the lengths; stops at INT64_MAX.
};

/// Why an expression cannot be used, or is odd.
struct InfraPathProblem {
    Severity severity = Severity::Error;
    const char* rule = "";
    std::string message;
    std::string expected;
};

/// Resolves "card[0:2].port[0]" inside a device. `name`, `name[i]`, `name[a:b]`, `name[a:b:s]`; refused is every expression on which the
/// plain reading (open bounds are 0, count and 1) and the reading as a slice differ, and every index beyond the count.
/// Nothing where there is an error. \pre nested devices exist and hold no cycle.
std::optional<InfraPath> resolveInfraPath(const InfraDocument& document, std::int32_t device, std::string_view expression, std::vector<InfraPathProblem>& problems);

/// The same for an instance with an optional slice: the instance and the copies.
std::optional<std::pair<std::int32_t, InfraIndices>> resolveInfraInstance(const InfraDocument& document, std::string_view expression, std::vector<InfraPathProblem>& problems);

/// The path of an endpoint of a device rule: prefix and component joined.
std::string infraPathText(const InfraEndpoint& endpoint);

/// Products and sums that stop at INT64_MAX. \pre arguments >= 0.
std::int64_t cappedProduct(std::int64_t a, std::int64_t b);
std::int64_t cappedSum(std::int64_t a, std::int64_t b);

} // namespace fabricscope
