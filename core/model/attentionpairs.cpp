#include "core/model/attentionpairs.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// n (n + 1) / 2
Count triangle(std::int64_t n)
{
    return (Count(n) * (Count(n) + 1)).half();
}

} // namespace

Count windowPairs(std::int64_t offset, std::int64_t keys, std::int64_t window)
{
    const Count rising = triangle(std::min(keys, window)) - triangle(std::min(offset, window));
    return rising + Count(window) * (std::max(keys, window) - std::max(offset, window));
}

Count doublePairs(const TransformerSpec& spec, const PassShape& pass, std::int64_t window)
{
    const bool training = pass.mode == PassMode::Train;
    if (!spec.causal || (training && !spec.flashAttention))
        return Count(2) * pass.tokens * pass.keys;
    const std::int64_t sees = window > 0 ? std::min(window, pass.keys) : pass.keys;
    if (training)
        return Count(2) * pass.keys * sees - Count(sees) * sees;
    return windowPairs(pass.keys - pass.tokens, pass.keys, sees) * 2;
}

std::int64_t cachedTokensRead(const PassShape& pass, std::int64_t window)
{
    if (pass.mode == PassMode::Train)
        return 0;
    const std::int64_t cached = pass.mode == PassMode::Decode ? pass.keys : pass.keys - pass.tokens;
    return window > 0 ? std::min(cached, window) : cached;
}

} // namespace fabricscope
