-- Two-step all-to-all: what a node sends to GPU g of another node is collected by its own GPU g and crosses as one large message.
local nodes = param("nodes", 2)
local gpus = param("gpus", 4)
local n = nodes * gpus
collective("all_to_all", {ranks = n, chunks = n, inplace = false, name = "two-step all-to-all"})

for node = 0, nodes - 1 do
  for other = 0, nodes - 1 do
    for g = 0, gpus - 1 do
      local collector, target = node * gpus + g, other * gpus + g
      for h = 0, gpus - 1 do
        local from = node * gpus + h
        if node == other then
          chunk(from, "input", target):copy(target, "output", from)
        else
          phase("collect")
          chunk(from, "input", target):copy(collector, "scratch", other * gpus + h)
        end
      end
      if node ~= other then
        phase("cross")
        chunk(collector, "scratch", other * gpus, gpus):copy(target, "output", node * gpus)
      end
    end
  end
end
