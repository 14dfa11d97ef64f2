#include "core/design/design.h"

#include "core/base/integers.h"

#include <algorithm>
#include <filesystem>

namespace fabricscope {

bool isDesignCollective(CollectiveOp op)
{
    return std::find(kDesignCollectives.begin(), kDesignCollectives.end(), op) != kDesignCollectives.end();
}

Algorithm automaticAlgorithm(Shape shape, CollectiveOp op)
{
    if (op == CollectiveOp::AllToAll)
        return Algorithm::Direct;
    if (op == CollectiveOp::Broadcast)
        return shape == Shape::FullyConnected ? Algorithm::Direct : Algorithm::Ring;
    switch (shape) {
    case Shape::Ring:
        return Algorithm::Ring;
    case Shape::FullyConnected:
        return Algorithm::Direct;
    case Shape::Switch:
        break;
    }
    return Algorithm::HalvingDoubling;
}

AstraAlgorithm automaticAstraAlgorithm(const Dimension& dimension, CollectiveOp op)
{
    AstraAlgorithm choice;
    choice.algorithm = automaticAlgorithm(dimension.shape, op);
    if (choice.algorithm == Algorithm::HalvingDoubling && !isPowerOfTwo(dimension.size))
        choice.algorithm = Algorithm::Direct;
    return choice;
}

Place Design::place(const std::string& field) const
{
    Place found = places ? places->nearest(field) : Place{};
    found.field = field;
    if (found.file.empty())
        found.file = file;
    return found;
}

std::string Design::resolve(const std::string& path) const
{
    const std::filesystem::path given(path);
    return given.is_absolute() || folder.empty() ? path : (std::filesystem::path(folder) / given).string();
}

} // namespace fabricscope
