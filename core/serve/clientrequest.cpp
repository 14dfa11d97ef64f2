#include "core/serve/clientrequest.h"

#include "core/base/jsontext.h"
#include "core/base/showntext.h"

#include <algorithm>

namespace fabricscope {

namespace {

using Json = nlohmann::json;

Error refused(std::string message, std::string field, std::string expected)
{
    Place place;
    place.field = std::move(field);
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

bool isId(const Json& value)
{
    return value.is_number_integer() || value.is_string();
}

/// A text that a program can be started with.
bool isArgument(const Json& value)
{
    return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

/// "memory_limit" as "--memory-limit"; empty: no name of an option.
std::string optionNamed(std::string name)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (name.empty() || name.front() < 'a' || name.front() > 'z' || !std::all_of(name.begin(), name.end(), fits))
        return {};
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

/// A name below a folder that leads to no other place.
bool isInnerName(const std::string& name)
{
    if (name.find('\0') != std::string::npos || name.size() > 1024)
        return false;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = std::string_view(name).substr(begin, end - begin);
        if (part.empty() || part == "." || part == ".." || part.size() > 255)
            return false;
        begin = end + 1;
    }
    return true;
}

Status addOption(const std::string& name, const Json& value, std::vector<std::string>& arguments)
{
    const std::string option = optionNamed(name);
    const std::string field = "params." + name;
    if (option.empty())
        return refused(quotedText(name) + " is no option", "params", "names as --help lists them, without dashes in front");
    if (option == "--json" || option == "--help" || option == "--help-all" || option == "--memory-limit" || option == "--quiet")
        return refused("serve decides that", field, "nothing");
    if (value.is_boolean()) {
        if (value.get<bool>())
            arguments.push_back(option);
    } else if (value.is_number()) {
        arguments.push_back(option + '=' + value.dump());
    } else if (isArgument(value)) {
        arguments.push_back(option + '=' + value.get<std::string>());
    } else if (value.is_array() && std::all_of(value.begin(), value.end(), isArgument)) {
        for (const Json& each : value)
            arguments.push_back(option + '=' + each.get<std::string>());
    } else {
        return refused("the value cannot be one of an option", field, "a text, a number, true, false or a list of texts");
    }
    return {};
}

Status addArguments(const Json& list, std::vector<std::string>& arguments)
{
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), isArgument))
        return refused("the arguments are no list of texts", "params.arguments", "a list of texts, as behind the command on a command line");
    for (const Json& each : list) {
        if (each == "--json" || each == "--help" || each == "-h" || each == "--help-all" || each == "--quiet" || each.get_ref<const std::string&>().starts_with("--memory-limit"))
            return refused("serve decides " + quotedText(each.get<std::string>()), "params.arguments", "arguments without it");
        arguments.push_back(each.get<std::string>());
    }
    return {};
}

Status addFiles(const Json& object, std::vector<RequestFile>& files)
{
    if (!object.is_object() || object.size() > kMostRequestFiles)
        return refused("the files are no object of texts", "params.files", "at most " + std::to_string(kMostRequestFiles) + " texts by the names of their files");
    for (const auto& [name, text] : object.items()) {
        if (!isInnerName(name))
            return refused(quotedText(name) + " cannot be a file of a request", "params.files", "a relative name without \"..\"");
        if (!text.is_string())
            return refused("the file " + quotedText(name) + " is no text", "params.files", "its content as a text");
        files.push_back({name, text.get<std::string>()});
    }
    return {};
}

Status addParams(const Json& params, ClientRequest& request)
{
    if (!params.is_object())
        return refused("the parameters are no object", "params", "options by their names, \"arguments\" and \"files\"");
    if (const auto list = params.find("arguments"); list != params.end()) {
        if (Status status = addArguments(*list, request.arguments); !status)
            return status;
    }
    for (const auto& [name, value] : params.items()) {
        Status status;
        if (name == "files")
            status = addFiles(value, request.files);
        else if (name != "arguments")
            status = addOption(name, value, request.arguments);
        if (!status)
            return status;
    }
    if (request.arguments.size() > kMostRequestArguments)
        return refused(std::to_string(request.arguments.size()) + " arguments", "params", "at most " + std::to_string(kMostRequestArguments));
    return {};
}

Result<ClientRequest> requestOf(const Json& root)
{
    for (const auto& [key, value] : root.items()) {
        if (key != "id" && key != "method" && key != "params")
            return refused("the key " + quotedText(key) + " is not known", key.size() <= kQuotedCharacters ? key : std::string(), "id, method and params");
    }
    const auto method = root.find("method");
    if (method == root.end() || !method->is_string())
        return refused("no method is named", "method", "a command that answers in JSON, or cancel");
    ClientRequest request;
    request.method = method->get<std::string>();
    const auto params = root.find("params");
    if (request.method == "cancel") {
        if (params == root.end() || !params->is_object() || params->size() != 1 || !params->contains("id") || !isId(params->at("id")))
            return refused("cancel names no request", "params.id", "{\"id\": the id of a request}");
        request.cancels = params->at("id").dump();
        return request;
    }
    if (!root.contains("id"))
        return refused("the request has no id", "id", "a whole number or a text that its answer is known by");
    if (params != root.end()) {
        if (Status status = addParams(*params, request); !status)
            return status.error();
    }
    return request;
}

} // namespace

RequestLine parseRequestLine(std::string_view line)
{
    const Result<JsonDocument> document = parseJson(std::string(line), {});
    if (!document)
        return {"null", document.error()};
    const Json& root = document.value().root;
    if (!root.is_object())
        return {"null", refused("the line is no object", {}, "{\"id\": ..., \"method\": ..., \"params\": {...}}")};
    const auto id = root.find("id");
    if (id != root.end() && !isId(*id))
        return {"null", refused("the id is neither a whole number nor a text", "id", "a whole number or a text")};
    return {id == root.end() ? "null" : id->dump(), requestOf(root)};
}

} // namespace fabricscope
