// fabricscope-cli schema: what the answers in JSON look like, as JSON Schema.
#include "app/cli/commandline.h"
#include "app/cli/embeddedtexts.h"
#include "app/cli/runflags.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>

namespace fabricscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDefinitions = "#/$defs/";

struct SchemaFlags {
    std::vector<std::string> command;
    bool commands = false;
};

/// The names of all definitions that `value` refers to.
void addReferences(const Json& value, const Json& definitions, std::set<std::string>& names)
{
    if (value.is_object() && value.contains("$ref")) {
        const std::string name = value["$ref"].get<std::string>().substr(kDefinitions.size());
        if (names.insert(name).second)
            addReferences(definitions.at(name), definitions, names);
    }
    if (!value.is_structured())
        return;
    for (const Json& part : value)
        addReferences(part, definitions, names);
}

/// The schema of the answers of one command, `definition` and the error, with what these refer to.
std::string schemaOf(const std::string& definition)
{
    Json schema = Json::parse(schemaTexts().front().text);
    Json answers = Json::array();
    for (const std::string& name : {definition, std::string("error")})
        answers.push_back({{"$ref", std::string(kDefinitions) + name}});
    std::set<std::string> needed;
    addReferences(answers, schema["$defs"], needed);
    Json definitions = Json::object();
    for (const auto& [name, value] : schema["$defs"].items()) {
        if (needed.contains(name))
            definitions[name] = value;
    }
    schema["$id"] = schema["$id"].get<std::string>() + ':' + definition;
    schema["anyOf"] = std::move(answers);
    schema["$defs"] = std::move(definitions);
    return schema.dump(2) + '\n';
}

/// Of all commands that answer in JSON.
std::vector<std::string> answeringCommands(const Command& program)
{
    std::vector<std::string> names;
    for (const KnownCommand& row : program.rows()) {
        if (row.hasOption("--json"))
            names.push_back(row.name);
    }
    return names;
}

std::string joined(const std::vector<std::string>& words, std::string_view between)
{
    std::string text;
    for (const std::string& word : words)
        text.append(text.empty() ? "" : between).append(word);
    return text;
}

void run(const SchemaFlags& flags, const Command& program, Session& session)
{
    const std::vector<std::string> known = answeringCommands(program);
    if (flags.commands && !flags.command.empty())
        return session.fail(usageError("--commands lists them all", "--commands", "either a command or --commands"));
    if (flags.commands)
        return session.print(joined(known, "\n") + '\n');
    if (flags.command.empty())
        return session.print(schemaTexts().front().text);
    const std::string name = joined(flags.command, " ");
    if (std::find(known.begin(), known.end(), name) == known.end())
        return session.fail(usageError("no command \"" + name + "\" answers in JSON", "COMMAND", joined(known, ", ")));
    session.print(schemaOf(joined(flags.command, "_")));
}

} // namespace

void addSchema(Command& program, Session& session)
{
    auto flags = std::make_shared<SchemaFlags>();
    Command& command = *program.add_subcommand("schema", "The JSON Schema of all answers with --json, or of those of one command");
    command.add_option("COMMAND", flags->command, "Only its answers and errors, e.g. model show");
    command.add_flag("--commands", flags->commands, "List the commands that answer in JSON");
    command.callback([flags, &program, &session] { run(*flags, program, session); });
}

} // namespace fabricscope::cli
