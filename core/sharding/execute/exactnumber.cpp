#include "core/sharding/execute/exactnumber.h"

#include "core/base/seededhash.h"

namespace fabricscope {

namespace {

constexpr std::uint64_t kValueSeed = 0x5ca1ab1e;
constexpr std::uint64_t kSlopeSeed = 0x0ddba11;
constexpr std::uint64_t kNamedSeed = 0xf00dcafe;
constexpr std::uint64_t kRootSeed = 0x700757;

Exact drawnFor(std::uint64_t seed, GraphOpKind kind, Exact x)
{
    if (x.isPoison())
        return x;
    return Exact(static_cast<std::int64_t>(seededHash(seed, {static_cast<std::int64_t>(kind), x.centred()}) >> 2));
}

} // namespace

Exact ofUnary(GraphOpKind kind, Exact x)
{
    switch (kind) {
    case GraphOpKind::Copy:
    case GraphOpKind::Cast:
        return x;
    case GraphOpKind::Neg:
        return -x;
    case GraphOpKind::Relu:
        return higherOf(x, Exact(0));
    case GraphOpKind::Gelu:
    case GraphOpKind::Silu:
    case GraphOpKind::Tanh:
    case GraphOpKind::Sqrt:
        return x.isZero() ? x : drawnFor(kValueSeed, kind, x);
    case GraphOpKind::Log:
        return x == Exact(1) ? Exact(0) : drawnFor(kValueSeed, kind, x);
    case GraphOpKind::Exp:
        return x.isZero() ? Exact(1) : drawnFor(kValueSeed, kind, x);
    default:
        return drawnFor(kValueSeed, kind, x);
    }
}

Exact ofNamed(std::string_view function, std::span<const Exact> values)
{
    std::uint64_t state = kNamedSeed;
    for (const char letter : function)
        state = seededHash(state, {letter});
    for (const Exact value : values) {
        if (value.isPoison())
            return value;
        state = seededHash(state, {value.centred()});
    }
    return Exact(static_cast<std::int64_t>(state >> 2));
}

Exact derivativeOf(GraphOpKind kind, Exact x)
{
    switch (kind) {
    case GraphOpKind::Copy:
    case GraphOpKind::Cast:
        return x.isPoison() ? x : Exact(1);
    case GraphOpKind::Neg:
        return x.isPoison() ? x : Exact(-1);
    case GraphOpKind::Relu:
        return x.isPoison() ? x : Exact(lower(Exact(0), x) ? 1 : 0);
    case GraphOpKind::Exp:
        return ofUnary(kind, x);
    default:
        return drawnFor(kSlopeSeed, kind, x);
    }
}

Exact inverseRoot(Exact x)
{
    return drawnFor(kRootSeed, GraphOpKind::LayerNorm, x);
}

Exact combined(ReduceKind kind, Exact a, Exact b)
{
    switch (kind) {
    case ReduceKind::Max:
        return higherOf(a, b);
    case ReduceKind::Min:
        return lowerOf(a, b);
    case ReduceKind::Product:
        return a * b;
    case ReduceKind::Last:
        return b;
    default:
        return a + b;
    }
}

Exact identityOf(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Max:
        return Exact::least();
    case ReduceKind::Min:
        return Exact::greatest();
    case ReduceKind::Product:
        return Exact(1);
    default:
        return Exact(0);
    }
}

bool isDropped(std::uint64_t seed, double rate, std::int64_t index)
{
    constexpr double kUnit = 1.0 / 9007199254740992.0; // 2^-53
    return static_cast<double>(seededHash(seed, {index}) >> 11) * kUnit < rate;
}

Exact inputElement(std::uint64_t nameHash, std::uint64_t seed, ElementType type, std::int64_t index)
{
    const std::uint64_t drawn = seededHash(seed ^ nameHash, {index});
    if (type == ElementType::Bool)
        return Exact(static_cast<std::int64_t>(drawn & 1));
    return isFloating(type) ? Exact(static_cast<std::int64_t>(drawn % 41) - 20) : Exact(static_cast<std::int64_t>(drawn % 100));
}

} // namespace fabricscope
