#include "app/cli/output/errorjson.h"

#include <nlohmann/json.hpp>

namespace fabricscope::cli {

std::string errorObject(const Error& error)
{
    using Json = nlohmann::ordered_json;
    const auto known = [](bool is, auto value) { return is ? Json(std::move(value)) : Json(nullptr); };
    const Place& place = error.place;
    Json row;
    row["code"] = exitCode(error.code);
    row["file"] = known(!place.file.empty(), place.file);
    row["line"] = known(place.line > 0, place.line);
    if (place.column > 0)
        row["column"] = place.column;
    if (place.offset >= 0)
        row["offset"] = place.offset;
    if (place.rank >= 0)
        row["rank"] = place.rank;
    if (place.hasNode)
        row["node"] = static_cast<std::uint64_t>(place.node);
    row["field"] = known(!place.field.empty(), place.field);
    row["message"] = error.message;
    row["expected"] = known(!error.expected.empty(), error.expected);
    // Names of files are bytes, not always text.
    return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string errorJson(const Error& error)
{
    return R"({"schema":1,"error":)" + errorObject(error) + "}\n";
}

} // namespace fabricscope::cli
