import { counter, durations } from "@/lib/kernel/metrics";
import { traced } from "@/lib/kernel/trace";
import type { Gateway } from "./gateway";

const calls = counter("kutip_gateway_calls_total", "Calls to a gateway, by what came of them.", [
  "gateway",
  "call",
  "outcome",
]);
const seconds = durations(
  "kutip_gateway_call_duration_seconds",
  "How long calls to a gateway took, with all their requests.",
  ["gateway", "call"],
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40],
);

/** The adapter, each of its calls counted and timed. The outcome is the kind of the answer; `thrown` where the call fails. */
export function measured(gateway: Gateway): Gateway {
  const wrapped = new Map<string | symbol, Call>();
  return new Proxy(gateway, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      // Checking a callback asks no gateway.
      if (typeof value !== "function" || typeof name !== "string" || name === "verifyCallback")
        return value;
      let call = wrapped.get(name);
      if (!call) wrapped.set(name, (call = measure(target, name)));
      return call;
    },
  });
}

type Call = (...given: unknown[]) => unknown;

function measure(gateway: Gateway, call: string): Call {
  const about = { name: `gateway ${call}`, attributes: { "kutip.gateway": gateway.name } };
  return (...given) =>
    traced(about, (addToSpan) => {
      const began = performance.now();
      const made: unknown = Reflect.apply(Reflect.get(gateway, call) as Call, gateway, given);
      // What makes no call, such as a check of an amount, returns at once.
      if (!(made instanceof Promise)) return made;
      const note = (outcome: string) => {
        calls.inc({ gateway: gateway.name, call, outcome });
        seconds.observe({ gateway: gateway.name, call }, (performance.now() - began) / 1_000);
        addToSpan({ "kutip.outcome": outcome });
      };
      made.then(
        (answer: { kind?: string } | null | undefined) => note(answer?.kind ?? "done"),
        () => note("thrown"),
      );
      return made;
    });
}
