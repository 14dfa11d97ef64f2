#include "core/draw/drawing.h"

#include <array>

namespace fabricscope {

namespace {

/// Advances of U+0020 to U+007E in thousandths of the size.
constexpr std::array<std::int16_t, 95> kAdvances{
    260, 268, 408, 646, 572, 831, 733, 225, 300, 300, 551, 572, 268, 322, 268, 372, 572, 572, 572, 572, 572, 572, 572, 572,
    572, 572, 268, 268, 572, 572, 572, 434, 899, 639, 650, 632, 730, 556, 519, 728, 741, 339, 273, 619, 524, 907, 760, 781,
    605, 781, 623, 549, 556, 731, 600, 930, 586, 566, 572, 329, 372, 329, 572, 444, 281, 561, 615, 480, 615, 564, 344, 615,
    618, 258, 258, 534, 258, 935, 618, 605, 615, 615, 413, 479, 361, 618, 508, 786, 529, 510, 470, 380, 551, 380, 572};

} // namespace

double textWidth(std::string_view text, double size, bool strong)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            sum += byte >= 0x20 && byte < 0x7F ? kAdvances[byte - 0x20U] : 600;
            continue;
        }
        if ((byte & 0xC0U) == 0x80U)
            continue; // inside a character
        const bool thin = text.substr(i, 3) == "\xE2\x80\xAF";
        sum += thin ? 220 : byte >= 0xE3 ? 1000 : 640;
    }
    return static_cast<double>(sum) / 1000 * size * (strong ? 1.12 : 1.05);
}

std::vector<LineF> hatchLines(const HatchShape& hatch)
{
    std::vector<LineF> lines;
    const RectF& rect = hatch.rect;
    if (rect.isEmpty() || hatch.pitch <= 0)
        return lines;
    const double step = hatch.pitch * std::sqrt(2.0);
    // A line is where x - left + y - top is constant.
    for (double sum = step / 2; sum < rect.width() + rect.height(); sum += step) {
        const double x0 = std::max(0.0, sum - rect.height());
        const double x1 = std::min(rect.width(), sum);
        lines.emplace_back(rect.left() + x0, rect.top() + sum - x0, rect.left() + x1, rect.top() + sum - x1);
    }
    return lines;
}

} // namespace fabricscope
