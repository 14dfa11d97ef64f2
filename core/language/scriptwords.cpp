#include "core/language/scriptwords.h"

#include "core/base/nearestword.h"
#include "core/base/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::array kOps{CollectiveOp::AllReduce, CollectiveOp::Reduce,    CollectiveOp::AllGather,     CollectiveOp::Gather, CollectiveOp::Scatter,
                          CollectiveOp::Broadcast, CollectiveOp::AllToAll, CollectiveOp::ReduceScatter, CollectiveOp::Custom};
constexpr std::array<std::string_view, 8> kCollectiveOptions{"ranks", "chunks", "root", "inplace", "protocol", "name", "min_bytes", "max_bytes"};

int finish(LuaState& state, Status status)
{
    return status ? 0 : state.fail(std::move(status).error());
}

bool readOp(LuaState& state, lua_State* lua, CollectiveOp& out)
{
    std::vector<std::string_view> names;
    for (const CollectiveOp op : kOps)
        names.push_back(collectiveKey(op));
    if (lua_type(lua, 1) != LUA_TSTRING) {
        state.fail("collective: the name must be a text, not " + valueText(lua, 1), "\"all_reduce\"");
        return false;
    }
    const std::string_view name = textAt(lua, 1);
    if (const std::optional<CollectiveOp> op = valueOf(kCollectiveKeys, name); op && std::find(kOps.begin(), kOps.end(), *op) != kOps.end()) {
        out = *op;
        return true;
    }
    state.fail("collective: there is no collective " + valueText(lua, 1) + didYouMean(name, names),
               listedWords(names, "or"));
    return false;
}

/// Bytes: a whole number or "64 MiB", at the top of the stack.
bool readBytes(LuaState& state, lua_State* lua, std::string_view key, std::int64_t& out)
{
    if (lua_type(lua, -1) == LUA_TSTRING) {
        const Result<Quantity> size = parseQuantity(textAt(lua, -1), Measure::Size);
        if (size) {
            out = toBytes(size.value()).value;
            return true;
        }
    } else if (lua_type(lua, -1) == LUA_TNUMBER) {
        int isWhole = 0;
        out = lua_tointegerx(lua, -1, &isWhole);
        if (isWhole && out >= 0)
            return true;
    }
    state.fail("collective: " + std::string(key) + " cannot be " + valueText(lua, -1), "a size such as 65536 or \"64 KiB\"");
    return false;
}

/// The option `key` of collective() with its value at the top of the stack.
bool readCollectiveOption(LuaState& state, lua_State* lua, std::string_view key, ScriptTrace::Start& start, bool& saysPlace)
{
    const std::string what = "collective: " + std::string(key);
    if (key == "ranks")
        return readWhole(state, -1, what, start.collective.ranks);
    if (key == "chunks")
        return readWhole(state, -1, what, start.collective.chunks);
    if (key == "root")
        return readWhole(state, -1, what, start.collective.root);
    if (key == "min_bytes")
        return readBytes(state, lua, key, start.minBytes);
    if (key == "max_bytes")
        return readBytes(state, lua, key, start.maxBytes);
    if (key == "inplace") {
        const bool both = lua_type(lua, -1) == LUA_TSTRING && textAt(lua, -1) == "both";
        if (!both && !lua_isboolean(lua, -1)) {
            state.fail(what + " cannot be " + valueText(lua, -1), "true, false or \"both\"");
            return false;
        }
        saysPlace = true;
        start.inPlace = both || lua_toboolean(lua, -1);
        start.outOfPlace = both || !lua_toboolean(lua, -1);
        return true;
    }
    if (lua_type(lua, -1) != LUA_TSTRING) {
        state.fail(what + " must be a text, not " + valueText(lua, -1));
        return false;
    }
    if (key == "name") {
        start.name = textAt(lua, -1);
        return true;
    }
    std::string name;
    for (const char c : textAt(lua, -1))
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (const std::optional<WireProtocol> protocol = valueOf(kWireProtocolKeys, name)) {
        start.protocol = *protocol;
        return true;
    }
    state.fail(what + " cannot be " + valueText(lua, -1), "\"simple\", \"ll\" or \"ll128\"");
    return false;
}

int collective(LuaState& state, lua_State* lua)
{
    ScriptTrace::Start start; // Nothing below raises.
    start.line = state.line();
    if (!readOp(state, lua, start.collective.op))
        return LuaState::kFailed;
    if (lua_type(lua, 2) != LUA_TTABLE || lua_gettop(lua) > 2)
        return state.fail("collective takes a name and a table", "collective(\"all_reduce\", {ranks = 8, chunks = 8})");
    bool saysPlace = false;
    for (lua_pushnil(lua); lua_next(lua, 2); lua_pop(lua, 1)) {
        const bool isText = lua_type(lua, -2) == LUA_TSTRING;
        const std::string_view key = isText ? textAt(lua, -2) : std::string_view();
        if (std::find(kCollectiveOptions.begin(), kCollectiveOptions.end(), key) == kCollectiveOptions.end())
            return state.fail("collective: there is no option " + valueText(lua, -2) + didYouMean(key, kCollectiveOptions),
                              "ranks, chunks, root, inplace, protocol, name, min_bytes or max_bytes");
        if (!readCollectiveOption(state, lua, key, start, saysPlace))
            return LuaState::kFailed;
    }
    if (start.collective.chunks == 0)
        start.collective.chunks = start.collective.ranks;
    if (!saysPlace && start.collective.op == CollectiveOp::Custom) {
        start.inPlace = false; // Nobody says which input and output would be one memory.
        start.outOfPlace = true;
    }
    if (start.maxBytes != 0 && start.maxBytes < start.minBytes)
        return state.fail("collective: max_bytes is below min_bytes", "at least min_bytes, or 0 for no limit");
    if (start.name.empty())
        start.name = ScriptRun::of(state).request.name;
    return finish(state, ScriptRun::of(state).trace.begin(std::move(start)));
}

int parameter(LuaState& state, lua_State* lua)
{
    ScriptRun& run = ScriptRun::of(state);
    const bool hasUsual = !lua_isnoneornil(lua, 2);
    if (lua_type(lua, 1) != LUA_TSTRING || (hasUsual && lua_type(lua, 2) != LUA_TNUMBER) || lua_gettop(lua) > 2)
        return state.fail("param takes a name and a number", "param(\"ranks\", 8)");
    const std::string_view name = textAt(lua, 1);
    const auto given = run.request.parameters.find(std::string(name));
    if (given == run.request.parameters.end() && !hasUsual)
        return state.fail("param: nothing is said of " + valueText(lua, 1), "a value for it, or a default: param(\"ranks\", 8)");
    const double usual = hasUsual ? lua_tonumber(lua, 2) : given->second;
    const double value = given == run.request.parameters.end() ? usual : given->second;
    constexpr double kMost = 9007199254740992.0;
    const bool whole = std::floor(value) == value && std::abs(value) <= kMost;
    if (!std::isfinite(value))
        return state.fail("param: " + valueText(lua, 1) + " is not finite");
    if (hasUsual && lua_isinteger(lua, 2) && !whole)
        return state.fail("param: " + valueText(lua, 1) + " must be a whole number, as its default is");
    const auto known = std::find_if(run.parameters.begin(), run.parameters.end(), [&](const ScriptParameter& one) { return one.name == name; });
    if (known == run.parameters.end()) {
        constexpr std::size_t kMostParameters = 200;
        if (run.parameters.size() >= kMostParameters)
            return state.fail("The script has more than " + std::to_string(kMostParameters) + " parameters");
        run.parameters.push_back({std::string(name), value, usual, state.line()});
    }
    if (whole && !(hasUsual && !lua_isinteger(lua, 2)))
        lua_pushinteger(lua, static_cast<lua_Integer>(value));
    else
        lua_pushnumber(lua, value);
    return 1;
}

template <std::int32_t ScriptCollective::*Field>
int collectiveField(LuaState& state, lua_State* lua)
{
    if (!ScriptRun::of(state).trace.begun())
        return state.fail("There is no collective yet", "collective(...) first");
    lua_pushinteger(lua, ScriptRun::of(state).trace.start().collective.*Field);
    return 1;
}

/// Sets what is usual for the function at `index`, or from here on where there is none. May raise; owns nothing.
int within(LuaState& state, lua_State* lua, int index, const char* word, const ScriptHow& usual)
{
    if (lua_isnoneornil(lua, index)) {
        ScriptRun::of(state).usual = usual;
        return 0;
    }
    if (lua_type(lua, index) != LUA_TFUNCTION || lua_gettop(lua) > index)
        return state.fail(std::string(word) + " takes a function there, not " + valueText(lua, index), "function() ... end");
    const ScriptHow before = ScriptRun::of(state).usual;
    ScriptRun::of(state).usual = usual;
    lua_call(lua, 0, 0); // An error in it ends the script, so there is nothing to restore then.
    ScriptRun::of(state).usual = before;
    return 0;
}

int channel(LuaState& state, lua_State* lua)
{
    ScriptHow usual = ScriptRun::of(state).usual;
    if (!readWhole(state, 1, "channel: the number", usual.channel))
        return LuaState::kFailed;
    if (usual.channel < 0 || usual.channel >= ScriptTrace::kMostChannels)
        return state.fail("There is no channel " + std::to_string(usual.channel), "0 to " + std::to_string(ScriptTrace::kMostChannels - 1));
    return within(state, lua, 2, "channel", usual);
}

int phase(LuaState& state, lua_State* lua)
{
    ScriptHow usual = ScriptRun::of(state).usual;
    if (lua_type(lua, 1) != LUA_TSTRING)
        return state.fail("phase: the name must be a text, not " + valueText(lua, 1));
    if (!findPhase(state, textAt(lua, 1), usual.tags.phase))
        return LuaState::kFailed;
    return within(state, lua, 2, "phase", usual);
}

int tags(LuaState& state, lua_State*)
{
    ScriptHow usual;
    if (!readHow(state, 1, "tags", usual))
        return LuaState::kFailed;
    const OpTags& wanted = usual.tags;
    ScriptHow plain = ScriptRun::of(state).usual;
    plain.tags = wanted;
    if (usual.channel != plain.channel || usual.sendLane != plain.sendLane || usual.receiveLane != plain.receiveLane || usual.step != plain.step || usual.fused != plain.fused || usual.copies != plain.copies)
        return state.fail("tags takes only names of groups", "phase, dimension or tree");
    ScriptRun::of(state).usual = usual;
    return 0;
}

int instances(LuaState& state, lua_State* lua)
{
    std::int32_t count = 0;
    if (!readWhole(state, 1, "instances: the number", count))
        return LuaState::kFailed;
    if (lua_type(lua, 2) == LUA_TFUNCTION && lua_gettop(lua) == 2) {
        if (Status status = ScriptRun::of(state).trace.enterInstances(count); !status)
            return state.fail(std::move(status).error());
        lua_call(lua, 0, 0);
        ScriptRun::of(state).trace.leaveInstances(count);
        return 0;
    }
    const bool batched = lua_type(lua, 2) == LUA_TSTRING && textAt(lua, 2) == "batched";
    const bool interleaved = lua_isnoneornil(lua, 2) || (lua_type(lua, 2) == LUA_TSTRING && textAt(lua, 2) == "interleaved");
    if ((!batched && !interleaved) || lua_gettop(lua) > 2)
        return state.fail("instances: there is no way " + valueText(lua, 2), "\"interleaved\", \"batched\" or function() ... end");
    return finish(state, ScriptRun::of(state).trace.replicate(count, batched ? ScriptTrace::Layout::Batched : ScriptTrace::Layout::Interleaved));
}

int weights(LuaState& state, lua_State* lua)
{
    if (lua_type(lua, 1) != LUA_TTABLE || lua_gettop(lua) > 1)
        return state.fail("weights takes a table of numbers", "weights{1, 2, 1}");
    std::vector<std::int64_t> values; // Nothing below raises.
    const auto size = static_cast<lua_Integer>(lua_rawlen(lua, 1));
    for (lua_Integer i = 1; i <= size; ++i) {
        lua_rawgeti(lua, 1, i);
        int isWhole = 0;
        values.push_back(lua_type(lua, -1) == LUA_TNUMBER ? lua_tointegerx(lua, -1, &isWhole) : 0);
        if (!isWhole)
            return state.fail("weights: weight " + std::to_string(i) + " must be a whole number, not " + valueText(lua, -1));
        lua_pop(lua, 1);
    }
    if (!state.budget().work(size))
        return LuaState::kFailed;
    return finish(state, ScriptRun::of(state).trace.weights(std::move(values)));
}

template <Status (ScriptTrace::*Word)(std::int32_t, std::int32_t, const ScriptHow&, std::int32_t)>
int tell(LuaState& state, lua_State*)
{
    constexpr bool kSignals = Word == &ScriptTrace::signal;
    constexpr std::string_view kName = kSignals ? "signal" : "wait";
    std::int32_t first = 0;
    std::int32_t second = 0;
    ScriptHow how;
    if (!readWhole(state, 1, std::string(kName) + ": the rank", first)
        || !readWhole(state, 2, std::string(kName) + (kSignals ? ": the rank it is for" : ": the rank that signals"), second) || !readHow(state, 3, kName, how))
        return LuaState::kFailed;
    return finish(state, (ScriptRun::of(state).trace.*Word)(first, second, how, state.line()));
}

int before(LuaState& state, lua_State* lua)
{
    std::int32_t rank = 0;
    std::int32_t index = 0;
    std::int32_t count = 1;
    BufferKind buffer = BufferKind::Input;
    if (lua_gettop(lua) > 4)
        return state.fail("before: there are too many arguments", "before(rank, \"input\", index, count)");
    if (!readWhole(state, 1, "before: the rank", rank) || !readBuffer(state, 2, "before", buffer) || !readWhole(state, 3, "before: the index", index))
        return LuaState::kFailed;
    if (!lua_isnoneornil(lua, 4) && !readWhole(state, 4, "before: the count", count))
        return LuaState::kFailed;
    return finish(state, ScriptRun::of(state).trace.before(rank, buffer, index, count));
}

int expect(LuaState& state, lua_State* lua)
{
    std::int32_t rank = 0;
    std::int32_t index = 0;
    BufferKind buffer = BufferKind::Output;
    if (!readWhole(state, 1, "expect: the rank", rank) || !readBuffer(state, 2, "expect", buffer) || !readWhole(state, 3, "expect: the index", index))
        return LuaState::kFailed;
    if (lua_type(lua, 4) != LUA_TTABLE || lua_gettop(lua) > 4)
        return state.fail("expect takes a list of contributions", "expect(0, \"output\", 0, {{rank, index}, ...})");
    std::vector<Contribution> value; // Nothing below raises.
    const auto size = static_cast<lua_Integer>(lua_rawlen(lua, 4));
    if (!state.budget().work(size))
        return LuaState::kFailed;
    for (lua_Integer i = 1; i <= size; ++i) {
        Contribution one;
        const std::string what = "expect: contribution " + std::to_string(i);
        if (lua_rawgeti(lua, 4, i) != LUA_TTABLE)
            return state.fail(what + " must be {rank, index}, not " + valueText(lua, -1));
        lua_rawgeti(lua, -1, 1);
        lua_rawgeti(lua, -2, 2);
        if (!readWhole(state, -2, what + ": its rank", one.rank) || !readWhole(state, -1, what + ": its index", one.index))
            return LuaState::kFailed;
        lua_pop(lua, 3);
        value.push_back(one);
    }
    return finish(state, ScriptRun::of(state).trace.expect(rank, buffer, index, std::move(value), state.line()));
}

int note(LuaState& state, lua_State* lua)
{
    constexpr std::size_t kMostPrints = 500;
    ScriptRun& run = ScriptRun::of(state);
    // Stack: the texts.
    const std::string_view text = textAt(lua, 1);
    Place place;
    place.line = state.line();
    if (run.prints++ < kMostPrints)
        run.notes.push_back(fabricscope::note("print", std::string(text), place));
    else if (run.prints == kMostPrints + 1)
        run.notes.push_back(fabricscope::note("print", "What the script prints from here on is left out", place));
    return 0;
}

int print(lua_State* lua)
{
    const int count = lua_gettop(lua);
    luaL_checkstack(lua, 2 * count + 4, "print");
    lua_pushcfunction(lua, &word<&note>);
    for (int i = 1; i <= count; ++i) {
        if (i > 1)
            lua_pushliteral(lua, " ");
        lua_getglobal(lua, "tostring");
        lua_pushvalue(lua, i);
        lua_call(lua, 1, 1);
        if (lua_type(lua, -1) != LUA_TSTRING)
            return luaL_error(lua, "tostring was replaced and gives no text");
    }
    if (count == 0)
        lua_pushliteral(lua, "");
    else
        lua_concat(lua, 2 * count - 1);
    lua_call(lua, 1, 0);
    return 0;
}

} // namespace

int installScriptWords(lua_State* lua)
{
    static constexpr luaL_Reg kWords[] = {
        {"collective", &word<&collective>},
        {"param", &word<&parameter>},
        {"ranks", &word<&collectiveField<&ScriptCollective::ranks>>},
        {"chunks", &word<&collectiveField<&ScriptCollective::chunks>>},
        {"root", &word<&collectiveField<&ScriptCollective::root>>},
        {"channel", &word<&channel>},
        {"phase", &word<&phase>},
        {"tags", &word<&tags>},
        {"instances", &word<&instances>},
        {"signal", &word<&tell<&ScriptTrace::signal>>},
        {"wait", &word<&tell<&ScriptTrace::wait>>},
        {"weights", &word<&weights>},
        {"before", &word<&before>},
        {"expect", &word<&expect>},
        {"print", &print},
        {nullptr, nullptr},
    };
    luaL_setfuncs(lua, kWords, 0);
    for (const char* buffer : {"input", "output", "scratch"}) {
        lua_pushstring(lua, buffer);
        lua_setfield(lua, -2, buffer);
    }
    installChunkMethods(lua);
    return 0;
}

} // namespace fabricscope
