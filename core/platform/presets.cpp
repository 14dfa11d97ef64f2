#include "core/platform/presets.h"

#include "core/base/showntext.h"

#include <array>
#include <utility>

namespace fabricscope {

namespace {

Quantity bandwidth(double value, const char* unit = "GB/s")
{
    return {value, unit, Measure::Bandwidth};
}

Quantity latency(double ns)
{
    return {ns, "ns", Measure::Time};
}

/// A dimension whose bandwidth is quoted per link and direction, and one quoted per NPU and direction.
Dimension perLink(Shape shape, std::int32_t size, double gigabytesPerSecond, double latencyNs)
{
    return {shape, size, bandwidth(gigabytesPerSecond), false, latency(latencyNs)};
}

Dimension perNpu(Shape shape, std::int32_t size, double gigabytesPerSecond, double latencyNs)
{
    return {shape, size, bandwidth(gigabytesPerSecond), true, latency(latencyNs)};
}

NpuSpec npu(double teraflops, double memoryGigabytesPerSecond, double memory, const char* memoryUnit)
{
    NpuSpec spec;
    spec.peak = Quantity{teraflops, "TFLOP/s", Measure::ComputeRate};
    spec.memoryBandwidth = bandwidth(memoryGigabytesPerSecond);
    spec.memory = Quantity{memory, memoryUnit, Measure::Size};
    return spec;
}

NpuSpec h100() { return npu(989, 3350, 80, "GB"); }
NpuSpec a100() { return npu(312, 2039, 80, "GB"); }
NpuSpec a100Of40() { return npu(312, 1555, 40, "GB"); }
NpuSpec h200() { return npu(989, 4800, 141, "GB"); }
NpuSpec v100() { return npu(125, 900, 32, "GB"); }
NpuSpec p100() { return npu(21.2, 732, 16, "GB"); }

constexpr double kFittedNvSwitchNs = 936.25;
constexpr double kNvLinkNs = 700;
constexpr double kAssumedNetworkNs = 1000;
constexpr double kIciNs = 1000;
constexpr double kAssumedPaperNs = 500;

using Pair = std::pair<int, int>;

/// Eight GPUs joined in pairs; a doubled pair is one link of twice the rate, because a route takes one of two parallel links only.
PlatformSpec cubeMesh(std::span<const Pair> first, double firstRate, std::span<const Pair> second, double secondRate, NpuSpec gpu)
{
    PlatformSpec spec;
    spec.npu = std::move(gpu);
    for (int i = 0; i < 8; ++i)
        spec.nodes.push_back({"gpu" + std::to_string(i), NodeKind::Npu});
    const auto add = [&spec](std::span<const Pair> pairs, double rate) {
        for (const auto& [a, b] : pairs) {
            spec.links.push_back({a, b, bandwidth(rate), latency(kNvLinkNs)});
            spec.links.push_back({b, a, bandwidth(rate), latency(kNvLinkNs)});
        }
    };
    add(first, firstRate);
    add(second, secondRate);
    return spec;
}

constexpr std::array<Pair, 8> kDgx1Single{{{0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}}};
constexpr std::array<Pair, 8> kDgx1Double{{{0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}}};
constexpr std::array<Pair, 8> kNdv2Double{{{0, 1}, {0, 4}, {1, 3}, {2, 3}, {2, 6}, {4, 5}, {5, 7}, {6, 7}}};
constexpr std::array<Pair, 8> kNdv2Single{{{0, 2}, {0, 3}, {1, 2}, {1, 5}, {3, 7}, {4, 6}, {4, 7}, {5, 6}}};

PlatformSpec dimensional(std::vector<Dimension> dimensions, NpuSpec npuSpec = {})
{
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions);
    spec.npu = std::move(npuSpec);
    return spec;
}

PlatformSpec hgxH100() { return dimensional({perNpu(Shape::Switch, 8, 450, kFittedNvSwitchNs)}, h100()); }
PlatformSpec dgxA100() { return dimensional({perNpu(Shape::Switch, 8, 300, kFittedNvSwitchNs)}, a100()); }
PlatformSpec dgxA100Pod()
{
    return dimensional({perNpu(Shape::Switch, 8, 300, kFittedNvSwitchNs), perNpu(Shape::Switch, 20, 25, kAssumedNetworkNs)}, a100());
}
PlatformSpec dgxA100Of40() { return dimensional({perNpu(Shape::Switch, 8, 300, kFittedNvSwitchNs)}, a100Of40()); }
PlatformSpec hgxH200() { return dimensional({perNpu(Shape::Switch, 8, 450, kFittedNvSwitchNs)}, h200()); }
PlatformSpec hgxB200() { return dimensional({perNpu(Shape::Switch, 8, 900, kFittedNvSwitchNs)}, npu(2250, 8000, 180, "GB")); }
PlatformSpec mi300x() { return dimensional({perLink(Shape::FullyConnected, 8, 64, kNvLinkNs)}, npu(1307.4, 5300, 192, "GB")); }
PlatformSpec dgx2() { return dimensional({perNpu(Shape::Switch, 16, 150, 350)}, v100()); }
PlatformSpec dgx1p() { return cubeMesh(kDgx1Single, 20, kDgx1Double, 20, p100()); }
PlatformSpec dgx1v() { return cubeMesh(kDgx1Single, 25, kDgx1Double, 50, v100()); }
PlatformSpec ndv2() { return cubeMesh(kNdv2Double, 50, kNdv2Single, 25, v100()); }
PlatformSpec tpuV3()
{
    return dimensional({perLink(Shape::Ring, 32, 70, kIciNs), perLink(Shape::Ring, 32, 70, kIciNs)}, npu(123, 900, 32, "GiB"));
}
PlatformSpec tpuV4(std::int32_t side)
{
    return dimensional({perLink(Shape::Ring, side, 50, kIciNs), perLink(Shape::Ring, side, 50, kIciNs), perLink(Shape::Ring, side, 50, kIciNs)},
                       npu(275, 1200, 32, "GiB"));
}
PlatformSpec tpuV4Cube() { return tpuV4(4); }
PlatformSpec tpuV4Pod() { return tpuV4(16); }
PlatformSpec tpuV5p(std::int32_t x, std::int32_t y, std::int32_t z)
{
    return dimensional({perLink(Shape::Ring, x, 100, kIciNs), perLink(Shape::Ring, y, 100, kIciNs), perLink(Shape::Ring, z, 100, kIciNs)}, npu(459, 2765, 95, "GiB"));
}
PlatformSpec tpuV5pCube() { return tpuV5p(4, 4, 4); }
PlatformSpec tpuV5pPod() { return tpuV5p(16, 20, 28); }
PlatformSpec tpuV5e() { return dimensional({perLink(Shape::Ring, 16, 50, kIciNs), perLink(Shape::Ring, 16, 50, kIciNs)}, npu(197, 819, 16, "GB")); }
PlatformSpec tpuV6e() { return dimensional({perLink(Shape::Ring, 16, 100, kIciNs), perLink(Shape::Ring, 16, 100, kIciNs)}, npu(918, 1638, 32, "GB")); }
PlatformSpec gb200() { return dimensional({perNpu(Shape::Switch, 72, 900, kFittedNvSwitchNs)}, npu(2500, 8000, 186, "GB")); }
PlatformSpec closH100()
{
    return dimensional({perNpu(Shape::Switch, 8, 450, kFittedNvSwitchNs), perNpu(Shape::Switch, 32, 50, kAssumedNetworkNs)}, h100());
}
PlatformSpec wafer1d(double rate) { return dimensional({perNpu(Shape::Switch, 512, rate, kAssumedPaperNs)}); }
PlatformSpec w1d350() { return wafer1d(350); }
PlatformSpec w1d500() { return wafer1d(500); }
PlatformSpec w1d600() { return wafer1d(600); }
PlatformSpec w2d()
{
    return dimensional({perNpu(Shape::Switch, 32, 250, kAssumedPaperNs), perNpu(Shape::Switch, 16, 250, kAssumedPaperNs)});
}
PlatformSpec conv3d()
{
    return dimensional({perNpu(Shape::Ring, 16, 200, kAssumedPaperNs), perNpu(Shape::FullyConnected, 8, 100, kAssumedPaperNs),
                        perNpu(Shape::Switch, 4, 50, kAssumedPaperNs)});
}
PlatformSpec conv4d()
{
    return dimensional({perNpu(Shape::Ring, 2, 250, kAssumedPaperNs), perNpu(Shape::FullyConnected, 8, 200, kAssumedPaperNs),
                        perNpu(Shape::Ring, 8, 100, kAssumedPaperNs), perNpu(Shape::Switch, 4, 50, kAssumedPaperNs)});
}

#define FABRICSCOPE_H100_FIGURES \
    "NVIDIA H100 Tensor Core GPU data sheet, SXM: NVLink 900 GB/s both directions together, so 450 GB/s per GPU and direction; BF16 1979 TFLOPS " \
    "with sparsity, so 989 dense; 80 GB at 3.35 TB/s. Latency: network file of ASTRA-sim for HGX-H100 with 8 GPUs, 936.25 ns per link, fitted to " \
    "a forced ring at 400 GiB/s: that latency belongs to that rate, not to 450 GB/s."
#define FABRICSCOPE_H100_ERROR \
    " Rates are those of the wire: all-reduces of 8 GPUs measured on Azure take 2.0 times as long, above 64 MiB 1.07 times. Fitted to measurements: example fabrics/h100."
#define FABRICSCOPE_A100_FIGURES \
    "NVIDIA A100 Tensor Core GPU data sheet, 80 GB SXM: NVLink 600 GB/s both directions together, so 300 GB/s per GPU and direction; BF16 312 " \
    "TFLOPS dense; 80 GB at 2039 GB/s. NVSwitch latency: assumed as in HGX-H100 (936.25 ns per link)."
#define FABRICSCOPE_A100_ERROR \
    " Rates are those of the wire: all-reduces of 8 GPUs measured on Azure take 2.6 times as long, above 64 MiB 1.4 times, and reach 232 GB/s of 300. Fitted to measurements: example fabrics/a100."
#define FABRICSCOPE_V100_FIGURES \
    "NVIDIA V100 data sheet, 32 GB SXM2: six NVLinks of 25 GB/s per direction; 125 TFLOPS tensor; 32 GB at 900 GB/s."
#define FABRICSCOPE_TPU4_FIGURES \
    "Jouppi et al., TPU v4 (ISCA 2023), table 4: six links of 50 GB/s per chip (3D torus), 275 TFLOPS, 32 GiB at 1200 GB/s. Latency: 1 us per " \
    "hop assumed, as in the TPU v3 network files of ASTRA-sim."
#define FABRICSCOPE_TPU5P_FIGURES \
    "Google Cloud documentation, TPU v5p: ICI 1200 GB/s per chip both directions together, 3D torus, so 100 GB/s per link and direction; 459 TFLOPS BF16; 95 GiB at 2765 GB/s. " \
    "Latency: 1 us per hop assumed. "
#define FABRICSCOPE_UNMEASURED "No collective was measured on it."
#define FABRICSCOPE_WIRE_ERROR \
    "Rates are those of the wire: all-reduces of 8 GPUs measured on Azure take 1.9 times as long, above 64 MiB 1.06 times. Fitted to measurements: example fabrics/h100."
#define FABRICSCOPE_WIRE_LATENCY " The latency is that of the wire, without any of a library, so small sizes look faster here than on hgx-h100-8."
#define FABRICSCOPE_PAPER_FIGURES \
    "from memory of the ASTRA-sim 2.0 paper, unconfirmed. Bandwidth in GB/s per NPU and direction. Latency: 500 ns per link assumed."

struct Entry {
    PresetInfo info;
    PlatformSpec (*make)();
};

constexpr std::array<Entry, 26> kEntries{{
    {{"hgx-h100-8", "NVIDIA HGX H100, 8 GPUs", "Switch(8)", FABRICSCOPE_H100_FIGURES FABRICSCOPE_H100_ERROR}, hgxH100},
    {{"clos-h100-256", "32 HGX H100 on a two-level Clos network", "Switch(8) x Switch(32)",
      FABRICSCOPE_H100_FIGURES " Network: NVIDIA DGX SuperPOD reference architecture for DGX H100: one 400 Gb/s port per GPU (50 GB/s), "
                               "non-blocking, scalable unit of 32 systems (one may be left out for management). Network latency: 1 us per link assumed."},
     closH100},
    {{"dgx-a100-8", "NVIDIA DGX A100, 8 GPUs", "Switch(8)", FABRICSCOPE_A100_FIGURES FABRICSCOPE_A100_ERROR}, dgxA100},
    {{"dgx-a100-pod", "NVIDIA DGX A100 scalable unit, 160 GPUs", "Switch(8) x Switch(20)",
      FABRICSCOPE_A100_FIGURES " Network: NVIDIA DGX SuperPOD reference architecture for DGX A100: one 200 Gb/s port per GPU (25 GB/s), "
                               "scalable unit of 20 systems. Network latency: 1 us per link assumed."},
     dgxA100Pod},
    {{"dgx-a100-8-40gb", "NVIDIA DGX A100 with 40 GB, 8 GPUs", "Switch(8)",
      "NVIDIA A100 Tensor Core GPU data sheet, 40 GB SXM4: NVLink 600 GB/s both directions together, so 300 GB/s per GPU and direction; BF16 312 TFLOPS dense; 40 GB at "
      "1555 GB/s. NVSwitch latency: assumed as in HGX-H100 (936.25 ns per link). " FABRICSCOPE_UNMEASURED},
     dgxA100Of40},
    {{"hgx-h200-8", "NVIDIA HGX H200, 8 GPUs", "Switch(8)",
      "NVIDIA H200 Tensor Core GPU data sheet, SXM: NVLink 900 GB/s both directions together, so 450 GB/s per GPU and direction; BF16 1979 TFLOPS with sparsity, so 989 dense; "
      "141 GB at 4.8 TB/s. Latency: assumed as in HGX-H100 (936.25 ns per link). " FABRICSCOPE_WIRE_ERROR},
     hgxH200},
    {{"hgx-b200-8", "NVIDIA HGX B200, 8 GPUs", "Switch(8)",
      "NVIDIA DGX B200 data sheet: NVLink 1.8 TB/s per GPU both directions together, so 900 GB/s per direction; 1440 GB, so 180 GB, at 64 TB/s of 8 GPUs, so 8 TB/s; BF16 of the HGX "
      "form 4.5 PFLOPS sparse, so 2.25 dense. Latency: assumed as in HGX-H100 (936.25 ns per link). " FABRICSCOPE_UNMEASURED},
     hgxB200},
    {{"mi300x-8", "AMD Instinct MI300X platform, 8 GPUs", "FullyConnected(8)",
      "AMD Instinct MI300X platform data sheet: each GPU joined with seven others by links of 128 GB/s both directions together, so 64 GB/s per direction; BF16 1307.4 TFLOPS dense; 192 GB at "
      "5.3 TB/s. Latency: 0.7 us per link assumed. " FABRICSCOPE_UNMEASURED},
     mi300x},
    {{"dgx-2", "NVIDIA DGX-2, 16 GPUs", "Switch(16)",
      FABRICSCOPE_V100_FIGURES " All six go to NVSwitches: 150 GB/s per GPU and direction. Latency: 0.35 us per hop, DGX2 topology of the TE-CCL release." FABRICSCOPE_WIRE_LATENCY},
     dgx2},
    {{"dgx-1p", "NVIDIA DGX-1 with P100, 8 GPUs", "8 GPUs, hybrid cube mesh",
      "NVIDIA P100 data sheet, SXM2: four NVLinks of 20 GB/s per direction; FP16 21.2 TFLOPS; 16 GB at 732 GB/s. Wiring: Blink (MLSys 2020), "
      "DGX-1P link table. Latency: 0.7 us per link assumed, as in NDv2." FABRICSCOPE_WIRE_LATENCY},
     dgx1p},
    {{"dgx-1v", "NVIDIA DGX-1 with V100, 8 GPUs", "8 GPUs, hybrid cube mesh",
      FABRICSCOPE_V100_FIGURES " Wiring: Blink (MLSys 2020), DGX-1V link table; a doubled pair is one link of 50 GB/s. Latency: 0.7 us per link "
                                                        "assumed, as in NDv2." FABRICSCOPE_WIRE_LATENCY},
     dgx1v},
    {{"ndv2", "Azure NDv2, 8 V100 GPUs", "8 GPUs, hybrid cube mesh",
      FABRICSCOPE_V100_FIGURES " Wiring and latency (0.7 us per link): NDv2 chassis of the TE-CCL release; a doubled pair is one link of 50 GB/s." FABRICSCOPE_WIRE_LATENCY},
     ndv2},
    {{"gb200-nvl72", "NVIDIA GB200 NVL72, 72 GPUs", "Switch(72)",
      "NVIDIA GB200 NVL72 product page: NVLink 1.8 TB/s per GPU both directions together, so 900 GB/s per direction; 72 GPUs with 360 PFLOPS BF16 "
      "sparse, so 2.5 PFLOP/s dense per GPU; 13.4 TB at 576 TB/s, so 186 GB at 8 TB/s per GPU. Latency: assumed as in HGX-H100 (936.25 ns per link). " FABRICSCOPE_UNMEASURED},
     gb200},
    {{"tpu-v3-1024", "Google TPU v3 pod, 1024 chips", "Ring(32) x Ring(32)",
      "Jouppi et al., TPU v4 (ISCA 2023), table 4, column TPU v3: four links of 70 GB/s per chip (2D torus), 123 TFLOPS, 32 GiB at 900 GB/s. "
      "Latency: 1 us per hop, network file of ASTRA-sim for TPU v3. The 70 GB/s are doubtful: pages of the vendor give 340 TB/s of all-reduce and 6.4 TB/s of bisection for a pod, "
      "which are 83 and 100 GB/s per link and direction, ASTRA-sim's file 80."},
     tpuV3},
    {{"tpu-v4-64", "Google TPU v4 cube, 64 chips", "Ring(4) x Ring(4) x Ring(4)", FABRICSCOPE_TPU4_FIGURES}, tpuV4Cube},
    {{"tpu-v4-4096", "Google TPU v4 pod, 4096 chips", "Ring(16) x Ring(16) x Ring(16)", FABRICSCOPE_TPU4_FIGURES}, tpuV4Pod},
    {{"tpu-v5e-256", "Google TPU v5e pod, 256 chips", "Ring(16) x Ring(16)",
      "Google Cloud documentation, TPU v5e: ICI 400 GB/s per chip both directions together over 4 ports, so 50 GB/s per link and direction (32 links across the middle are the 1.6 TB/s of bisection "
      "stated); 197 TFLOPS BF16; 16 GB at 819 GB/s. Latency: 1 us per hop assumed. " FABRICSCOPE_UNMEASURED},
     tpuV5e},
    {{"tpu-v5p-64", "Google TPU v5p cube, 64 chips", "Ring(4) x Ring(4) x Ring(4)", FABRICSCOPE_TPU5P_FIGURES FABRICSCOPE_UNMEASURED}, tpuV5pCube},
    {{"tpu-v5p-8960", "Google TPU v5p pod, 8960 chips", "Ring(16) x Ring(20) x Ring(28)",
      FABRICSCOPE_TPU5P_FIGURES "A pod has 8960 chips; that they are 16 x 20 x 28 is from memory, unconfirmed. " FABRICSCOPE_UNMEASURED},
     tpuV5pPod},
    {{"tpu-v6e-256", "Google TPU v6e (Trillium) pod, 256 chips", "Ring(16) x Ring(16)",
      "Google Cloud documentation, TPU v6e: ICI 800 GB/s per chip both directions together over 4 ports, so 100 GB/s per link and direction (32 links across the middle are the 3.2 TB/s of bisection "
      "stated); 918 TFLOPS BF16; 32 GB at 1638 GB/s. Latency: 1 us per hop assumed. " FABRICSCOPE_UNMEASURED},
     tpuV6e},
    {{"w-1d-350", "W-1D at 350 GB/s, 512 NPUs", "Switch(512)", FABRICSCOPE_PAPER_FIGURES}, w1d350},
    {{"w-1d-500", "W-1D at 500 GB/s, 512 NPUs", "Switch(512)", FABRICSCOPE_PAPER_FIGURES}, w1d500},
    {{"w-1d-600", "W-1D at 600 GB/s, 512 NPUs", "Switch(512)", FABRICSCOPE_PAPER_FIGURES}, w1d600},
    {{"w-2d", "W-2D, 512 NPUs", "Switch(32) x Switch(16)", FABRICSCOPE_PAPER_FIGURES}, w2d},
    {{"conv-3d", "Conv-3D, 512 NPUs", "Ring(16) x FullyConnected(8) x Switch(4)", FABRICSCOPE_PAPER_FIGURES}, conv3d},
    {{"conv-4d", "Conv-4D, 512 NPUs", "Ring(2) x FullyConnected(8) x Ring(8) x Switch(4)", FABRICSCOPE_PAPER_FIGURES}, conv4d},
}};

constexpr auto kInfos = [] {
    std::array<PresetInfo, kEntries.size()> infos{};
    for (std::size_t i = 0; i < kEntries.size(); ++i)
        infos[i] = kEntries[i].info;
    return infos;
}();

} // namespace

std::span<const PresetInfo> presets()
{
    return kInfos;
}

Result<PlatformSpec> presetPlatform(std::string_view name)
{
    std::string known;
    for (const Entry& entry : kEntries) {
        if (entry.info.name == name) {
            PlatformSpec spec = entry.make();
            spec.name = entry.info.title;
            spec.source = entry.info.source;
            return spec;
        }
        known += (known.empty() ? "one of " : ", ") + std::string(entry.info.name);
    }
    Place place;
    place.field = "platform.preset";
    return invalidInput("there is no preset " + quotedText(name), place, known);
}

} // namespace fabricscope
