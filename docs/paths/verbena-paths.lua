-- Wireshark and tshark: the packets of connections with several paths (opcodes D4 to D6, docs/paths.md).
-- Use: tshark -X lua_script:verbena-paths.lua -r capture.pcapng -Y verbena_paths
-- Every other packet goes to the dissector that the port had before.

local paths = Proto("verbena_paths", "Verbena, several paths")

local requests = {
  [0x00] = "Send First", [0x01] = "Send Middle", [0x02] = "Send Last", [0x03] = "Send Last with Immediate",
  [0x04] = "Send Only", [0x05] = "Send Only with Immediate",
  [0x06] = "Write First", [0x07] = "Write Middle", [0x08] = "Write Last", [0x09] = "Write Last with Immediate",
  [0x0a] = "Write Only", [0x0b] = "Write Only with Immediate",
  [0x0c] = "Read Request", [0x13] = "Compare and Swap", [0x14] = "Fetch and Add",
  [0x16] = "Send Last with Invalidate", [0x17] = "Send Only with Invalidate",
}

local f = {
  opcode = ProtoField.uint8("verbena_paths.opcode", "Opcode", base.HEX,
    { [0xd4] = "Request", [0xd5] = "Acknowledgement", [0xd6] = "Probe" }),
  qp = ProtoField.uint24("verbena_paths.destqp", "Destination queue pair", base.HEX),
  psn = ProtoField.uint24("verbena_paths.psn", "PSN", base.DEC),
  request = ProtoField.uint8("verbena_paths.request", "Request", base.HEX, requests),
  disjoint = ProtoField.bool("verbena_paths.disjoint", "Overlaps no unfinished Write or atomic", 8, nil, 0x80),
  path = ProtoField.uint16("verbena_paths.path", "Path", base.DEC),
  clock = ProtoField.uint32("verbena_paths.clock", "Clock, 64 ns", base.DEC),
  offset = ProtoField.uint32("verbena_paths.offset", "Offset in the message", base.DEC),
  va = ProtoField.uint64("verbena_paths.va", "Virtual address", base.HEX),
  rkey = ProtoField.uint32("verbena_paths.rkey", "R_Key", base.HEX),
  syndrome = ProtoField.uint8("verbena_paths.syndrome", "Syndrome", base.HEX),
  msn = ProtoField.uint24("verbena_paths.msn", "MSN", base.DEC),
  duplicate = ProtoField.bool("verbena_paths.duplicate", "Duplicate", 8, nil, 0x80),
  marked = ProtoField.bool("verbena_paths.marked", "Marked by a router", 8, nil, 0x40),
  outside = ProtoField.bool("verbena_paths.outside", "Beyond the window", 8, nil, 0x20),
  trimmed = ProtoField.bool("verbena_paths.trimmed", "Trimmed", 8, nil, 0x10),
  trimmed_psn = ProtoField.uint32("verbena_paths.trimmed_psn", "PSN of the trimmed packet", base.DEC),
  map = ProtoField.bytes("verbena_paths.map", "Received after a missing packet"),
  received = ProtoField.uint32("verbena_paths.received", "Packets in the map", base.DEC),
  answer = ProtoField.bool("verbena_paths.answer", "Answer", 8, nil, 0x80),
  further = ProtoField.bool("verbena_paths.further", "Of further addresses", 8, nil, 0x40),
  address = ProtoField.uint16("verbena_paths.address", "Pair of addresses", base.DEC),
  nonce = ProtoField.uint64("verbena_paths.nonce", "Nonce", base.HEX),
  payload = ProtoField.bytes("verbena_paths.payload", "Headers and payload of the request"),
  icrc = ProtoField.uint32("verbena_paths.icrc", "ICRC", base.HEX),
}
paths.fields = f

local short = ProtoExpert.new("verbena_paths.short", "The packet is too short", expert.group.MALFORMED, expert.severity.ERROR)
paths.experts = { short }

local BTH, ICRC = 12, 4
local least = { [0xd4] = 24, [0xd5] = 12, [0xd6] = 12 }

local function bits(range)
  local count = 0
  for i = 0, range:len() - 1 do
    local byte = range(i, 1):uint()
    while byte > 0 do
      count = count + byte % 2
      byte = math.floor(byte / 2)
    end
  end
  return count
end

local function request(buffer, tree, last)
  tree:add(f.request, buffer(12, 1))
  tree:add(f.disjoint, buffer(13, 1))
  tree:add(f.path, buffer(14, 2))
  tree:add(f.clock, buffer(16, 4))
  tree:add(f.offset, buffer(20, 4))
  tree:add(f.va, buffer(24, 8))
  tree:add(f.rkey, buffer(32, 4))
  if last > 36 then tree:add(f.payload, buffer(36, last - 36)) end
  return (requests[buffer(12, 1):uint()] or "Request") .. ", path " .. buffer(14, 2):uint()
    .. ", offset " .. buffer(20, 4):uint()
end

local function acknowledgement(buffer, tree, last)
  tree:add(f.syndrome, buffer(12, 1))
  tree:add(f.msn, buffer(13, 3))
  local flags = buffer(16, 1)
  tree:add(f.duplicate, flags)
  tree:add(f.marked, flags)
  tree:add(f.outside, flags)
  tree:add(f.trimmed, flags)
  tree:add(f.path, buffer(18, 2))
  local isTrimmed = math.floor(flags:uint() / 16) % 2 == 1
  tree:add(isTrimmed and f.trimmed_psn or f.clock, buffer(20, 4))
  local words = "Acknowledgement, path " .. buffer(18, 2):uint()
  if last > 24 then
    local map = buffer(24, last - 24)
    tree:add(f.map, map)
    local count = bits(map)
    tree:add(f.received, map, count)
    words = words .. ", " .. count .. " later packets"
  end
  return words
end

local function probe(buffer, tree)
  local further = buffer(12, 1):uint() % 0x80 >= 0x40
  tree:add(f.answer, buffer(12, 1))
  tree:add(f.further, buffer(12, 1))
  tree:add(further and f.address or f.path, buffer(14, 2))
  tree:add(f.nonce, buffer(16, 8))
  local answer = buffer(12, 1):uint() >= 0x80
  return (answer and "Answer" or "Question") .. (further and ", address " or ", path ") .. buffer(14, 2):uint()
end

local port = DissectorTable.get("udp.port")
local before = port:get_dissector(4791)

function paths.dissector(buffer, pinfo, root)
  local opcode = buffer:len() >= BTH and buffer(0, 1):uint() or 0
  if not least[opcode] then
    return before and before:call(buffer, pinfo, root) or 0
  end
  pinfo.cols.protocol = "VerbenaPaths"
  local tree = root:add(paths, buffer())
  tree:add(f.opcode, buffer(0, 1))
  tree:add(f.qp, buffer(5, 3))
  tree:add(f.psn, buffer(9, 3))
  local last = buffer:len() - ICRC
  if last < BTH + least[opcode] then
    tree:add_proto_expert_info(short)
    return buffer:len()
  end
  local parts = { [0xd4] = request, [0xd5] = acknowledgement, [0xd6] = probe }
  local words = parts[opcode](buffer, tree, last)
  tree:add(f.icrc, buffer(last, ICRC))
  pinfo.cols.info = words .. ", PSN " .. buffer(9, 3):uint()
  return buffer:len()
end

port:add(4791, paths)
