-- Ring all-reduce: every chunk goes around the ring twice, first to collect the sum, then to hand it out.
-- The rings of several channels start at different chunks and share the links.
local n = param("ranks", 8)
local channels = param("channels", 1)
collective("all_reduce", {ranks = n, chunks = n, name = "ring all-reduce"})

for c = 0, n - 1 do
  channel(c % channels)
  phase("reduce-scatter")
  local sum = chunk(c, "input", c)
  for s = 1, n - 1 do
    sum = chunk((c + s) % n, "input", c):reduce(sum)
  end
  phase("all-gather")
  for s = 0, n - 2 do
    sum = sum:copy((c + s) % n)
  end
end
