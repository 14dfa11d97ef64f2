#include "core/run/inputfiles.h"

#include "core/base/placeof.h"
#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "core/platform/platform.h"
#include "core/platform/topologytext.h"
#include "core/workload/goalreader.h"

#include <algorithm>
#include <filesystem>

namespace fabricscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

Error unreadable(const std::string& path, std::string message, std::string expected = {})
{
    return Error{ErrorCode::NotReadable, std::move(message), placeOfFile(path), std::move(expected)};
}

Result<InputKind> kindOf(const std::string& path)
{
    const auto head = readFileHead(path, kHeadBytes);
    if (!head)
        return head.error();
    return inputKindOf(fs::path(path).filename().string(), head.value());
}

/// What to open instead of a file that is known and of no use; null for kinds that can be opened.
const char* insteadOf(InputKind kind)
{
    switch (kind) {
    case InputKind::LogicalTopology: return "the physical topology, which the ns-3 configuration names as TOPOLOGY_FILE: the logical dimensions say only how collectives are split";
    case InputKind::PytorchTrace: return "Chakra traces (PREFIX.RANK.et): chakra_trace_link joins PyTorch's execution trace with its profiler's, chakra_converter makes a Chakra trace of both";
    case InputKind::EventTrace: return "a design, or Chakra traces (PREFIX.RANK.et)";
    case InputKind::TransformFile:
    case InputKind::PlaceFile:
    case InputKind::StudyFile:
    case InputKind::CaseFile:
    case InputKind::ModelFile:
    case InputKind::CheckpointConfig:
    case InputKind::StableHlo:
    case InputKind::LayerTable: return "a design; that command of fabricscope-cli reads it";
    default: return nullptr;
    }
}

} // namespace

Status InputFiles::add(const std::string& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        return addFolder(path);
    if (!fs::exists(status) && !isInputFile(path)) {
        if (const std::size_t bracket = path.find('('); bracket != std::string::npos && shapeFromText(path.substr(0, bracket))) {
            m_topologies.push_back(path);
            return {};
        }
        return unreadable(path, "there is no such file");
    }
    auto kind = kindOf(path);
    if (!kind)
        return std::move(kind).error();
    if (const char* instead = insteadOf(kind.value()))
        return invalidInput("this is " + std::string(inputKindText(kind.value())) + ", which cannot be opened", placeOfFile(path), instead);
    if (kind.value() == InputKind::Unknown)
        return invalidInput("this is no file the program knows", placeOfFile(path),
                            "a design, a saved run, an ASTRA-sim network, system or memory file, an InfraGraph document, a topology of NCCL (a dump as NCCL_TOPO_DUMP_FILE writes it), ns-3 or HTSim, communicator groups, or Chakra traces");
    return take(path, kind.value());
}

Status InputFiles::addFolder(const std::string& folder)
{
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored))
            files.push_back(entry->path().string());
    }
    if (error)
        return unreadable(folder, "the folder cannot be read: " + error.message());
    std::sort(files.begin(), files.end());
    std::size_t known = 0;
    for (const std::string& file : files) {
        // Notes, tables and the like lie beside inputs: in a folder the unknown is no mistake.
        auto kind = kindOf(file);
        if (!kind || kind.value() == InputKind::Unknown || insteadOf(kind.value()) || (kind.value() == InputKind::Trace && !traceNameOf(fs::path(file).filename().string())))
            continue;
        ++known;
        if (Status status = take(file, kind.value()); !status)
            return status;
    }
    if (known == 0)
        return unreadable(folder, "nothing in this folder can be opened", "a design, ASTRA-sim inputs or Chakra traces named PREFIX.RANK.et");
    return {};
}

Status InputFiles::take(const std::string& path, InputKind kind)
{
    const std::string full = absolutePath(path);
    std::vector<std::string>& list = m_files[kind == InputKind::GoalSchedule ? InputKind::Trace : kind];
    if (kind == InputKind::GoalSchedule) {
        const Result<std::int64_t> ranks = goalRanks(path);
        if (!ranks)
            return ranks.error();
        m_ranks[full] = ranks.value();
    }
    if (kind != InputKind::Trace) {
        if (std::find(list.begin(), list.end(), full) == list.end())
            list.push_back(full);
        return {};
    }
    const auto name = traceNameOf(fs::path(full).filename().string());
    if (!name)
        return invalidInput("the name of this trace says no rank", placeOfFile(path), "a name such as workload.0.et");
    const std::string prefix = (fs::path(full).parent_path() / name->prefix).string();
    if (std::find(list.begin(), list.end(), prefix) == list.end()) {
        list.push_back(prefix);
        return countRanks(prefix);
    }
    return {};
}

Status InputFiles::countRanks(const std::string& prefix)
{
    std::int64_t ranks = 0;
    std::error_code error;
    const fs::path path(prefix);
    for (fs::directory_iterator entry(path.parent_path(), error), end; !error && entry != end; entry.increment(error)) {
        const auto name = traceNameOf(entry->path().filename().string());
        if (!name || name->prefix != path.filename().string())
            continue;
        if (name->rank >= kMaxNpus)
            return invalidInput("the rank in the name of this trace is " + std::to_string(name->rank), placeOfFile(entry->path().string()), "ranks below " + std::to_string(kMaxNpus));
        ranks = std::max(ranks, name->rank + 1);
    }
    m_ranks[prefix] = ranks;
    return {};
}

const std::vector<std::string>& InputFiles::of(InputKind kind) const
{
    static const std::vector<std::string> none;
    const auto found = m_files.find(kind);
    return found == m_files.end() ? none : found->second;
}

std::size_t InputFiles::kinds() const
{
    return static_cast<std::size_t>(std::count_if(m_files.begin(), m_files.end(), [](const auto& entry) { return !entry.second.empty(); }))
        + (m_topologies.empty() ? 0 : 1);
}

std::string absolutePath(const std::string& path)
{
    if (path == "-")
        return path; // Standard input.
    std::error_code error;
    const fs::path full = fs::absolute(path, error);
    return error ? path : full.lexically_normal().string();
}

} // namespace fabricscope
