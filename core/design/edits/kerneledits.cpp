#include "core/design/edits/kerneledits.h"

#include "core/design/computeconfig.h"
#include "core/design/file/sectionfields.h"

namespace fabricscope::edits {

namespace {

const std::string kSection = "compute";
const std::string kKernels = kSection + ".kernels";
const std::string kMachine = kKernels + ".machine";

/// A mapping in one line.
YamlNode flowMap()
{
    YamlNode map = YamlNode::map();
    map.flow = true;
    return map;
}

/// `kernels: MACHINE` has no room for more.
Status makeRoom(YamlDocument& yaml)
{
    const YamlNode* const kernels = yaml.find(kKernels);
    if (!kernels || !kernels->isScalar())
        return {};
    YamlNode map = flowMap();
    map.add("machine", YamlNode::scalar(kernels->text));
    return yaml.set(kKernels, map);
}

/// The mapping stays when nothing is left in it: it says that ops are kernels.
Status dropKey(YamlDocument& yaml, const std::string& path)
{
    const YamlNode* const kernels = yaml.find(kKernels);
    if (!yaml.find(path))
        return {};
    return kernels->entries.size() > 1 ? yaml.remove(path) : yaml.set(kKernels, flowMap());
}

/// What reading and checking say of one term.
Status checkTerm(const YamlDocument& yaml, const std::string& path)
{
    FieldContext context(yaml);
    KernelConfig config;
    readFields(context, *yaml.find(kKernels), kKernels, kernelFields(), config);
    if (const auto& error = context.firstError(); error && error->place.field == path)
        return *error;
    Status status;
    checkFields<KernelConfig>(kernelFields(), config, [&](const std::string& key, std::string message, std::string expected) {
        if (kKernels + '.' + key == path)
            status = invalidInput(std::move(message), yaml.place(*yaml.find(path), path), std::move(expected));
    });
    return status;
}

} // namespace

Status dropKernels(YamlDocument& yaml)
{
    if (!yaml.find(kKernels))
        return {};
    const YamlNode* const section = yaml.find(kSection);
    return yaml.remove(section->entries.size() > 1 ? kKernels : kSection);
}

Status setKernelMachine(YamlDocument& yaml, std::string_view machine)
{
    const YamlNode* const kernels = yaml.find(kKernels);
    const bool saysTerms = kernels && kernels->isMap() && !kernels->entries.empty();
    if (machine.empty())
        return saysTerms ? dropKey(yaml, kMachine) : yaml.set(kKernels, flowMap());
    return yaml.set(saysTerms ? kMachine : kKernels, std::string(machine));
}

Status setKernelTerm(YamlDocument& yaml, std::string_view key, const std::string& value)
{
    if (Status status = makeRoom(yaml); !status)
        return status;
    const std::string path = kKernels + '.' + std::string(key);
    if (value.empty())
        return dropKey(yaml, path);
    Status status = yaml.set(path, value);
    return status ? checkTerm(yaml, path) : status;
}

} // namespace fabricscope::edits
