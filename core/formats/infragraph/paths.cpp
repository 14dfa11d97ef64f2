#include "core/formats/infragraph/paths.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/base/showntext.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace fabricscope {

namespace {

constexpr const char* kForms = "name, name[i], name[a:b] or name[a:b:s]";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// "name[a:b:s]" taken apart; bounds that are left open are absent.
struct Expression {
    std::string_view name;
    int colons = -1; ///< -1: no brackets.
    std::array<std::optional<std::int64_t>, 3> bounds;
};

std::string quoted(std::string_view text)
{
    return quotedText(text);
}

void refuse(std::vector<InfraPathProblem>& problems, const char* rule, std::string message, std::string expected = {})
{
    problems.push_back({Severity::Error, rule, std::move(message), std::move(expected)});
}

std::optional<Expression> takeApart(std::string_view text, std::vector<InfraPathProblem>& problems)
{
    Expression out;
    const std::size_t open = text.find('[');
    out.name = text.substr(0, open);
    if (open == std::string_view::npos)
        return out;
    if (!text.ends_with(']')) {
        refuse(problems, "slice", quoted(text) + " does not end with a bracket", kForms);
        return std::nullopt;
    }
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    for (std::size_t i = 0;; ++i) {
        const std::size_t colon = rest.find(':');
        std::string_view number = rest.substr(0, colon);
        ++out.colons;
        if (!number.empty()) {
            std::int64_t value = 0;
            const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
            if (i > 2 || read.ec != std::errc{} || read.ptr != number.data() + number.size() || value > INT32_MAX || value < INT32_MIN) {
                refuse(problems, "slice", quoted(text) + " is no index and no slice", kForms);
                return std::nullopt;
            }
            out.bounds[i] = value;
        }
        if (colon == std::string_view::npos)
            break;
        rest.remove_prefix(colon + 1);
    }
    if (out.colons > 2 || (out.colons == 0 && !out.bounds[0])) {
        refuse(problems, "slice", quoted(text) + " is no index and no slice", kForms);
        return std::nullopt;
    }
    return out;
}

std::optional<InfraIndices> indicesOf(const Expression& expression, std::string_view text, std::int64_t count, std::vector<InfraPathProblem>& problems)
{
    count = std::max<std::int64_t>(count, 0);
    if (expression.colons < 0)
        return InfraIndices{0, 1, count};
    const std::string inRange = count == 0 ? "nothing: there are none" : "indices 0 to " + std::to_string(count - 1);
    const auto beyond = [&] { refuse(problems, "index", quoted(text) + " leaves the " + std::to_string(count) + " that exist", inRange); };
    if (expression.colons == 0) {
        if (*expression.bounds[0] < 0 || *expression.bounds[0] >= count) {
            beyond();
            return std::nullopt;
        }
        return InfraIndices{*expression.bounds[0], 1, 1};
    }
    const std::int64_t step = expression.bounds[2].value_or(1);
    if (step == 0 || (step < 0 && (!expression.bounds[0] || !expression.bounds[1]))) {
        refuse(problems, "slice", quoted(text) + (step == 0 ? " has a step of 0" : " counts down without bounds: the reference reads nothing there"), kForms);
        return std::nullopt;
    }
    const std::int64_t from = expression.bounds[0].value_or(0);
    const std::int64_t to = expression.bounds[1].value_or(count);
    if (from < 0 || to < 0 || to > count || from > (step < 0 ? count - 1 : count)) {
        beyond();
        return std::nullopt;
    }
    const std::int64_t span = step > 0 ? to - from : from - to;
    const std::int64_t stride = step > 0 ? step : -step;
    const std::int64_t length = span <= 0 ? 0 : (span + stride - 1) / stride;
    if (length == 0)
        problems.push_back({Severity::Warning, "slice", quoted(text) + " stands for nothing", "a slice with at least one index"});
    return InfraIndices{from, step, length};
}

std::string knownNames(std::string_view name, const auto& list)
{
    std::vector<std::string_view> names;
    for (const auto& item : list)
        names.push_back(item.name);
    const std::string_view near = nearestWord(name, names);
    if (!near.empty())
        return '"' + std::string(near) + '"';
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i)
        out += (i > 0 ? ", " : "one of ") + std::string(names[i]);
    return out + (names.size() > 8 ? ", ..." : "");
}

} // namespace

std::int64_t cappedProduct(std::int64_t a, std::int64_t b)
{
    return b != 0 && a > kMost / b ? kMost : a * b;
}

std::int64_t cappedSum(std::int64_t a, std::int64_t b)
{
    return a > kMost - b ? kMost : a + b;
}

std::string infraPathText(const InfraEndpoint& endpoint)
{
    return endpoint.prefix.empty() ? endpoint.component : endpoint.prefix + '.' + endpoint.component;
}

std::optional<InfraPath> resolveInfraPath(const InfraDocument& document, std::int32_t device, std::string_view expression, std::vector<InfraPathProblem>& problems)
{
    InfraPath path;
    for (std::string_view rest = expression;;) {
        const std::size_t dot = rest.find('.');
        const std::string_view text = rest.substr(0, dot);
        const auto part = takeApart(text, problems);
        if (!part)
            return std::nullopt;
        if (device < 0) {
            refuse(problems, "unknown-component", quoted(expression) + " goes on behind a part that is no nested device", "a path that ends there");
            return std::nullopt;
        }
        const InfraDevice& inside = document.devices[at(device)];
        const auto found = std::find_if(inside.components.begin(), inside.components.end(), [&](const InfraComponent& component) { return component.name == part->name; });
        if (found == inside.components.end()) {
            refuse(problems, "unknown-component", "the device " + inside.name + " has no component " + quoted(part->name), knownNames(part->name, inside.components));
            return std::nullopt;
        }
        const auto indices = indicesOf(*part, text, found->count, problems);
        if (!indices)
            return std::nullopt;
        path.parts.push_back({device, static_cast<std::int32_t>(found - inside.components.begin()), *indices});
        path.length = cappedProduct(path.length, indices->length);
        device = found->choice == InfraChoice::Device ? document.deviceIndex(found->name) : -1;
        if (dot == std::string_view::npos)
            break;
        rest.remove_prefix(dot + 1);
    }
    if (device >= 0) {
        refuse(problems, "endpoint-device", quoted(expression) + " ends at a nested device, which is no node", "a part of it, such as " + std::string(expression) + "." +
               (document.devices[at(device)].components.empty() ? std::string("part") : document.devices[at(device)].components[0].name));
        return std::nullopt;
    }
    return path;
}

std::optional<std::pair<std::int32_t, InfraIndices>> resolveInfraInstance(const InfraDocument& document, std::string_view expression, std::vector<InfraPathProblem>& problems)
{
    const auto part = takeApart(expression, problems);
    if (!part)
        return std::nullopt;
    const auto found = std::find_if(document.instances.begin(), document.instances.end(), [&](const InfraInstance& instance) { return instance.name == part->name; });
    if (found == document.instances.end()) {
        refuse(problems, "unknown-instance", "there is no instance " + quoted(part->name), knownNames(part->name, document.instances));
        return std::nullopt;
    }
    const auto indices = indicesOf(*part, expression, found->count, problems);
    if (!indices)
        return std::nullopt;
    return std::pair{static_cast<std::int32_t>(found - document.instances.begin()), *indices};
}

} // namespace fabricscope
