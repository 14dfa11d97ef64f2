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

ScriptRun& runOf(LuaState& state)
{
    return ScriptRun::of(state);
}

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
    return answer(state, runOf(state).trace.chunk(wanted.rank, wanted.buffer, wanted.index, wanted.count, state.line()));
}

int copyChunk(LuaState& state, lua_State* lua)
{
    const ScriptChunk* from = readChunk(state, 1, "copy");
    ScriptHow how;
    if (!from)
        return LuaState::kFailed;
    std::int32_t rank = 0;
    BufferKind buffer = from->buffer;
    std::int32_t index = from->index;
    if (!readWhole(state, 2, "copy: the rank", rank))
        return LuaState::kFailed;
    // The options are a table and come last; buffer and index may be left out before them.
    const int top = lua_gettop(lua);
    const int options = top > 2 && lua_type(lua, top) == LUA_TTABLE ? top : top + 1;
    if (options > 5)
        return state.fail("copy: there are too many arguments", "c:copy(rank, buffer, index, {options})");
    if (options > 3 && !lua_isnil(lua, 3) && !readBuffer(state, 3, "copy", buffer))
        return LuaState::kFailed;
    if (options > 4 && !lua_isnil(lua, 4) && !readWhole(state, 4, "copy: the index", index))
        return LuaState::kFailed;
    if (!readHow(state, options, "copy", how))
        return LuaState::kFailed;
    pushChunk(lua, {});
    return answer(state, runOf(state).trace.copy(*from, rank, buffer, index, how, state.line()));
}

int reduceChunk(LuaState& state, lua_State* lua)
{
    const ScriptChunk* into = readChunk(state, 1, "reduce");
    const ScriptChunk* from = into ? readChunk(state, 2, "reduce") : nullptr;
    ScriptHow how;
    if (!from || !readHow(state, 3, "reduce", how))
        return LuaState::kFailed;
    lua_pushvalue(lua, 1); // The same handle, so that a loop may go on adding to it.
    return answer(state, runOf(state).trace.reduce(*into, *from, how, state.line()));
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
        if (Status status = runOf(state).trace.checkFresh(*chunk); !status)
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
        {"copy", &word<&copyChunk>},
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
