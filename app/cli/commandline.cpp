#include "app/cli/commandline.h"

#include "app/cli/output/helptext.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/keytable.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

namespace fabricscope::cli {

Option* Option::group(const std::string& name)
{
    m_option.group(name);
    return this;
}

Option* Option::required()
{
    m_option.required();
    return this;
}

Option* Option::range(std::int64_t least, std::int64_t most)
{
    m_option.check([least, most](const std::string& text) {
        const auto value = wholeNumber<std::int64_t>(text);
        return value && *value >= least && *value <= most ? std::string() : quotedText(text) + " (expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ')';
    });
    return this;
}

Option* Option::nonNegative()
{
    m_option.check([](const std::string& text) { return text.starts_with('-') ? quotedText(text) + " (expected 0 or more)" : std::string(); });
    return this;
}

Option* Option::type_name(const std::string& name)
{
    m_option.type_name(name);
    return this;
}

Option* Option::expected(int count)
{
    m_option.expected(count);
    return this;
}

Option* Option::expected(int least, int most)
{
    m_option.expected(least, most);
    return this;
}

Option* Option::take_all()
{
    m_option.take_all();
    return this;
}

Option* Option::allow_extra_args(bool allowed)
{
    m_option.allow_extra_args(allowed);
    return this;
}

Option* Option::excludes(const Option* other)
{
    m_option.excludes(&other->m_option);
    return this;
}

std::size_t Option::count() const
{
    return m_option.count();
}

Command::Command(std::string description, std::string name) : m_program(std::make_unique<CLI::App>(std::move(description), std::move(name))), m_app(*m_program) {}

Command::Command(CLI::App& app) : m_app(app) {}

Command::~Command() = default;

Command* Command::add_subcommand(std::string name, std::string description)
{
    m_commands.push_back(std::unique_ptr<Command>(new Command(*m_app.add_subcommand(std::move(name), std::move(description)))));
    return m_commands.back().get();
}

namespace {

/// The digits of a whole number; the parser itself would read "010" as 8 and "0x10" as 16.
template <typename Value>
std::string digitsOf(const std::string& text)
{
    const auto value = wholeNumber<Value>(text);
    if (!value)
        throw CLI::ValidationError(quotedText(text) + " (expected a whole number from " + std::to_string(std::numeric_limits<Value>::min()) + " to " + std::to_string(std::numeric_limits<Value>::max()) + ')');
    return std::to_string(*value);
}

} // namespace

template <typename Value>
Option* Command::add_option(const std::string& name, Value& value, const std::string& description)
{
    CLI::Option* const option = m_app.add_option(name, value, description);
    // Commands take an empty text for one that was not given: `--save "$FILE"` without a FILE would be lost.
    if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>)
        option->check([](const std::string& text) { return text.empty() ? std::string("the value is empty") : std::string(); });
    if constexpr (std::is_integral_v<Value>)
        option->transform([](const std::string& text) { return digitsOf<Value>(text); });
    if constexpr (std::is_floating_point_v<Value>) {
        option->check([](const std::string& text) {
            Value number{};
            const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
            return code == std::errc() && stop == text.data() + text.size() ? std::string() : quotedText(text) + " (expected a number)";
        });
    }
    return &m_options.emplace_back(*option);
}

template Option* Command::add_option(const std::string&, std::string&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* Command::add_option(const std::string&, std::int32_t&, const std::string&);
template Option* Command::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option* Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Command::add_option(const std::string&, double&, const std::string&);

Option* Command::add_flag(const std::string& name, bool& value, const std::string& description)
{
    return &m_options.emplace_back(*m_app.add_flag(name, value, description));
}

void Command::footer(const std::string& text)
{
    m_app.footer(text);
}

void Command::allow_extras()
{
    m_app.allow_extras();
}

void Command::callback(std::function<void()> run)
{
    m_app.callback(std::move(run));
}

bool Command::hasGivenSubcommand() const
{
    return !m_app.get_subcommands().empty();
}

bool Command::isGiven(std::string_view option) const
{
    const CLI::Option* const found = std::as_const(m_app).get_option_no_throw(std::string(option));
    return found && found->count() > 0;
}

Status Command::checkRead(const OptionsRead& use) const
{
    for (const CLI::Option* const option : std::as_const(m_app).get_options()) {
        // get_name() keeps the names of options without a group to itself.
        const std::string name = option->get_lnames().empty() ? std::string() : "--" + option->get_lnames().front();
        if (option->count() == 0 || name.empty() || name == "--memory-limit" || name == "--quiet" || std::find(use.names.begin(), use.names.end(), name) != use.names.end())
            continue;
        return Error{ErrorCode::Usage, name + " is not used " + std::string(use.with), {}, std::string(use.instead)};
    }
    return {};
}

void Command::setProgramFlags(const std::string& version)
{
    m_app.set_version_flag("--version", version);
    m_app.set_help_all_flag("--help-all", "Help of all commands");
    m_app.require_subcommand(1);
}

std::string Command::help() const
{
    return helpInWidth(m_app.help());
}

bool Command::hasSubcommand(const std::string& name) const
{
    return !m_app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; }).empty();
}

bool KnownCommand::hasOption(std::string_view option) const
{
    return std::any_of(options.begin(), options.end(), [&](const Named& one) { return std::find(one.names.begin(), one.names.end(), option) != one.names.end(); });
}

namespace {

void addRows(const CLI::App& of, const std::string& before, std::vector<KnownCommand>& rows)
{
    for (const CLI::App* const command : of.get_subcommands([](const CLI::App*) { return true; })) {
        KnownCommand row{before + command->get_name(), command->get_description(), {}};
        for (const CLI::Option* const option : command->get_options()) {
            KnownCommand::Named named{{}, option->get_description(), option->get_items_expected_max() > 0};
            for (const std::string& name : option->get_lnames())
                named.names.push_back("--" + name);
            for (const std::string& name : option->get_snames())
                named.names.push_back("-" + name);
            if (!named.names.empty())
                row.options.push_back(std::move(named));
        }
        rows.push_back(std::move(row));
        addRows(*command, rows.back().name + ' ', rows);
    }
}

} // namespace

std::vector<KnownCommand> Command::rows() const
{
    std::vector<KnownCommand> rows;
    addRows(m_app, {}, rows);
    return rows;
}

void Command::addToOthers(const std::string& option, const std::function<std::function<Status()>(Command& command)>& add)
{
    for (const auto& command : m_commands) {
        for (const auto& part : command->m_commands)
            part->m_app.fallthrough(); // `program list --memory-limit ...`: the option is that of `program`.
        if (command->m_app.get_name() == "help" || command->m_app.get_name() == "astra" || command->m_app.get_option_no_throw(option))
            continue;
        command->m_checks.push_back(add(*command));
        command->m_app.parse_complete_callback([&checks = command->m_checks] {
            for (const auto& check : checks) {
                if (const Status status = check(); !status)
                    throw CLI::ValidationError(status.error().text());
            }
        });
    }
}

namespace {

/// "--size TEXT", or what an argument is.
std::string described(const CLI::App& command, const std::string& name)
{
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (!option)
        return {};
    return name.starts_with('-') ? name + ' ' + option->get_type_name() : option->get_description();
}

Error unknownArgument(const CLI::App& command, const std::vector<std::string>& unknown)
{
    const auto isOption = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
    const auto found = std::find_if(unknown.begin(), unknown.end(), isOption); // Words behind it are its values.
    if (found == unknown.end())
        return usageError("one argument more than " + command.get_name() + " takes", unknown.front());
    std::vector<std::string> options;
    for (const CLI::Option* const option : command.get_options()) {
        if (!option->get_lnames().empty())
            options.push_back("--" + option->get_lnames().front());
    }
    const std::vector<std::string_view> names(options.begin(), options.end());
    return usageError("there is no such option" + didYouMean(*found, names), found->substr(0, found->find('=')));
}

Error missingArgument(const CLI::App& command, const std::string& name)
{
    if (!name.starts_with("A subcommand"))
        return usageError(name.starts_with('-') ? "the option is missing" : "the argument is missing", name, described(command, name));
    std::vector<std::string_view> parts;
    for (const CLI::App* const part : command.get_subcommands([](const CLI::App*) { return true; }))
        parts.push_back(part->get_name());
    return usageError("the command is missing", {}, command.get_parent() ? listedWords(parts, "or") : "one of those that fabricscope-cli help lists");
}

/// The option, what is wrong with it and what it expects are one text to the parser: "--seed: "x" (expected a number)".
Error refusal(const CLI::App& program, const CLI::ParseError& error)
{
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().back();
    const std::string text = error.what();
    constexpr std::string_view kRequired = " is required";
    constexpr std::string_view kExcludes = " excludes ";
    if (dynamic_cast<const CLI::ExtrasError*>(&error) && !program.remaining(true).empty())
        return unknownArgument(*command, program.remaining(true));
    if (dynamic_cast<const CLI::RequiredError*>(&error) && text.ends_with(kRequired))
        return missingArgument(*command, text.substr(0, text.size() - kRequired.size()));
    if (const std::size_t other = text.find(kExcludes); dynamic_cast<const CLI::ExcludesError*>(&error) && other != std::string::npos)
        return usageError("not used with " + text.substr(other + kExcludes.size()), text.substr(0, other), "one of the two");
    const std::size_t named = text.find(": ");
    if (named == std::string::npos || named == 0 || text.find(' ') < named)
        return Error{ErrorCode::Usage, text, {}, {}};
    const std::string name = text.substr(0, named);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && text.ends_with(" missing"))
        return usageError("its value is missing", name, described(*command, name));
    constexpr std::string_view kExpected = " (expected ";
    const std::size_t expected = text.rfind(kExpected);
    if (expected == std::string::npos || !text.ends_with(')'))
        return usageError(text.substr(named + 2), name);
    return usageError(text.substr(named + 2, expected - named - 2), name, text.substr(expected + kExpected.size(), text.size() - 1 - expected - kExpected.size()));
}

} // namespace

Result<std::string> Command::parse(const std::vector<std::string>& line)
{
    std::vector<const char*> words;
    for (const std::string& word : line)
        words.push_back(word.c_str());
    try {
        m_app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
        return help();
    } catch (const CLI::CallForAllHelp&) {
        return helpInWidth(m_app.help("", CLI::AppFormatMode::All));
    } catch (const CLI::CallForVersion& version) {
        return std::string(version.what()) + '\n';
    } catch (const CLI::ParseError& error) {
        return refusal(m_app, error);
    }
    return std::string();
}

} // namespace fabricscope::cli
