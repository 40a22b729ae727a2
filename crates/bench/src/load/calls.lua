-- What wrk sends: the requests of a file, in their order and again from the beginning, a part of them for each thread.
--
-- Arguments: FILE THREADS. A line of the file is a key, a tab and a body.

local threads = {}

function setup(thread)
  thread:set("nth", #threads)
  table.insert(threads, thread)
end

function init(args)
  local file, parts = args[1], tonumber(args[2])
  local calls = {}
  for line in io.lines(file) do
    local key, body = line:match("^(%S+)\t(.*)$")
    local headers = {
      ["Authorization"] = "Bearer " .. key,
      ["Content-Type"] = "application/json",
      ["Accept"] = "application/json, text/event-stream",
    }
    table.insert(calls, wrk.format("POST", nil, headers, body))
  end
  local size = math.floor(#calls / parts)
  -- The first thread is asked for one request that is looked at and not sent.
  mine, at = {}, nth == 0 and -1 or 0
  for n = 1, size do
    mine[n] = calls[nth * size + n]
  end
end

function request()
  at = at % #mine + 1
  return mine[at]
end

-- One line of JSON that no person reads; times are in microseconds.
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"micros":%d,"bytes":%d,"p50":%d,"p99":%d,"max":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max,
    e.connect, e.read, e.write, e.status, e.timeout))
end
