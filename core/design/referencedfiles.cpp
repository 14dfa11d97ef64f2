#include "core/design/referencedfiles.h"

#include "core/workload/goalreader.h"

#include <filesystem>

namespace fabricscope {

namespace {

/// A file, or the prefix of graphs: what is there decides.
void addPrograms(const Design& design, const ProgramChoice& choice, std::vector<NamedFile>& files)
{
    for (const std::vector<ProgramSource>* list : {&choice.program, &choice.candidates}) {
        for (const ProgramSource& source : *list) {
            if (!source.hasFile())
                continue;
            const std::string path = design.resolve(source.text);
            files.push_back({kProgramOfDesign, path});
            if (source.kind == ProgramSource::Kind::File)
                files.push_back({kProgramOfDesign, path, true});
        }
    }
}

template <typename Spec>
void addTrace(const Design& design, const Spec& spec, std::vector<NamedFile>& files)
{
    const auto* trace = std::get_if<TraceWorkload>(&spec);
    if (!trace)
        return;
    const std::string path = design.resolve(trace->prefix);
    files.push_back({"a trace", path, !isGoalFile(path)});
    if (!trace->commGroups.empty())
        files.push_back({"the communicator groups", design.resolve(trace->commGroups)});
}

void addCustom(const AstraSystem& system, const std::string& prefix, std::vector<NamedFile>& files)
{
    if (prefix.empty())
        return;
    files.push_back({"a custom collective", (std::filesystem::path(system.file).parent_path() / prefix).string(), true});
    files.push_back({"a custom collective", prefix, true});
}

} // namespace

std::vector<NamedFile> referencedFiles(const Design& design)
{
    std::vector<NamedFile> files;
    files.push_back({"the design", design.file});
    for (const std::string& file : design.files)
        files.push_back({"a file of the design", file});
    if (design.astra) {
        for (const std::string& prefix : design.astra->custom)
            addCustom(*design.astra, prefix, files);
        for (const auto& [node, prefix] : design.astra->perNodeCustom)
            addCustom(*design.astra, prefix, files);
    }
    addPrograms(design, design.collectives.defaults.program, files);
    for (const CollectiveRule& rule : design.collectives.rules)
        addPrograms(design, rule.program, files);
    if (design.workload) {
        addTrace(design, *design.workload, files);
        if (const auto* several = std::get_if<JobsWorkload>(design.workload.get())) {
            for (const JobWorkload& job : several->jobs)
                addTrace(design, job.runs, files);
        }
    }
    return files;
}

} // namespace fabricscope
