#include "core/measure/rowpredictions.h"

#include "core/base/decimal.h"
#include "core/base/stop.h"
#include "core/design/file/readdesign.h"
#include "core/measure/measuredmachines.h"
#include "core/plan/kernelseconds.h"
#include "core/scenario/designplan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace fabricscope {

namespace {

/// Of TPUs: shares of the peak and of the memory bandwidth by size, as Calculon has them for A100.
constexpr std::string_view kShares = "compute: {efficiency: {operations: [{up_to: 1 GFLOP, share: 0.1}, {up_to: 16 GFLOP, share: 0.6}, {up_to: 128 GFLOP, share: 0.9}, {share: 0.95}], "
                                     "bytes: [{up_to: 1 MB, share: 0.3}, {up_to: 10 MB, share: 0.6}, {up_to: 100 MB, share: 0.75}, {share: 0.9}]}}\n";

/// A step of training as a row has it.
struct MeasuredStep {
    std::string model;      ///< YAML below `model`.
    std::string sections;   ///< Of the plan, behind its mesh.
    std::int64_t gpus = 1;
    std::int64_t tensor = 1, pipeline = 1, context = 1;
    MeasuredGpu gpu;
    StepTerms terms;
    std::string platform; ///< YAML of its dimensions; empty: switches, as the GPU has them.
};

std::string designOf(const MeasuredStep& step)
{
    const MeasuredGpu& gpu = step.gpu;
    const std::int64_t inside = std::min(step.gpus, gpu.inside);
    std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n" + step.platform;
    if (step.platform.empty())
        text += "    - {shape: switch, size: " + std::to_string(inside) + ", bandwidth: " + decimal(gpu.linkGb * step.terms.linkShare) + " GB/s, latency: 0.3 us}\n";
    if (step.platform.empty() && step.gpus > inside)
        text += "    - {shape: switch, size: " + std::to_string(step.gpus / inside) + ", bandwidth: " + decimal(gpu.networkGb * step.terms.networkShare) + " GB/s, latency: 5 us}\n";
    text += "  npu: {peak: " + decimal(gpu.teraflops) + " TFLOP/s, memory_bandwidth: " + decimal(gpu.gigabytesPerSecond) + " GB/s, memory: " + decimal(gpu.memoryGb) + " GB}\n";
    if (!step.platform.empty())
        text += "model: {version: physical/3}\n"; // One way round: the other link of the chip along each axis is its other core's.
    const std::int64_t data = step.gpus / (step.tensor * step.pipeline * step.context);
    text += (step.platform.empty() ? "network: {launch: " + decimal(step.terms.launchUs) + " us}\n" : std::string(kShares)) + "workload:\n  model: {" + step.model + "}\n  plan:\n    mesh: {axes: [pp, dp, cp, tp], shape: [" + std::to_string(step.pipeline) + ", " + std::to_string(data) + ", " + std::to_string(step.context) + ", " + std::to_string(step.tensor) + "]}\n";
    return text + step.sections;
}

class RowPredictor {
public:
    RowPredictor(MeasuredKind kind, const MeasuredTable& table, const std::stop_token& stop) : m_kind(kind), m_table(table), m_stop(stop) {}

    Result<std::vector<PredictedRow>> run()
    {
        if (Status status = checkColumns(); !status)
            return std::move(status).error();
        std::vector<PredictedRow> rows;
        for (std::size_t i = 0; i < m_table.rows.size(); ++i) {
            checkStop(m_stop);
            const MeasuredTable::Row& row = m_table.rows[i];
            if (m_kind == MeasuredKind::Gemm && !m_table.cell(row, "kind").starts_with("GEMM"))
                continue;
            PredictedRow out;
            out.row = i;
            Status status = m_kind == MeasuredKind::Gemm ? addProduct(row, out) : addStep(row, out);
            if (!status)
                return std::move(status).error();
            rows.push_back(std::move(out));
        }
        return rows;
    }

private:
    bool isNamed() const { return m_kind == MeasuredKind::Fsdp || (m_kind == MeasuredKind::Megatron && m_table.column("tokens_per_s_per_gpu") >= 0); }

    Status checkColumns() const
    {
        std::vector<std::string_view> wanted;
        if (m_kind == MeasuredKind::Gemm)
            wanted = {"gpu", "kind", "m", "n", "k", "time_us"};
        else if (m_kind == MeasuredKind::Tpu)
            wanted = {"L", "M", "H", tpuColumn(kHeadColumns), "gated", "seq", "batch", tpuColumn(kMeshColumns), tpuColumn(kRateColumns)};
        else if (isNamed())
            wanted = {"model", "gpus", "gpu", "seq", "micro_batch", "global_batch", "tokens_per_s_per_gpu"};
        else
            wanted = {"gpus", "global_batch", "micro_batch", "hidden", "heads", "layers", "seq", "tp", "dp", "pp", m_kind == MeasuredKind::Gpt ? "iter_ms" : "iter_s"};
        for (const std::string_view name : wanted) {
            if (m_table.column(name) < 0) {
                Place place;
                place.file = m_table.file;
                place.line = 1;
                return invalidInput("no column " + std::string(name), std::move(place), "the columns of this --kind");
            }
        }
        return {};
    }

    static constexpr std::array<const char*, 3> kHeadColumns{"N x D", "NxD", "N_x_D"};
    static constexpr std::array<const char*, 4> kMeshColumns{"cores, mesh", "mesh", "cores_mesh", "cores mesh"};
    static constexpr std::array<const char*, 4> kRateColumns{"tokens/s", "~tokens/s", "tokens_per_s", "tokens_s"};

    /// The first of several spellings of a column that the table has; none: the first.
    const char* tpuColumn(std::span<const char* const> spellings) const
    {
        const auto found = std::find_if(spellings.begin(), spellings.end(), [this](const char* name) { return m_table.column(name) >= 0; });
        return found == spellings.end() ? spellings.front() : *found;
    }

    Error missing(const MeasuredTable::Row& row, std::string_view name) const
    {
        Place place;
        place.file = m_table.file;
        place.line = row.line;
        return invalidInput("\"" + m_table.cell(row, name) + "\" in column " + std::string(name) + " is no measurement", std::move(place), "a number above 0");
    }

    Status addProduct(const MeasuredTable::Row& row, PredictedRow& out) const
    {
        const auto time = m_table.number(row, "time_us");
        if (!time)
            return missing(row, "time_us");
        out.measured = *time * 1e-6;
        std::array<double, 3> sizes{};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto size = m_table.whole(row, std::array{"m", "n", "k"}[i]);
            if (!size)
                return size.error();
            sizes[i] = static_cast<double>(size.value());
        }
        const MeasuredGpu* const gpu = gpuOf(m_table.cell(row, "gpu"));
        if (!gpu) {
            out.reason = "nothing is known of " + m_table.cell(row, "gpu");
            return {};
        }
        const bool fp8 = m_table.cell(row, "kind").find("fp8") != std::string::npos;
        const double bytes = (sizes[0] * sizes[2] + sizes[2] * sizes[1]) * (fp8 ? 1 : 2) + sizes[0] * sizes[1] * 2;
        out.predicted = productSeconds({productTerms(*gpu), gpu->teraflops * (fp8 ? 2 : 1) * 1e12, gpu->gigabytesPerSecond * 1e9}, {sizes[0], sizes[1], sizes[2], 1, fp8 ? 1.0 : 2.0, bytes});
        return {};
    }

    Status addStep(const MeasuredTable::Row& row, PredictedRow& out) const
    {
        MeasuredStep step;
        Status status = m_kind == MeasuredKind::Tpu ? readTpu(row, step, out) : isNamed() ? readNamed(row, step, out) : readGpt(row, step, out);
        if (!status || !out.reason.empty())
            return status;
        if (step.gpus % (step.tensor * step.pipeline * step.context) != 0 || (step.platform.empty() && step.gpus > step.gpu.inside && step.gpus % step.gpu.inside != 0)) {
            out.reason = "its ranks are no grid on these GPUs";
            return {};
        }
        const auto loaded = readDesignText(designOf(step), m_table.file);
        if (!loaded) {
            out.reason = loaded.error().message;
            return {};
        }
        const auto seconds = step.platform.empty() ? secondsOfKernels(loaded.value().design, step) : estimatedSeconds(loaded.value().design);
        if (!seconds && seconds.error().code == ErrorCode::Cancelled)
            return seconds.error();
        if (seconds)
            out.predicted = seconds.value();
        else
            out.reason = seconds.error().message;
        return {};
    }

    Result<double> estimatedSeconds(const Design& design) const
    {
        const auto plan = analyseDesign(design, m_stop);
        if (!plan)
            return plan.error();
        if (plan.value().analysis.times && plan.value().analysis.times->step > 0)
            return plan.value().analysis.times->step;
        return invalidInput("no time", {}, "");
    }

    static Result<double> secondsOfKernels(const Design& design, const MeasuredStep& step)
    {
        const auto platform = Platform::create(*design.platform);
        if (!platform)
            return platform.error();
        const auto& planned = std::get<PlannedWorkload>(*design.workload);
        return kernelStep(*planned.model, *planned.plan, step.gpus, planNpuOf(design, platform.value()), step.terms.kernels);
    }

    /// Whole numbers of a row by column.
    Status readWholes(const MeasuredTable::Row& row, std::initializer_list<std::pair<const char*, std::int64_t*>> columns) const
    {
        for (const auto& [name, into] : columns) {
            const auto value = m_table.whole(row, name);
            if (!value)
                return value.error();
            *into = value.value();
        }
        return {};
    }

    Status readGpt(const MeasuredTable::Row& row, MeasuredStep& step, PredictedRow& out) const
    {
        std::int64_t global = 0, micro = 0, hidden = 0, heads = 0, layers = 0, seq = 0, vocab = 50257, chunks = 1;
        if (Status status = readWholes(row, {{"gpus", &step.gpus}, {"global_batch", &global}, {"micro_batch", &micro}, {"hidden", &hidden}, {"heads", &heads}, {"layers", &layers}, {"seq", &seq}, {"tp", &step.tensor}, {"pp", &step.pipeline}}); !status)
            return status;
        const bool megatron = m_kind == MeasuredKind::Megatron;
        if (megatron) {
            if (Status status = readWholes(row, {{"vocab", &vocab}, {"virtual", &chunks}}); !status)
                return status;
        }
        const auto time = m_table.number(row, megatron ? "iter_s" : "iter_ms");
        if (!time)
            return missing(row, megatron ? "iter_s" : "iter_ms");
        out.measured = megatron ? *time : *time / 1000;
        step.gpu = *gpuOf("A100");
        step.terms = megatronTerms(step.gpu, !megatron && step.gpus <= step.gpu.inside);
        if (!megatron)
            step.gpu.networkGb = 12.5; // 4 x 200 Gb/s for a node of 8.
        step.model = "family: transformer, transformer: {layers: " + std::to_string(layers) + ", hidden: " + std::to_string(hidden) + ", heads: " + std::to_string(heads) + ", vocab: " + std::to_string(vocab) + ", seq: " + std::to_string(seq) + "}, train: {global_batch: " + std::to_string(global) + ", micro_batch: " + std::to_string(micro) + "}";
        // Rows of several nodes name their parameters, and compute whole layers again.
        const std::string again = megatron ? m_table.cell(row, "recompute") : m_table.cell(row, "params_b").empty() ? "none" : "full";
        step.sections = "    recompute: " + again + "\n";
        if (megatron && m_table.cell(row, "sequence_parallel") == "1" && step.tensor > 1)
            step.sections += "    tensor: {sequence_parallel: true}\n";
        if (chunks > 1 && step.pipeline > 1)
            step.sections += "    pipeline: {schedule: interleaved, virtual: " + std::to_string(chunks) + "}\n";
        return {};
    }

    /// Models that rows name: layers, hidden, heads of MPT, or a preset.
    static std::string modelNamed(const std::string& name)
    {
        static constexpr std::array<std::pair<std::string_view, std::array<int, 3>>, 9> kMpt{{{"MPT-125m", {12, 768, 12}}, {"MPT-350m", {24, 1024, 16}}, {"MPT-760m", {24, 1536, 12}}, {"MPT-1b", {24, 2048, 16}}, {"MPT-3b", {32, 2560, 32}},
                                                                                              {"MPT-7b", {32, 4096, 32}}, {"MPT-13b", {40, 5120, 40}}, {"MPT-30b", {48, 7168, 56}}, {"MPT-70b", {80, 8192, 64}}}};
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPresets{{{"LLAMA3_8B", "llama-3-8b"}, {"LLAMA3_70B", "llama-3-70b"}, {"LLAMA3.1_405B", "llama-3.1-405b"}, {"DeepSeekV3", "deepseek-v3"}, {"Qwen3_30B_A3B", "qwen3-30b-a3b"}, {"Qwen3_235B_A22B", "qwen3-235b-a22b"}}};
        for (const auto& [mpt, sizes] : kMpt) {
            if (name == mpt)
                return "family: transformer, dtype: {param: bf16, act: bf16, grad: fp32, master: fp32}, transformer: {layers: " + std::to_string(sizes[0]) + ", hidden: " + std::to_string(sizes[1]) + ", heads: " + std::to_string(sizes[2]) + ", vocab: 50368, flash_attention: true, dropout: false";
        }
        for (const auto& [known, preset] : kPresets) {
            if (name == known)
                return "preset: " + std::string(preset) + ", transformer: {flash_attention: true";
        }
        return {};
    }

    Status readNamed(const MeasuredTable::Row& row, MeasuredStep& step, PredictedRow& out) const
    {
        std::int64_t global = 0, micro = 0, seq = 0;
        if (Status status = readWholes(row, {{"gpus", &step.gpus}, {"global_batch", &global}, {"micro_batch", &micro}, {"seq", &seq}}); !status)
            return status;
        const auto rate = m_table.number(row, "tokens_per_s_per_gpu");
        if (!rate)
            return missing(row, "tokens_per_s_per_gpu");
        out.measured = static_cast<double>(global) * static_cast<double>(seq) / (*rate * static_cast<double>(step.gpus));
        const MeasuredGpu* const gpu = gpuOf(m_table.cell(row, "gpu"));
        const std::string model = modelNamed(m_table.cell(row, "model"));
        if (!gpu || model.empty()) {
            out.reason = "nothing is known of " + m_table.cell(row, gpu ? "model" : "gpu");
            return {};
        }
        step.gpu = *gpu;
        step.terms = fsdpTerms(*gpu);
        if (m_table.cell(row, "precision").starts_with("FP8"))
            step.gpu.teraflops *= 2;
        step.model = model + ", seq: " + std::to_string(seq) + "}, train: {global_batch: " + std::to_string(global) + ", micro_batch: " + std::to_string(micro) + "}";
        for (const char* name : {"tp", "pp", "cp", "vp", "ep"}) {
            if (const auto given = m_table.number(row, name); given && !(*given >= 1 && *given <= 1e6 && *given == std::floor(*given)))
                return missing(row, name);
        }
        const auto degree = [&](const char* name) { return static_cast<std::int64_t>(m_table.number(row, name).value_or(1)); };
        step.tensor = degree("tp");
        step.pipeline = degree("pp");
        step.context = degree("cp");
        const bool shared = m_kind == MeasuredKind::Fsdp || m_table.cell(row, "fsdp") == "1";
        step.sections = "    data: {zero: " + std::string(shared ? "3" : "1") + "}\n    recompute: " + (m_table.cell(row, "recompute") == "True" ? "full" : "none") + "\n";
        if (step.tensor > 1)
            step.sections += "    tensor: {sequence_parallel: true}\n";
        if (degree("vp") > 1 && step.pipeline > 1)
            step.sections += "    pipeline: {schedule: interleaved, virtual: " + std::to_string(degree("vp")) + "}\n";
        if (degree("ep") > 1)
            step.sections += "    expert: {inside: dp, dispatch: dropless, degree: " + std::to_string(degree("ep")) + "}\n";
        return {};
    }

    /// The whole numbers of a cell: "128 (8,16)" has three.
    static std::vector<std::int64_t> numbersIn(const std::string& cell)
    {
        std::vector<std::int64_t> found;
        bool inside = false;
        for (const char c : cell) {
            const bool digit = c >= '0' && c <= '9';
            if (digit && !inside)
                found.push_back(0);
            if (digit && found.back() < 1'000'000'000)
                found.back() = found.back() * 10 + (c - '0');
            inside = digit;
        }
        return found;
    }

    /// Weights lie over both axes of the mesh and are gathered along the first, as states of ZeRO 3 are; activations over the second, as with sequence parallelism; layers are computed again.
    Status readTpu(const MeasuredTable::Row& row, MeasuredStep& step, PredictedRow& out) const
    {
        std::int64_t layers = 0, hidden = 0, ff = 0, seq = 0, batch = 0;
        if (Status status = readWholes(row, {{"L", &layers}, {"M", &hidden}, {"H", &ff}, {"seq", &seq}, {"batch", &batch}}); !status)
            return status;
        const char* const headColumn = tpuColumn(kHeadColumns);
        const std::vector<std::int64_t> heads = numbersIn(m_table.cell(row, headColumn));
        if (heads.size() != 2 || heads[0] < 1 || heads[1] < 1)
            return missing(row, headColumn);
        const char* const meshColumn = tpuColumn(kMeshColumns);
        const std::vector<std::int64_t> mesh = numbersIn(m_table.cell(row, meshColumn));
        if (mesh.size() < 2 || mesh[mesh.size() - 2] < 1 || mesh.back() < 1 || mesh[mesh.size() - 2] > 4096 || mesh.back() > 4096)
            return missing(row, meshColumn);
        const char* const rateColumn = tpuColumn(kRateColumns);
        std::string digits = m_table.cell(row, rateColumn);
        std::erase_if(digits, [](char c) { return c == ' ' || c == '~'; });
        double rate = 0;
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), rate);
        if (problem != std::errc() || end != digits.data() + digits.size() || !(rate > 0) || !std::isfinite(rate))
            return missing(row, rateColumn);
        out.measured = static_cast<double>(batch) * static_cast<double>(seq) / rate;
        const std::int64_t rows = mesh[mesh.size() - 2];
        step.tensor = mesh.back();
        step.gpus = rows * step.tensor;
        if (batch % rows != 0) {
            out.reason = "its batch is not split evenly over " + std::to_string(rows) + " rows of the mesh";
            return {};
        }
        // A core is half a chip; four links of 70 GB/s of the chip, two along each axis (Jouppi et al., ISCA 2023, table 4).
        step.gpu = {"", 61.5, 450, 16, 1, 0, 0};
        for (const std::int64_t size : {step.tensor, rows})
            step.platform += "    - {shape: ring, size: " + std::to_string(size) + ", bandwidth: 70 GB/s, latency: 1 us}\n";
        const std::string gated = m_table.cell(row, "gated");
        step.model = "family: transformer, dtype: {param: bf16, act: bf16, grad: bf16}, transformer: {layers: " + std::to_string(layers) + ", hidden: " + std::to_string(hidden) + ", heads: " + std::to_string(heads[0]) + ", head_dim: " + std::to_string(heads[1])
            + ", ff: " + std::to_string(ff) + ", vocab: 32000, seq: " + std::to_string(seq) + (gated == "yes" || gated == "True" || gated == "1" ? ", ff_kind: glu" : "") + "}, train: {global_batch: " + std::to_string(batch) + ", micro_batch: " + std::to_string(batch / rows) + "}";
        step.sections = "    data: {zero: 3}\n    recompute: full\n" + std::string(step.tensor > 1 ? "    tensor: {sequence_parallel: true}\n" : "");
        return {};
    }

    MeasuredKind m_kind;
    const MeasuredTable& m_table;
    const std::stop_token& m_stop;
};

} // namespace

Result<std::vector<PredictedRow>> predictRows(MeasuredKind kind, const MeasuredTable& table, const std::stop_token& stop)
{
    return untilStopped([&] { return RowPredictor(kind, table, stop).run(); });
}

} // namespace fabricscope
