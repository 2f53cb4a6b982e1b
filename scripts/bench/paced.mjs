// Requests at an even rate, described by the JSON in the first argument; prints { rate, p50, p99, bad }. Times are milliseconds from the moment
// at which a request was due. Not autocannon: it sends all requests of a second at its beginning, so they wait for each other.
import { Agent, request as ask } from "node:http";

const { url, connections, duration, rate, method, headers, body } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const times = [];
let bad = 0;

function send(due) {
  const length = body ? { "content-length": Buffer.byteLength(body) } : {};
  return new Promise((resolve) => {
    const call = ask(url, { agent, method, headers: { ...headers, ...length } }, (answer) => {
      if (Math.trunc(answer.statusCode / 100) !== 2) bad++;
      answer.resume().on("end", () => resolve(times.push(performance.now() - due)));
    });
    call.on("error", () => resolve(bad++));
    call.end(body);
  });
}

const began = performance.now();
const under = [];
await new Promise((resolve) => {
  const tick = () => {
    const passed = performance.now() - began;
    while (under.length < (Math.min(passed, duration * 1_000) * rate) / 1_000)
      under.push(send(began + (under.length * 1_000) / rate));
    if (passed < duration * 1_000) setTimeout(tick, 1);
    else resolve();
  };
  tick();
});
await Promise.all(under);
agent.destroy();
times.sort((a, b) => a - b);
const quantile = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
process.stdout.write(
  JSON.stringify({
    rate: times.length / duration,
    p50: quantile(0.5),
    p99: quantile(0.99),
    bad,
  }),
);
