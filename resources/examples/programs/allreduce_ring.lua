-- Ring all-reduce: every chunk goes around the ring twice, first to collect the sum, then to hand it out.
-- The rings of several channels start at different chunks and share the links.
-- A thread block works in the order of the script, so the loop over steps is outside: step by step, all chunks.
local n = param("ranks", 8)
local channels = param("channels", 1)
collective("all_reduce", {ranks = n, chunks = n, name = "ring all-reduce"})

phase("reduce-scatter")
for s = 1, n - 1 do
  for c = 0, n - 1 do
    channel(c % channels)
    chunk((c + s) % n, "input", c):reduce(chunk((c + s - 1) % n, "input", c))
  end
end

phase("all-gather")
for s = 0, n - 2 do
  for c = 0, n - 1 do
    channel(c % channels)
    chunk((c + s - 1 + n) % n, "input", c):copy((c + s) % n)
  end
end
