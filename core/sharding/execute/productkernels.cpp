// Sums of products.
#include "core/sharding/execute/opkernels.h"

#include <map>

namespace fabricscope::kernels {

void einsum(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop)
{
    // One loop per letter, those of the result first.
    std::string letters = op.letters.back();
    std::map<char, std::int64_t> sizes;
    for (std::size_t t = 0; t < in.size(); ++t) {
        for (std::size_t d = 0; d < op.letters[t].size(); ++d) {
            const char letter = op.letters[t][d];
            sizes[letter] = in[t]->shape[d];
            if (letters.find(letter) == std::string::npos)
                letters += letter;
        }
    }
    TensorShape loops;
    for (const char letter : letters)
        loops.push_back(sizes[letter]);
    std::vector<std::vector<std::int64_t>> strides(in.size() + 1, std::vector<std::int64_t>(letters.size(), 0));
    for (std::size_t t = 0; t <= in.size(); ++t) {
        const auto own = rowMajorStrides(t < in.size() ? in[t]->shape : out.shape);
        for (std::size_t d = 0; d < op.letters[t].size(); ++d)
            strides[t][letters.find(op.letters[t][d])] = own[d];
    }
    std::uint32_t steps = 0;
    for (Odometer at(loops, std::move(strides)); !at.done(); at.next()) {
        Exact product = in[0]->values[static_cast<std::size_t>(at.place(0))];
        for (std::size_t t = 1; t < in.size(); ++t)
            product = product * in[t]->values[static_cast<std::size_t>(at.place(t))];
        out.values[static_cast<std::size_t>(at.place(in.size()))] += product;
        if ((++steps & 0xfffff) == 0)
            checkStop(stop);
    }
}

} // namespace fabricscope::kernels
