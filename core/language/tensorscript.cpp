#include "core/language/tensorscript.h"

#include "core/language/luastate.h"
#include "core/language/scriptbudget.h"
#include "core/language/scriptloops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::size_t kMostTensorScript = std::size_t{4} << 20;
constexpr std::size_t kMostValueText = std::size_t{64} << 10; ///< Of one expression.
constexpr std::size_t kMostTreeNodes = 200'000;
constexpr int kMostTreeDepth = 16;
constexpr const char* kValueType = "value";

constexpr std::array<const char*, 13> kStageWords{"all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast", "send", "slice", "matmul", "conv", "dropout", "norm", "layer_norm", "expr"};
constexpr std::array<const char*, 8> kFunctionWords{"sqrt", "abs", "exp", "tanh", "fp64", "fp32", "fp16", "bf16"};

/// How tightly what stands outermost in an expression binds.
enum Binding { kMinus, kSum, kProduct, kAtom };

/// What a script has said so far. Texts that are being made live here: where Lua raises an error nothing on the stack of C++ is unwound.
struct TensorScriptRun {
    struct Value {
        std::string text;
        bool named = false; ///< A name, no expression.
        int binds = kAtom;  ///< What stands outermost in the text.
    };
    YamlNode section = YamlNode::map();
    std::vector<Value> values;
    std::size_t nodes = 0;
    Value made;
    std::string part;      ///< An operand ...
    int partBinds = kAtom; ///< ... and what stands outermost in it.
};

TensorScriptRun& tensorRun(LuaState& state)
{
    return *static_cast<TensorScriptRun*>(state.owner());
}

std::string tensorNumber(double value)
{
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

YamlNode placedNode(YamlNode node, int line)
{
    node.line = line;
    return node;
}

/// Also says where it stands.
void addEntry(YamlNode& map, std::string key, YamlNode value)
{
    const int line = value.line;
    map.add(std::move(key), std::move(value));
    map.entries.back().line = line;
}

/// The list or map of this key of the section, made where there is none yet.
YamlNode& sectionNode(TensorScriptRun& run, const char* key, bool list, int line)
{
    if (YamlEntry* const entry = run.section.find(key))
        return entry->value;
    addEntry(run.section, key, placedNode(list ? YamlNode::sequence() : YamlNode::map(), line));
    return run.section.entries.back().value;
}

const TensorScriptRun::Value* valueAt(TensorScriptRun& run, lua_State* lua, int index)
{
    const auto* const number = static_cast<const std::size_t*>(luaL_testudata(lua, index, kValueType));
    return number && *number < run.values.size() ? &run.values[*number] : nullptr;
}

/// What is there in words, for messages.
std::string shownArgument(lua_State* lua, int index)
{
    return lua_isnoneornil(lua, index) ? std::string("nothing") : std::string("a ") + luaL_typename(lua, index);
}

/// Gives run.made to Lua. Nothing else of C++ may be alive.
int pushMade(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    if (run.made.text.size() > kMostValueText)
        return state.fail("An expression grows longer than " + std::to_string(kMostValueText) + " bytes");
    if (!state.budget().take(static_cast<std::int64_t>(run.made.text.size() + sizeof(TensorScriptRun::Value))) || !state.budget().work(static_cast<std::int64_t>(run.made.text.size() / 32 + 1)))
        return LuaState::kFailed;
    const std::size_t number = run.values.size();
    run.values.push_back(run.made);
    *static_cast<std::size_t*>(lua_newuserdatauv(lua, sizeof(std::size_t), 0)) = number;
    luaL_setmetatable(lua, kValueType);
    return 1;
}

/// Text of a number or a value at `index` into run.part; false: it is neither.
bool expressionAt(TensorScriptRun& run, lua_State* lua, int index)
{
    if (const TensorScriptRun::Value* const value = valueAt(run, lua, index)) {
        run.part = value->text;
        run.partBinds = value->binds;
        return true;
    }
    if (lua_type(lua, index) != LUA_TNUMBER)
        return false;
    run.part = lua_isinteger(lua, index) ? std::to_string(lua_tointeger(lua, index)) : tensorNumber(lua_tonumber(lua, index));
    run.partBinds = run.part.front() == '-' ? kMinus : kAtom;
    return true;
}

/// A name: that of a value, or a text.
bool nameAt(LuaState& state, lua_State* lua, int index, const char* what)
{
    TensorScriptRun& run = tensorRun(state);
    if (const TensorScriptRun::Value* const value = valueAt(run, lua, index); value && value->named) {
        run.part = value->text;
        return true;
    }
    if (lua_type(lua, index) == LUA_TSTRING) {
        run.part = textAt(lua, index);
        return true;
    }
    const bool expression = valueAt(run, lua, index) != nullptr;
    state.fail(std::string(what) + " takes a tensor or a stage here, not " + (expression ? "an expression" : shownArgument(lua, index)), expression ? "expr(\"name\", ...) gives it a name" : "a value, or its name as a text");
    return false;
}

/// Text of what is at `index` of an expression, or an error.
bool operandAt(LuaState& state, lua_State* lua, int index, const char* what)
{
    if (expressionAt(tensorRun(state), lua, index))
        return true;
    state.fail(std::string(what) + " cannot take " + shownArgument(lua, index), "a number, a tensor, a stage or an expression of them");
    return false;
}

/// The operand in run.part, in parentheses where it does not bind as tightly as this.
std::string bracketed(const TensorScriptRun& run, int least)
{
    return run.partBinds < least ? '(' + run.part + ')' : run.part;
}

template <char Sign>
int binaryWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    constexpr char kSign[] = {Sign, 0};
    constexpr Binding kOwn = Sign == '+' || Sign == '-' ? kSum : kProduct;
    if (!operandAt(state, lua, 1, kSign))
        return LuaState::kFailed;
    run.made = {bracketed(run, kOwn) + Sign, false, kOwn};
    if (!operandAt(state, lua, 2, kSign))
        return LuaState::kFailed;
    run.made.text += bracketed(run, kOwn + 1); // From left to right, as it is read.
    return pushMade(state, lua);
}

int negateWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    if (!operandAt(state, lua, 1, "-"))
        return LuaState::kFailed;
    run.made = {'-' + bracketed(run, kAtom), false, kMinus};
    return pushMade(state, lua);
}

/// sqrt(x) and the others of one operand; the word is the upvalue.
int functionWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const char* const name = kFunctionWords[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
    if (!operandAt(state, lua, 1, name))
        return LuaState::kFailed;
    run.made = {name + ('(' + run.part) + ')', false};
    return pushMade(state, lua);
}

template <bool Max>
int extremeWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const char* const name = Max ? "max" : "min";
    if (!operandAt(state, lua, 1, name))
        return LuaState::kFailed;
    run.made = {name + ('(' + run.part) + ", ", false};
    if (!operandAt(state, lua, 2, name))
        return LuaState::kFailed;
    run.made.text += run.part + ')';
    return pushMade(state, lua);
}

/// What is at `index` as YAML. No call in here raises.
bool treeAt(LuaState& state, lua_State* lua, int index, int depth, YamlNode& node)
{
    TensorScriptRun& run = tensorRun(state);
    const int line = state.line();
    if (++run.nodes > kMostTreeNodes || depth > kMostTreeDepth || !state.budget().work(4) || !state.budget().take(sizeof(YamlNode)) || !lua_checkstack(lua, 4)) {
        state.fail("The tables of the script are too large or too deep", "at most " + std::to_string(kMostTreeNodes) + " entries, " + std::to_string(kMostTreeDepth) + " levels");
        return false;
    }
    if (lua_type(lua, index) == LUA_TSTRING || lua_isboolean(lua, index)) {
        const auto length = static_cast<std::int64_t>(lua_isboolean(lua, index) ? 0 : textAt(lua, index).size());
        if (!state.budget().work(length / 32) || !state.budget().take(length)) {
            state.fail("The texts of the script are too long", "less of them");
            return false;
        }
        node = placedNode(YamlNode::scalar(lua_isboolean(lua, index) ? (lua_toboolean(lua, index) ? "true" : "false") : std::string(textAt(lua, index))), line);
        return true;
    }
    if (lua_type(lua, index) == LUA_TNUMBER) {
        node = placedNode(YamlNode::scalar(lua_isinteger(lua, index) ? std::to_string(lua_tointeger(lua, index)) : tensorNumber(lua_tonumber(lua, index))), line);
        return true;
    }
    if (expressionAt(run, lua, index)) {
        node = placedNode(YamlNode::scalar(run.part), line);
        return true;
    }
    if (!lua_istable(lua, index)) {
        state.fail("A table of settings cannot hold " + shownArgument(lua, index), "texts, numbers, values and tables");
        return false;
    }
    const int table = lua_absindex(lua, index);
    if (const auto length = static_cast<lua_Integer>(lua_rawlen(lua, table)); length > 0) {
        node = placedNode(YamlNode::sequence(), line);
        for (lua_Integer i = 1; i <= length; ++i) {
            lua_rawgeti(lua, table, i);
            node.items.emplace_back();
            const bool read = treeAt(state, lua, -1, depth + 1, node.items.back());
            lua_pop(lua, 1);
            if (!read)
                return false;
        }
        return true;
    }
    node = placedNode(YamlNode::map(), line);
    std::map<std::string, YamlNode> entries; // In one order, whatever that of Lua.
    for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            lua_pop(lua, 2);
            state.fail("A key of a table of settings is no text", "{key = value}, or a list from 1 on");
            return false;
        }
        if (!treeAt(state, lua, -1, depth + 1, entries[std::string(textAt(lua, -2))])) {
            lua_pop(lua, 2);
            return false;
        }
    }
    for (auto& [key, value] : entries)
        addEntry(node, key, std::move(value));
    return true;
}

/// The text at `index` into run.made as a name.
bool newName(LuaState& state, lua_State* lua, const char* what)
{
    if (lua_type(lua, 1) != LUA_TSTRING) {
        state.fail(std::string(what) + " takes a name first, not " + shownArgument(lua, 1), std::string(what) + "(\"name\", ...)");
        return false;
    }
    tensorRun(state).made = {std::string(textAt(lua, 1)), true};
    return true;
}

/// Adds an entry to a map of the section; refuses a name that is there.
bool addNamed(LuaState& state, YamlNode& map, const std::string& name, YamlNode value)
{
    if (map.find(name)) {
        state.fail(name + " is declared twice", "another name");
        return false;
    }
    addEntry(map, name, std::move(value));
    return true;
}

int ranksWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    for (const int index : {1, 2}) {
        if (index == 2 && lua_isnoneornil(lua, 2))
            break;
        YamlNode node;
        if (!treeAt(state, lua, index, 0, node) || !addNamed(state, run.section, index == 1 ? "ranks" : "groups", std::move(node)))
            return LuaState::kFailed;
    }
    return 0;
}

/// size(name, n), scalar(name, x).
template <bool Size>
int numberWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const char* const what = Size ? "size" : "scalar";
    if (!newName(state, lua, what))
        return LuaState::kFailed;
    if (lua_type(lua, 2) != LUA_TNUMBER)
        return state.fail(std::string(what) + " takes a number behind the name, not " + shownArgument(lua, 2), std::string(what) + "(\"name\", 1024)");
    {
        YamlNode node;
        if (!treeAt(state, lua, 2, 0, node) || !addNamed(state, sectionNode(run, Size ? "sizes" : "scalars", false, state.line()), run.made.text, std::move(node)))
            return LuaState::kFailed;
    }
    return pushMade(state, lua);
}

/// Adds the table of settings at `index`, where there is one, to a node.
bool addSettings(LuaState& state, lua_State* lua, int index, YamlNode& node)
{
    if (lua_isnoneornil(lua, index))
        return true;
    if (!lua_istable(lua, index)) {
        state.fail("Settings are a table, not " + shownArgument(lua, index), "{key = value}");
        return false;
    }
    YamlNode settings;
    if (!treeAt(state, lua, index, 0, settings))
        return false;
    if (settings.isSequence()) {
        state.fail("Settings have names", "{key = value}");
        return false;
    }
    for (YamlEntry& entry : settings.entries) {
        if (!addNamed(state, node, entry.key, std::move(entry.value)))
            return false;
    }
    return true;
}

int tensorWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    if (!newName(state, lua, "tensor"))
        return LuaState::kFailed;
    {
        YamlNode node = placedNode(YamlNode::map(), state.line());
        YamlNode shape;
        if (!treeAt(state, lua, 2, 0, shape))
            return LuaState::kFailed;
        // {} is a list without items, as long as nobody says otherwise.
        if (shape.isMap() && shape.entries.empty())
            shape = placedNode(YamlNode::sequence(), state.line());
        addEntry(node, "shape", std::move(shape));
        if (!addSettings(state, lua, 3, node) || !addNamed(state, sectionNode(run, "tensors", false, state.line()), run.made.text, std::move(node)))
            return LuaState::kFailed;
    }
    return pushMade(state, lua);
}

void addStage(TensorScriptRun& run, YamlNode node, int line)
{
    sectionNode(run, "stages", true, line).items.push_back(std::move(node));
}

YamlNode startedStage(const TensorScriptRun& run, const char* op, int line)
{
    YamlNode node = placedNode(YamlNode::map(), line);
    addEntry(node, "name", placedNode(YamlNode::scalar(run.made.text), line));
    addEntry(node, "op", placedNode(YamlNode::scalar(op), line));
    return node;
}

/// OPERATION(name, operands..., {settings}); which operation is the upvalue.
int stageWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const char* const op = kStageWords[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
    if (!newName(state, lua, op))
        return LuaState::kFailed;
    {
        const int line = state.line();
        YamlNode node = startedStage(run, op, line);
        int last = lua_gettop(lua);
        if (std::string_view(op) == "expr") {
            if (!operandAt(state, lua, 2, op))
                return LuaState::kFailed;
            addEntry(node, "expr", placedNode(YamlNode::scalar(run.part), line));
            last = 2;
        } else {
            last -= last > 1 && lua_istable(lua, last) ? 1 : 0;
            YamlNode in = placedNode(YamlNode::sequence(), line);
            for (int index = 2; index <= last; ++index) {
                if (!nameAt(state, lua, index, op))
                    return LuaState::kFailed;
                in.items.push_back(placedNode(YamlNode::scalar(run.part), line));
            }
            addEntry(node, "in", std::move(in));
        }
        if (!addSettings(state, lua, last + 1, node))
            return LuaState::kFailed;
        addStage(run, std::move(node), line);
    }
    return pushMade(state, lua);
}

int updateWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    if (!newName(state, lua, "update") || !nameAt(state, lua, 2, "update"))
        return LuaState::kFailed;
    {
        const int line = state.line();
        YamlNode node = startedStage(run, "update", line);
        addEntry(node, "target", placedNode(YamlNode::scalar(run.part), line));
        if (!operandAt(state, lua, 3, "update"))
            return LuaState::kFailed;
        addEntry(node, "expr", placedNode(YamlNode::scalar(run.part), line));
        addStage(run, std::move(node), line);
    }
    return pushMade(state, lua);
}

/// outputs(...), may_slice(...).
template <bool Outputs>
int namesWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const char* const what = Outputs ? "outputs" : "may_slice";
    for (int index = 1; index <= lua_gettop(lua); ++index) {
        if (!nameAt(state, lua, index, what))
            return LuaState::kFailed;
        if (!state.budget().work(4) || !state.budget().take(static_cast<std::int64_t>(sizeof(YamlNode) + run.part.size()))) {
            state.fail("The lists of the script are too long", "fewer names");
            return LuaState::kFailed;
        }
        sectionNode(run, what, true, state.line()).items.push_back(placedNode(YamlNode::scalar(run.part), state.line()));
    }
    return 0;
}

/// Names of a list at `index` as "{a, b}".
bool braced(LuaState& state, lua_State* lua, int index, const char* what, std::string& out)
{
    if (!lua_istable(lua, index)) {
        state.fail(std::string(what) + " takes a list, not " + shownArgument(lua, index), "{a, b}");
        return false;
    }
    out += '{';
    const auto length = static_cast<lua_Integer>(lua_rawlen(lua, index));
    for (lua_Integer i = 1; i <= length; ++i) {
        lua_rawgeti(lua, index, i);
        const bool named = nameAt(state, lua, -1, what);
        lua_pop(lua, 1);
        if (!named)
            return false;
        out += (i > 1 ? ", " : "") + tensorRun(state).part;
        if (out.size() > kMostValueText) {
            state.fail("A step has too many names");
            return false;
        }
    }
    out += '}';
    return true;
}

constexpr std::array<const char*, 6> kStepWords{"split", "reorder", "as_slice", "fuse", "overlap", "dead"};

/// A step of the schedule; which is the upvalue.
int stepWord(LuaState& state, lua_State* lua)
{
    TensorScriptRun& run = tensorRun(state);
    const std::string_view what = kStepWords[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
    std::string& line = run.made.text;
    line = what;
    line += ' ';
    if (what == "fuse") {
        if (!braced(state, lua, 1, "fuse", line))
            return LuaState::kFailed;
    } else {
        const int names = what == "overlap" ? std::max(lua_gettop(lua), 1) : 1;
        for (int index = 1; index <= names; ++index) {
            if (!nameAt(state, lua, index, what.data()))
                return LuaState::kFailed;
            line += (index > 1 ? " " : "") + run.part;
        }
        if (what == "reorder") {
            line += ' ';
            if (!braced(state, lua, 2, "reorder", line))
                return LuaState::kFailed;
        }
    }
    sectionNode(run, "schedule", true, state.line()).items.push_back(placedNode(YamlNode::scalar(line), state.line()));
    return 0;
}

constexpr std::array<const char*, 4> kTableWords{"platform", "collectives", "options", "tune"};

/// platform {...} and the others, as they are; which is the upvalue.
int tableWord(LuaState& state, lua_State* lua)
{
    const char* const what = kTableWords[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
    YamlNode node;
    if (!treeAt(state, lua, 1, 0, node) || !addNamed(state, tensorRun(state).section, what, std::move(node)))
        return LuaState::kFailed;
    return 0;
}

template <std::size_t Count>
void addWords(lua_State* lua, const std::array<const char*, Count>& names, lua_CFunction function)
{
    for (std::size_t i = 0; i < Count; ++i) {
        lua_pushinteger(lua, static_cast<lua_Integer>(i));
        lua_pushcclosure(lua, function, 1);
        lua_setfield(lua, -2, names[i]);
    }
}

int installTensorWords(lua_State* lua)
{
    static constexpr luaL_Reg kWords[] = {
        {"ranks", &word<&ranksWord>},          {"size", &word<&numberWord<true>>},       {"scalar", &word<&numberWord<false>>},      {"tensor", &word<&tensorWord>},
        {"update", &word<&updateWord>},        {"outputs", &word<&namesWord<true>>},     {"may_slice", &word<&namesWord<false>>},    {"max", &word<&extremeWord<true>>},
        {"min", &word<&extremeWord<false>>},   {nullptr, nullptr},
    };
    luaL_setfuncs(lua, kWords, 0);
    addWords(lua, kStageWords, &word<&stageWord>);
    addWords(lua, kFunctionWords, &word<&functionWord>);
    addWords(lua, kStepWords, &word<&stepWord>);
    addWords(lua, kTableWords, &word<&tableWord>);
    static constexpr luaL_Reg kSigns[] = {
        {"__add", &word<&binaryWord<'+'>>}, {"__sub", &word<&binaryWord<'-'>>}, {"__mul", &word<&binaryWord<'*'>>}, {"__div", &word<&binaryWord<'/'>>}, {"__unm", &word<&negateWord>}, {nullptr, nullptr},
    };
    luaL_newmetatable(lua, kValueType);
    luaL_setfuncs(lua, kSigns, 0);
    lua_pop(lua, 1);
    return 0;
}

Error inScript(Error error, const ScriptRequest& request)
{
    error.place.file = request.name;
    return error;
}

Result<YamlNode> runTensorScript(const ScriptRequest& request)
{
    if (request.text.size() > kMostTensorScript)
        return inScript(invalidInput("The script is longer than 4 MiB"), request);
    if (const int line = findVarargs(request.text); line > 0) {
        Error error = invalidInput("'...' is not part of this language", {}, "a table");
        error.place.line = line;
        return inScript(std::move(error), request);
    }
    ScriptBudget budget(request.limits.instructions, request.limits.memoryBytes, request.stop);
    TensorScriptRun run;
    {
        LuaState state(budget, &run);
        if (!state.run(request.text, &installTensorWords)) {
            const LuaState::Failure& failure = state.failure();
            Error error{failure.code, failure.message, {}, failure.expected};
            if (!failure.context.empty())
                error.message += " (" + failure.context + ")";
            error.place.line = failure.line;
            return inScript(std::move(error), request);
        }
    }
    return std::move(run.section);
}

} // namespace

Result<YamlNode> tensorScriptTree(const ScriptRequest& request)
{
    try {
        return runTensorScript(request);
    } catch (const std::bad_alloc&) {
        return inScript(Error{ErrorCode::MemoryLimit, "There is no memory for the script", {}, {}}, request);
    }
}

bool isTensorScript(std::string_view text)
{
    return text.find("tensor(") != std::string_view::npos && text.find("collective(") == std::string_view::npos;
}

} // namespace fabricscope
