import { lookUpLimits } from "@/lib/gateways/registry";

const WINDOW_MS = 60_000;

/** Look-ups that may begin now: `left` of connections that used some within the last minute, `limits` of others by the gateway's name. No number: any. */
export type Allowance = { left: Record<string, number>; limits: Record<string, number> };

/** Counts this process's look-ups of each gateway connection within the last minute. `now` in milliseconds. */
export class LookUpBudget {
  // When each recent look-up of a connection began, oldest first.
  readonly #begun = new Map<string, { gateway: string; times: number[] }>();

  constructor(
    private readonly limits: Record<string, number> = lookUpLimits(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  allowance(): Allowance {
    const since = this.now() - WINDOW_MS;
    const left: Allowance["left"] = {};
    for (const [connectionId, used] of this.#begun) {
      used.times = used.times.filter((time) => time > since);
      if (used.times.length === 0) this.#begun.delete(connectionId);
      else left[connectionId] = Math.max(0, (this.limits[used.gateway] ?? 0) - used.times.length);
    }
    return { left, limits: this.limits };
  }

  /** Counts look-ups that begin now. */
  spend(looked: readonly { connectionId: string | null; gateway: string }[]): void {
    for (const { connectionId, gateway } of looked) {
      if (connectionId === null || this.limits[gateway] === undefined) continue;
      const used = this.#begun.get(connectionId) ?? { gateway, times: [] };
      used.times.push(this.now());
      this.#begun.set(connectionId, used);
    }
  }
}
