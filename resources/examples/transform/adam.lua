-- Adam, data parallel, on 128 GPUs: adam.yaml in the language of programs (manual: transform 2.1).
ranks(128)
local N = size("N", 268435456)
local lr, b1, b2, eps = scalar("lr", 0.01), scalar("b1", 0.9), scalar("b2", 0.99), scalar("eps", 0.00000001)

local g = tensor("g", {N}, {dtype = "fp32", layout = "local"})
local w = tensor("w", {N}, {dtype = "fp32"})
local m = tensor("m", {N}, {dtype = "fp32"})
local v = tensor("v", {N}, {dtype = "fp32"})

local s = all_reduce("s", g)
local m1 = update("m1", m, b1*m + (1 - b1)*s)
local v1 = update("v1", v, b2*v + (1 - b2)*s*s)
local w1 = update("w1", w, w - lr*m1/(sqrt(v1) + eps))
outputs(w1)
may_slice(m, v)

split(s)
reorder("s.ag", {m1, v1, w1})
as_slice(m)
as_slice(v)
fuse {"s.rs", m1, v1, w1, "w1.ag"}

platform {dimensions = {{shape = "switch", size = 128, bandwidth = "80.6 GB/s", latency = "0 ns"}}, npu = {memory_bandwidth = "792 GB/s", peak = "15 TFLOP/s"}}
collectives {default = {algorithm = "ring"}, efficiency = {tree = 0.61}}
