#include "app/cli/commandline.h"

#include "app/cli/output/helptext.h"
#include "app/cli/values.h"
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
    m_option.check(CLI::Range(least, most));
    return this;
}

Option* Option::nonNegative()
{
    m_option.check(CLI::NonNegativeNumber);
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
        return Error{ErrorCode::Usage, error.what(), {}, {}};
    }
    return std::string();
}

} // namespace fabricscope::cli
