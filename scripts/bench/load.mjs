// One run of load, described by the JSON in the first argument; prints { rate, p50, p99, bad }.
import autocannon from "autocannon";

const result = await autocannon({ ...JSON.parse(process.argv[2]), pipelining: 1 });
process.stdout.write(
  JSON.stringify({
    rate: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    bad: result.non2xx + result.errors,
  }),
);
