-- All-reduce on nodes of several GPUs: reduce-scatter inside the node, all-reduce between the nodes for each GPU's part, all-gather inside.
-- Dimension 0 is the node, dimension 1 what is between nodes.
local nodes = param("nodes", 2)
local gpus = param("gpus", 4)
local n = nodes * gpus
collective("all_reduce", {ranks = n, chunks = n, name = "hierarchical all-reduce"})

local function rank(node, gpu) return node * gpus + gpu % gpus end

-- GPU g owns chunks g * nodes to g * nodes + nodes - 1.
tags{dimension = 0}
phase("reduce-scatter in the node")
for node = 0, nodes - 1 do
  for g = 0, gpus - 1 do
    local sum = chunk(rank(node, g + 1), "input", g * nodes, nodes)
    for s = 2, gpus do
      sum = chunk(rank(node, g + s), "input", g * nodes, nodes):reduce(sum)
    end
  end
end

tags{dimension = 1}
for g = 0, gpus - 1 do
  for part = 0, nodes - 1 do
    local c = g * nodes + part
    phase("reduce-scatter between nodes")
    local sum = chunk(rank(part, g), "input", c)
    for s = 1, nodes - 1 do
      sum = chunk(rank((part + s) % nodes, g), "input", c):reduce(sum)
    end
    phase("all-gather between nodes")
    for s = 0, nodes - 2 do
      sum = sum:copy(rank((part + s) % nodes, g))
    end
  end
end

tags{dimension = 0}
phase("all-gather in the node")
for node = 0, nodes - 1 do
  for g = 0, gpus - 1 do
    local sum = chunk(rank(node, g), "input", g * nodes, nodes)
    for s = 1, gpus - 1 do
      sum = sum:copy(rank(node, g + s))
    end
  end
end
