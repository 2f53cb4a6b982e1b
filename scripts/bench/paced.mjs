// Requests at an even rate, described by the JSON in the first argument; prints { rate, p50, p99, bad }. Times are milliseconds from the moment
// at which a request was due. Not autocannon: it sends all requests of a second at its beginning, so they wait for each other. Not node:http: its
// client needs more of the core than Postgres, so that requests wait for their sender.
import { connect } from "node:net";

const {
  url,
  connections,
  duration,
  rate,
  method,
  headers,
  body = "",
} = JSON.parse(process.argv[2]);
const { hostname, port, pathname, search, host } = new URL(url);
const lines = Object.entries({ host, ...headers, "content-length": Buffer.byteLength(body) });
const message = Buffer.from(
  [
    `${method} ${pathname}${search} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n"),
);
const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "\r\n0\r\n\r\n";

const times = [];
const waiting = [];
const idle = [];
let bad = 0;
let under = 0;
let over = () => undefined;

/** A connection that sends one request at a time. */
function open() {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const one = { socket, due: 0 };
    let head = "";
    let length = 0;
    let missing = 0;
    const begin = () => {
      head = "";
      length = 0;
    };
    const read = (data) => {
      if (length === 0) {
        head += data.latin1Slice();
        const end = head.indexOf(HEAD_END);
        if (end < 0) return false;
        length = Number(/^content-length: (\d+)/im.exec(head.slice(0, end))?.[1] ?? -1);
        missing = end + HEAD_END.length + length - head.length;
        if (length >= 0) return missing <= 0;
        return head.endsWith(LAST_CHUNK);
      }
      if (length > 0) {
        missing -= data.length;
        return missing <= 0;
      }
      head = head.slice(0, 12) + (head.slice(-8) + data.latin1Slice(-8)).slice(-16);
      return head.endsWith(LAST_CHUNK);
    };
    socket.on("data", (data) => {
      if (!read(data)) return;
      if (head[9] !== "2") bad++;
      times.push(performance.now() - one.due);
      under--;
      begin();
      const next = waiting.shift();
      if (next === undefined) idle.push(one);
      else ask(one, next);
      if (under === 0) over();
    });
    const lost = (why) => {
      console.error(`a connection is gone: ${why}`);
      process.exit(1);
    };
    socket.on("error", ({ message }) => lost(message));
    socket.on("close", () => lost("the server closed it"));
    socket.once("error", reject);
    socket.once("connect", () => resolve(one));
  });
}

function ask(one, due) {
  one.due = due;
  one.socket.write(message);
}

idle.push(...(await Promise.all(Array.from({ length: connections }, open))));
const began = performance.now();
let sent = 0;
await new Promise((resolve) => {
  const tick = () => {
    const passed = performance.now() - began;
    for (; sent < (Math.min(passed, duration * 1_000) * rate) / 1_000; sent++) {
      const due = began + (sent * 1_000) / rate;
      under++;
      const one = idle.shift();
      if (one) ask(one, due);
      else waiting.push(due);
    }
    if (passed < duration * 1_000) return setTimeout(tick, 1);
    over = resolve;
    if (under === 0) resolve();
  };
  tick();
});
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
process.exit(0);
