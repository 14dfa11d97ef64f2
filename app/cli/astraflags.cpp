#include "app/cli/astraflags.h"

#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/nearestword.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace fabricscope::cli {

namespace {

constexpr std::array<std::string_view, 14> kKnown{
    "workload-configuration", "system-configuration", "network-configuration", "remote-memory-configuration", "comm-group-configuration",
    "logging-configuration",  "logging-folder",       "num-queues-per-dim",    "injection-scale",             "comm-scale",
    "compute-scale",          "rendezvous-protocol",  "backend",               "memory-limit"};

std::string suggestion(std::string_view name)
{
    if (name.size() > 64)
        return {};
    const auto closest = std::min_element(kKnown.begin(), kKnown.end(), [&](std::string_view a, std::string_view b) { return editDistance(name, a) < editDistance(name, b); });
    return editDistance(name, *closest) <= 3 ? "; did you mean --" + std::string(*closest) + '?' : std::string();
}

template <typename Number>
Status readNumber(const std::map<std::string, std::string, std::less<>>& values, const std::string& name, Number& out, const char* expected)
{
    const auto found = values.find(name);
    if (found == values.end())
        return {};
    const std::string& text = found->second;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code != std::errc() || end != text.data() + text.size() || text.empty())
        return usageError('"' + text + "\" is not a number", "--" + name, expected);
    return {};
}

Result<bool> readSwitch(const std::string& text, const std::string& name)
{
    if (indexOf(text, {"true", "1", "t", "yes"}) >= 0)
        return true;
    if (indexOf(text, {"false", "0", "f", "no"}) >= 0)
        return false;
    return usageError('"' + text + "\" is neither true nor false", name, "true or false");
}

} // namespace

bool isAstraProgramName(std::string_view program)
{
    return program.find("Congestion_Unaware") != std::string_view::npos || program.find("Congestion_Aware") != std::string_view::npos;
}

Result<AstraFlags> parseAstraFlags(std::string_view program, const std::vector<std::string>& arguments)
{
    AstraFlags flags;
    std::map<std::string, std::string, std::less<>> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (!argument.starts_with("--") || argument.size() == 2) {
            flags.warnings.push_back("the argument " + argument + " is ignored");
            continue;
        }
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
        const bool known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
        const bool nextIsValue = equals == std::string::npos && i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
        std::string value = equals == std::string::npos ? std::string() : argument.substr(equals + 1);
        if (nextIsValue)
            value = arguments[++i];
        if (!known) {
            flags.warnings.push_back("unknown option --" + name + " is ignored" + suggestion(name));
            continue;
        }
        if (equals == std::string::npos && !nextIsValue)
            value = name == "rendezvous-protocol" ? "true" : "";
        values[name] = value;
    }

    AstraInputs& inputs = flags.inputs;
    const auto text = [&values](std::string_view name) {
        const auto found = values.find(name);
        return found == values.end() ? std::string() : found->second;
    };
    inputs.workload = text("workload-configuration");
    inputs.system = text("system-configuration");
    inputs.network = text("network-configuration");
    inputs.memory = text("remote-memory-configuration");
    for (const auto& [value, name] : {std::pair{&inputs.workload, "--workload-configuration"}, {&inputs.system, "--system-configuration"},
                                      {&inputs.network, "--network-configuration"}, {&inputs.memory, "--remote-memory-configuration"}}) {
        if (value->empty())
            return usageError("the option is missing", name, std::string(name) + "=PATH");
    }
    // There, any path with "empty" in it means no groups.
    inputs.commGroups = text("comm-group-configuration");
    if (inputs.commGroups.find("empty") != std::string::npos) {
        if (inputs.commGroups != "empty")
            flags.warnings.push_back("--comm-group-configuration=" + inputs.commGroups + " contains \"empty\": no groups are read, as in ASTRA-sim");
        inputs.commGroups.clear();
    }
    flags.loggingFolder = text("logging-folder");
    flags.memoryLimit = text("memory-limit");

    if (Status status = readNumber(values, "num-queues-per-dim", inputs.queues, "an integer, 1 or more"); !status)
        return std::move(status).error();
    if (inputs.queues < 1 || inputs.queues > (1 << 20))
        return usageError("with " + std::to_string(inputs.queues) + " queues no chunk would ever start", "--num-queues-per-dim", "1 to 1048576");
    if (Status status = readNumber(values, "injection-scale", inputs.injectionScale, "a number"); !status)
        return std::move(status).error();
    if (!(inputs.injectionScale >= 0) || inputs.injectionScale > 1e9)
        return usageError("the factor is out of range", "--injection-scale", "0 to 1e9");
    for (const std::string name : {"comm-scale", "compute-scale"}) {
        double scale = 1;
        if (Status status = readNumber(values, name, scale, "a number"); !status)
            return std::move(status).error();
        if (scale != 1)
            flags.warnings.push_back("--" + name + " has no effect, as in ASTRA-sim");
    }
    if (values.contains("rendezvous-protocol")) {
        const Result<bool> on = readSwitch(values["rendezvous-protocol"], "--rendezvous-protocol");
        if (!on)
            return on.error();
        inputs.rendezvous = on.value();
    }

    const std::string backend = values.contains("backend") ? values["backend"] : program.find("Congestion_Aware") != std::string_view::npos ? "aware" : "unaware";
    const int choice = indexOf(backend, {"unaware", "aware"});
    if (choice < 0)
        return usageError("there is no back end \"" + backend + '"', "--backend", "unaware or aware");
    flags.model = choice == 0 ? Model::AstraUnaware : Model::AstraAware;
    return flags;
}

} // namespace fabricscope::cli
