local t = {3, 1, 2} table.sort(t) print(table.concat(t, ","), table.unpack(t)) table.insert(t, 1, 4) table.remove(t)
local s = ("x"):rep(7, "-") print(s, #s, tostring(nil), math.random(5), string.format("%q", s))
local function f(n) if n == 0 then return 0 end return f(n - 1) end
repeat local x <const> = f(9) goto done ::done:: until true
while true do s = s .. s end
