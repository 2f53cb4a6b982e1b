import type { PaymentRow } from "@/lib/domain/payments/rows";
import { type LookUpLimit, lookUpLimits } from "@/lib/gateways/registry";

const WINDOW_MS = 60_000;

type Looked = Pick<PaymentRow, "connectionId" | "gateway" | "mode">;

/** `times`: when each recent look-up began, oldest first. `promised`: those that may begin with the next claim. */
type Budget = LookUpLimit & { times: number[]; promised: number };

/** Counts this process's look-ups within the last minute: of each gateway connection, or of all of a mode where the gateway limits them together. */
export class LookUpBudget {
  readonly #budgets = new Map<string, Budget>();
  readonly #budgetOf = new Map<string, Budget | "unlimited">();

  constructor(
    private readonly limits: Record<string, LookUpLimit> = lookUpLimits(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many look-ups of a connection may begin now. The first one tells its gateway. Those that share a budget get one each in turn. */
  left(connectionId: string): number {
    const budget = this.#budgetOf.get(connectionId);
    if (budget === undefined) return Object.keys(this.limits).length > 0 ? 1 : Infinity;
    if (budget === "unlimited") return Infinity;
    const since = this.now() - WINDOW_MS;
    budget.times = budget.times.filter((time) => time > since);
    const left = Math.max(0, budget.perMinute - budget.times.length - budget.promised);
    if (!budget.byAddress) return left;
    const one = Math.min(1, left);
    budget.promised += one;
    return one;
  }

  /** Counts look-ups that begin now. */
  spend(looked: readonly Looked[]): void {
    for (const budget of this.#budgets.values()) budget.promised = 0;
    for (const { connectionId, gateway, mode } of looked) {
      if (connectionId === null) continue;
      const budget = this.#find(connectionId, gateway, mode);
      this.#budgetOf.set(connectionId, budget);
      if (budget !== "unlimited") budget.times.push(this.now());
    }
  }

  #find(connectionId: string, gateway: string, mode: string): Budget | "unlimited" {
    const limit = this.limits[gateway];
    if (!limit) return "unlimited";
    const name = limit.byAddress ? `${gateway} ${mode}` : connectionId;
    const budget = this.#budgets.get(name) ?? { ...limit, times: [], promised: 0 };
    this.#budgets.set(name, budget);
    return budget;
  }
}
