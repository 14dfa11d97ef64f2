#pragma once

#include "core/base/keytable.h"

#include <cstdint>

namespace fabricscope {

/// Type of the elements of a tensor of an op graph.
enum class ElementType : std::uint8_t { Fp64, Fp32, Bf16, Fp16, Fp8, Int64, Int32, Int16, Int8, Bool, Complex64, Complex128 };

/// Words of files ("bf16"); "float32" and the like are not taken.
inline constexpr KeyTable<ElementType, 12> kElementTypes = {{{"fp64", ElementType::Fp64},
    {"fp32", ElementType::Fp32},
    {"bf16", ElementType::Bf16},
    {"fp16", ElementType::Fp16},
    {"fp8", ElementType::Fp8},
    {"int64", ElementType::Int64},
    {"int32", ElementType::Int32},
    {"int16", ElementType::Int16},
    {"int8", ElementType::Int8},
    {"bool", ElementType::Bool},
    {"complex64", ElementType::Complex64},
    {"complex128", ElementType::Complex128}}};

/// Bytes of one element.
constexpr std::int64_t bytesOf(ElementType type)
{
    switch (type) {
    case ElementType::Complex128:
        return 16;
    case ElementType::Fp64:
    case ElementType::Int64:
    case ElementType::Complex64:
        return 8;
    case ElementType::Fp32:
    case ElementType::Int32:
        return 4;
    case ElementType::Bf16:
    case ElementType::Fp16:
    case ElementType::Int16:
        return 2;
    default:
        return 1;
    }
}

/// Has it gradients?
constexpr bool isFloating(ElementType type)
{
    return type <= ElementType::Fp8;
}

} // namespace fabricscope
