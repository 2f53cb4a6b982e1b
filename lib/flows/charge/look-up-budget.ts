import { lookUpLimits } from "@/lib/gateways/registry";

const WINDOW_MS = 60_000;

/** Counts this process's look-ups of each gateway connection within the last minute. `now` in milliseconds. */
export class LookUpBudget {
  // When each recent look-up of a connection began, oldest first.
  readonly #begun = new Map<string, { gateway: string; times: number[] }>();

  constructor(
    private readonly limits: Record<string, number> = lookUpLimits(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many look-ups of a connection may begin now. One that used none within the last minute has the smallest limit. */
  left(connectionId: string): number {
    const since = this.now() - WINDOW_MS;
    const used = this.#begun.get(connectionId);
    if (!used) return Math.min(...Object.values(this.limits));
    used.times = used.times.filter((time) => time > since);
    if (used.times.length === 0) this.#begun.delete(connectionId);
    return Math.max(0, (this.limits[used.gateway] ?? 0) - used.times.length);
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
