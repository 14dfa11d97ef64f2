#include "core/platform/fabric/samples.h"

#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/presets.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::string_view kSuperPod = "NVIDIA DGX SuperPOD reference architecture for DGX H100 (RA-11333): scalable units of 32 systems, a leaf per rail, every leaf to every spine at full rate.";
constexpr std::string_view kRailOnly = "Wang et al., Rail-only: a low-cost high-performance network for training LLMs (2023): the leaves of the rails alone; other rails are reached through the hosts.";
constexpr std::string_view kDragonfly = "Kim et al., Technology-driven, highly-scalable dragonfly topology (ISCA 2008): balanced, a = 2p = 2h; here p = 4.";

// Machines whose figures have no source of their own stand last.
constexpr std::array kSamples{
    FabricSample{"superpod-h100-1024", "SuperPOD H100, 4 units", "hgx-h100-8 x32 / rails 64p 400G x4 / spine 1:1", "hgx-h100-8 x2 / rails x2 / spine switches 2", "NVIDIA RA-11333", kSuperPod},
    FabricSample{"rail-pod-1024", "Rail pod at 2:1, 4 units", "hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1", "hgx-h100-8 x2 / rails x2 / spine switches 1", "as SuperPOD",
                 "As the DGX SuperPOD reference architecture for DGX H100, with half of the cables from leaves to spines."},
    FabricSample{"rail-only-256", "Rails alone, 32 hosts", "hgx-h100-8 x32 / rails 64p 400G", "hgx-h100-8 x4 / rails", "Wang 2023", kRailOnly},
    FabricSample{"clos-h100-256", {}, {}, {}, "NVIDIA RA", {}},
    FabricSample{"dgx-a100-pod", {}, {}, {}, "NVIDIA RA", {}},
    FabricSample{"leaf-spine-512", "Leaf and spine, 512 NPUs", "npu x32 / leaf 64p 400G x16 / spine 1:1", "npu x4 / leaf 8p x4 / spine 1:1", "Clos 1953",
                 "Clos, A study of non-blocking switching networks (1953), folded: every leaf to every spine."},
    FabricSample{"fat-tree-1024", "Fat tree, k = 16", "npu / fat_tree 16 400G", "npu / fat_tree 4", "Al-Fares 2008",
                 "Al-Fares et al., A scalable, commodity data center network architecture (SIGCOMM 2008): k^3 / 4 NPUs on switches of k ports."},
    FabricSample{"tpu-v4-64", {}, {}, {}, "Jouppi 2023", {}},
    FabricSample{"tpu-v4-4096", {}, {}, "npu / torus 4x4x4", "Jouppi 2023", {}},
    FabricSample{"tpu-v3-1024", {}, {}, "npu / torus 8x8", "Jouppi 2023", {}},
    FabricSample{"twisted-torus-128", "Twisted torus 4 x 4 x 8", "npu / twisted_torus 4x4x8", "npu / torus 4x8", "Jouppi 2023",
                 "Jouppi et al., TPU v4 (ISCA 2023): slices of n x n x 2n with twisted wrap-around."},
    FabricSample{"dragonfly-1056", "Dragonfly, balanced", "npu / dragonfly 4,8,4 400G", "npu / dragonfly 2,4,2", "Kim 2008", kDragonfly},
    FabricSample{"hyperx-512", "HyperX 8 x 8", "npu / hyperx 8x8 npus 8 400G", "npu / hyperx 4x4 npus 1", "Ahn 2009",
                 "Ahn et al., HyperX: topology, routing, and packaging of efficient large-scale networks (SC 2009): switches on a grid, all joined along every axis."},
    FabricSample{"slim-fly-200", "Slim fly, q = 5", "npu / slim_fly 5 400G", "npu / slim_fly 5", "Besta 2014",
                 "Besta and Hoefler, Slim fly: a cost effective low-diameter network topology (SC 2014): 2 q^2 switches, at most two cables apart."},
    FabricSample{"expander-256", "Expander, 32 switches", "npu / expander 32,8,8 400G", "npu / expander 12,4,1", "Singla 2012",
                 "Singla et al., Jellyfish: networking data centers randomly (NSDI 2012): switches joined at random; the seed is a number of the fabric."},
    FabricSample{"hypercube-256", "Hypercube, 8 axes", "npu / hypercube 8 400G", "npu / hypercube 4", "Saad 1988",
                 "Saad and Schultz, Topological properties of hypercubes (IEEE Trans. Computers, 1988): 2^k nodes with k links each."},
    FabricSample{"w-1d-500", {}, {}, "npu x16 / leaf", "unconfirmed", {}},
    FabricSample{"w-2d", {}, {}, "Switch(4, 250 GB/s, 500 ns) x4 / leaf", "unconfirmed", {}},
    FabricSample{"conv-3d", {}, {}, "npu / torus 4x4", "unconfirmed", {}},
    FabricSample{"conv-4d", {}, {}, "npu / torus 4x4", "unconfirmed", {}},
    FabricSample{"hgx-h100-8", {}, {}, {}, "NVIDIA", {}, true},
    FabricSample{"dgx-a100-8", {}, {}, {}, "NVIDIA", {}, true},
    FabricSample{"gb200-nvl72", {}, {}, {}, "NVIDIA", {}, true},
    FabricSample{"dgx-2", {}, {}, {}, "NVIDIA", {}, true},
    FabricSample{"dgx-1v", {}, {}, {}, "NVIDIA, Blink", {}, true},
    FabricSample{"dgx-1p", {}, {}, {}, "NVIDIA, Blink", {}, true},
    FabricSample{"ndv2", {}, {}, {}, "TE-CCL", {}, true},
};

const PresetInfo* presetOf(const FabricSample& sample)
{
    const auto found = std::ranges::find(presets(), sample.name, &PresetInfo::name);
    return found == presets().end() ? nullptr : &*found;
}

} // namespace

std::span<const FabricSample> fabricSamples()
{
    return kSamples;
}

const FabricSample* fabricSample(std::string_view name)
{
    const auto found = std::ranges::find(kSamples, name, &FabricSample::name);
    return found == kSamples.end() ? nullptr : &*found;
}

std::string_view titleOf(const FabricSample& sample)
{
    const PresetInfo* preset = sample.title.empty() ? presetOf(sample) : nullptr;
    return preset ? preset->title : sample.title;
}

std::string_view sourceOf(const FabricSample& sample)
{
    const PresetInfo* preset = sample.source.empty() ? presetOf(sample) : nullptr;
    return preset ? preset->source : sample.source;
}

Result<PlatformSpec> samplePlatform(const FabricSample& sample, bool small)
{
    const std::string_view line = small && !sample.small.empty() ? sample.small : sample.line;
    if (line.empty())
        return presetPlatform(sample.name);
    const Result<Fabric> fabric = fabricOfLine(line);
    return fabric ? platformOfFabric(fabric.value()) : fabric.error();
}

} // namespace fabricscope
