// Chunk handles of scripts and their methods.
#include "core/language/lualibrary.h"
#include "core/language/scriptnames.h"
#include "core/language/scriptwords.h"

#include <type_traits>

namespace fabricscope {

namespace {

static_assert(std::is_trivially_copyable_v<ScriptChunk> && std::is_trivially_destructible_v<ScriptChunk>);

/// Its address is the key of the handles' metatable in the registry.
constexpr char kChunkKey = 0;

/// The handle at the top of the stack becomes `chunk`, or the error is noted.
int answer(LuaState& state, Result<ScriptChunk> chunk)
{
    if (!chunk)
        return state.fail(std::move(chunk).error());
    *static_cast<ScriptChunk*>(lua_touserdata(state.lua(), -1)) = chunk.value();
    return 1;
}

int makeChunk(LuaState& state, lua_State* lua)
{
    ScriptChunk wanted;
    if (lua_gettop(lua) > 4)
        return state.fail("chunk: there are too many arguments", "chunk(rank, buffer, index, count)");
    if (!readWhole(state, 1, "chunk: the rank", wanted.rank) || !readBuffer(state, 2, "chunk", wanted.buffer) ||
        !readWhole(state, 3, "chunk: the index", wanted.index))
        return LuaState::kFailed;
    if (!lua_isnoneornil(lua, 4) && !readWhole(state, 4, "chunk: the count", wanted.count))
        return LuaState::kFailed;
    pushChunk(lua, {});
    return answer(state, ScriptRun::of(state).trace.chunk(wanted.rank, wanted.buffer, wanted.index, wanted.count, state.line()));
}

/// Buffer and index behind the first argument, and the options, which are a table and come last; what is left out stays.
bool readTarget(LuaState& state, lua_State* lua, std::string_view name, BufferKind& buffer, std::int32_t& index, ScriptHow& how)
{
    const int top = lua_gettop(lua);
    const int options = top > 2 && lua_type(lua, top) == LUA_TTABLE ? top : top + 1;
    if (options > 5) {
        state.fail(std::string(name) + ": there are too many arguments", "c:" + std::string(name) + "(" + (name.starts_with("switch") ? "{ranks}" : "rank") + ", buffer, index, {options})");
        return false;
    }
    if (options > 3 && !lua_isnil(lua, 3) && !readBuffer(state, 3, name, buffer))
        return false;
    if (options > 4 && !lua_isnil(lua, 4) && !readWhole(state, 4, std::string(name) + ": the index", index))
        return false;
    return readHow(state, options, name, how);
}

/// c:copy(rank, buffer, index, {options}) and c:put(...).
template <Result<ScriptChunk> (ScriptTrace::*Word)(const ScriptChunk&, std::int32_t, BufferKind, std::int32_t, const ScriptHow&, std::int32_t)>
int copyChunk(LuaState& state, lua_State* lua)
{
    constexpr std::string_view kName = Word == &ScriptTrace::put ? "put" : "copy";
    const ScriptChunk* from = readChunk(state, 1, kName);
    ScriptHow how;
    if (!from)
        return LuaState::kFailed;
    std::int32_t rank = 0;
    BufferKind buffer = from->buffer;
    std::int32_t index = from->index;
    if (!readWhole(state, 2, std::string(kName) + ": the rank", rank) || !readTarget(state, lua, kName, buffer, index, how))
        return LuaState::kFailed;
    pushChunk(lua, {});
    return answer(state, (ScriptRun::of(state).trace.*Word)(*from, rank, buffer, index, how, state.line()));
}

/// c:switch_copy({ranks}, buffer, index, {options}) and c:switch_reduce(...).
template <Result<ScriptChunk> (ScriptTrace::*Word)(const ScriptChunk&, std::vector<std::int32_t>, BufferKind, std::int32_t, const ScriptHow&, std::int32_t)>
int chunkBySwitch(LuaState& state, lua_State* lua)
{
    constexpr std::string_view kName = Word == &ScriptTrace::switchReduce ? "switch_reduce" : "switch_copy";
    const ScriptChunk* own = readChunk(state, 1, kName);
    ScriptHow how;
    if (!own)
        return LuaState::kFailed;
    if (lua_type(lua, 2) != LUA_TTABLE)
        return state.fail(std::string(kName) + " takes a list of ranks, not " + valueText(lua, 2), "c:" + std::string(kName) + "({0, 1, 2})");
    BufferKind buffer = own->buffer;
    std::int32_t index = own->index;
    if (!readTarget(state, lua, kName, buffer, index, how))
        return LuaState::kFailed;
    pushChunk(lua, {});
    std::vector<std::int32_t> team; // Nothing below raises.
    const auto size = static_cast<lua_Integer>(lua_rawlen(lua, 2));
    if (!state.budget().work(size))
        return LuaState::kFailed;
    for (lua_Integer i = 1; i <= size; ++i) {
        std::int32_t rank = 0;
        lua_rawgeti(lua, 2, i);
        if (!readWhole(state, -1, std::string(kName) + ": rank " + std::to_string(i) + " of the list", rank))
            return LuaState::kFailed;
        lua_pop(lua, 1);
        team.push_back(rank);
    }
    return answer(state, (ScriptRun::of(state).trace.*Word)(*own, std::move(team), buffer, index, how, state.line()));
}

int reduceChunk(LuaState& state, lua_State* lua)
{
    const ScriptChunk* into = readChunk(state, 1, "reduce");
    const ScriptChunk* from = into ? readChunk(state, 2, "reduce") : nullptr;
    ScriptHow how;
    if (!from || !readHow(state, 3, "reduce", how))
        return LuaState::kFailed;
    lua_pushvalue(lua, 1); // The same handle, so that a loop may go on adding to it.
    return answer(state, ScriptRun::of(state).trace.reduce(*into, *from, how, state.line()));
}

int groupChunks(LuaState& state, lua_State* lua)
{
    const ScriptChunk* first = readChunk(state, 1, "group");
    const ScriptChunk* second = first ? readChunk(state, 2, "group") : nullptr;
    if (!second)
        return LuaState::kFailed;
    if (first->rank != second->rank || first->buffer != second->buffer || first->index + first->count != second->index)
        return state.fail(placeText(second->rank, second->buffer, second->index) + " does not follow " +
                              placeText(first->rank, first->buffer, first->index + first->count - 1),
                          "chunks that follow each other");
    for (const ScriptChunk* chunk : {first, second}) {
        if (Status status = ScriptRun::of(state).trace.checkFresh(*chunk); !status)
            return state.fail(std::move(status).error());
    }
    ScriptChunk whole = *first;
    whole.count += second->count;
    whole.serial = std::max(first->serial, second->serial); // Both are fresh, so nothing was written since the older of them.
    whole.line = state.line();
    pushChunk(lua, whole);
    return 1;
}

int splitChunks(LuaState& state, lua_State* lua)
{
    const ScriptChunk* whole = readChunk(state, 1, "split");
    std::int32_t parts = 0;
    if (!whole || !readWhole(state, 2, "split: the number of parts", parts))
        return LuaState::kFailed;
    if (parts < 1 || whole->count % parts != 0)
        return state.fail(std::to_string(whole->count) + " chunks cannot be split into " + std::to_string(parts) + " equal parts");
    if (!state.budget().work(parts))
        return LuaState::kFailed;
    lua_createtable(lua, parts, 0);
    ScriptChunk part = *whole;
    part.count /= parts;
    for (std::int32_t i = 0; i < parts; ++i) {
        pushChunk(lua, part);
        lua_rawseti(lua, -2, i + 1);
        part.index += part.count;
    }
    return 1;
}

template <std::int32_t ScriptChunk::*Field>
int fieldOf(LuaState& state, lua_State* lua)
{
    const ScriptChunk* chunk = readChunk(state, 1, "a chunk's number");
    if (!chunk)
        return LuaState::kFailed;
    lua_pushinteger(lua, chunk->*Field);
    return 1;
}

int bufferOf(LuaState& state, lua_State* lua)
{
    const ScriptChunk* chunk = readChunk(state, 1, "buffer");
    if (!chunk)
        return LuaState::kFailed;
    const BufferKind buffer = chunk->buffer;
    lua_pushstring(lua, buffer == BufferKind::Input ? "input" : buffer == BufferKind::Output ? "output" : "scratch");
    return 1;
}

int chunkText(LuaState& state, lua_State* lua)
{
    const ScriptChunk* chunk = readChunk(state, 1, "tostring");
    if (!chunk)
        return LuaState::kFailed;
    const char* buffer = chunk->buffer == BufferKind::Input ? "input" : chunk->buffer == BufferKind::Output ? "output" : "scratch";
    if (chunk->count == 1)
        lua_pushfstring(lua, "chunk(%d, \"%s\", %d)", chunk->rank, buffer, chunk->index);
    else
        lua_pushfstring(lua, "chunk(%d, \"%s\", %d, %d)", chunk->rank, buffer, chunk->index, chunk->count);
    return 1;
}

} // namespace

void pushChunk(lua_State* lua, const ScriptChunk& chunk)
{
    const ScriptChunk kept = chunk;
    new (lua_newuserdatauv(lua, sizeof(ScriptChunk), 0)) ScriptChunk(kept);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &kChunkKey);
    lua_setmetatable(lua, -2);
}

const ScriptChunk* readChunk(LuaState& state, int index, std::string_view what)
{
    lua_State* lua = state.lua();
    if (lua_type(lua, index) == LUA_TUSERDATA && lua_getmetatable(lua, index)) {
        lua_rawgetp(lua, LUA_REGISTRYINDEX, &kChunkKey);
        const bool same = lua_rawequal(lua, -1, -2) != 0;
        lua_pop(lua, 2);
        if (same)
            return static_cast<const ScriptChunk*>(lua_touserdata(lua, index));
    }
    state.fail(std::string(what) + " takes a chunk, not " + valueText(lua, index), "c:copy(...) with a colon, where c is a chunk");
    return nullptr;
}

void installChunkMethods(lua_State* lua)
{
    static constexpr luaL_Reg kMethods[] = {
        {"copy", &word<&copyChunk<&ScriptTrace::copy>>},
        {"put", &word<&copyChunk<&ScriptTrace::put>>},
        {"switch_copy", &word<&chunkBySwitch<&ScriptTrace::switchCopy>>},
        {"switch_reduce", &word<&chunkBySwitch<&ScriptTrace::switchReduce>>},
        {"reduce", &word<&reduceChunk>},
        {"group", &word<&groupChunks>},
        {"split", &word<&splitChunks>},
        {"rank", &word<&fieldOf<&ScriptChunk::rank>>},
        {"index", &word<&fieldOf<&ScriptChunk::index>>},
        {"count", &word<&fieldOf<&ScriptChunk::count>>},
        {"buffer", &word<&bufferOf>},
        {nullptr, nullptr},
    };
    lua_pushcfunction(lua, &word<&makeChunk>);
    lua_setfield(lua, -2, "chunk");
    lua_createtable(lua, 0, 4);
    lua_createtable(lua, 0, 8);
    luaL_setfuncs(lua, kMethods, 0);
    refuseUnknownNames(lua, "method of a chunk");
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, &word<&chunkText>);
    lua_setfield(lua, -2, "__tostring");
    lua_pushliteral(lua, "chunk");
    lua_setfield(lua, -2, "__name");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &kChunkKey);
}

} // namespace fabricscope
