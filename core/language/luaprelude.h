#pragma once

#include <string_view>

namespace fabricscope {

/// The part of a script's library that is written in Lua: `table`, whose functions then cost what they do, and a stable table.sort (Lua's own
/// takes random pivots). Called with select, the globals, math and the empty table.
inline constexpr std::string_view kLuaPrelude = R"lua(
local select, globals, math, table = ...
local error, type, tostring = globals.error, globals.type, globals.tostring
local whole, seed, kMost = math.tointeger, math.randomseed, 200

seed(0)
function math.randomseed(n)
  local number = type(n) == "number" and whole(n)
  if not number then error("math.randomseed takes a whole number", 2) end
  seed(number)
end

local function check(t, name)
  if type(t) ~= "table" then error("table." .. name .. " takes a table, not " .. type(t), 3) end
end
local function position(value, usual, name)
  if value == nil then return usual end
  local number = type(value) == "number" and whole(value)
  if not number then error("table." .. name .. " takes whole numbers as positions, not " .. tostring(value), 3) end
  return number
end

function table.insert(t, ...)
  check(t, "insert")
  local count, size = select("#", ...), #t
  if count == 1 then
    t[size + 1] = (...)
  elseif count == 2 then
    local at, value = ...
    at = position(at, nil, "insert")
    if not at or at < 1 or at > size + 1 then error("table.insert: there is no position " .. tostring(at), 2) end
    for i = size, at, -1 do t[i + 1] = t[i] end
    t[at] = value
  else
    error("table.insert takes a table, perhaps a position, and a value", 2)
  end
end

function table.remove(t, at)
  check(t, "remove")
  local size = #t
  at = position(at, size, "remove")
  if size == 0 and (at == 0 or at == 1) then return nil end
  if at < 1 or at > size + 1 then error("table.remove: there is no position " .. tostring(at), 2) end
  local value = t[at]
  for i = at, size do t[i] = t[i + 1] end
  return value
end

function table.concat(t, between, first, last)
  check(t, "concat")
  between = between == nil and "" or between
  local out = ""
  first, last = position(first, 1, "concat"), position(last, #t, "concat")
  for i = first, last do
    local value = t[i]
    if type(value) ~= "string" and type(value) ~= "number" then error("table.concat: element " .. i .. " is no text: " .. type(value), 2) end
    out = i == first and "" .. value or out .. between .. value
  end
  return out
end

local function rest(t, first, last)
  if first > last then return end
  if first == last then return t[first] end
  return t[first], rest(t, first + 1, last)
end
function table.unpack(t, first, last)
  check(t, "unpack")
  first, last = position(first, 1, "unpack"), position(last, #t, "unpack")
  if first <= last and (last - first < 0 or last - first >= kMost) then error("table.unpack gives at most " .. kMost .. " values", 2) end
  return rest(t, first, last)
end

function table.pack(...)
  return { n = select("#", ...), ... }
end

function table.sort(t, before)
  check(t, "sort")
  before = before or function(a, b) return a < b end
  if type(before) ~= "function" then error("table.sort takes a table and perhaps a function", 2) end
  local size, from, to, width = #t, {}, {}, 1
  for i = 1, size do from[i] = t[i] end
  while width < size do
    for low = 1, size, 2 * width do
      local middle, high = low + width, low + 2 * width
      if middle > size + 1 then middle = size + 1 end
      if high > size + 1 then high = size + 1 end
      local a, b = low, middle
      for i = low, high - 1 do
        if a < middle and (b >= high or not before(from[b], from[a])) then
          to[i] = from[a]
          a = a + 1
        else
          to[i] = from[b]
          b = b + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  for i = 1, size do t[i] = from[i] end
end
)lua";

} // namespace fabricscope
