/** How many failures in a row open it, how long it stays open at first and at most, in milliseconds. */
const failuresToOpen = 5;
const firstPauseMs = 5_000;
const longestPauseMs = 120_000;
const longestAskedMs = 600_000;
const MAX_STATES = 10_000;

type State = { failures: number; pauseMs: number; until: number; probing: boolean };

/** Stops calls to a gateway that is down: after some failures in a row one call at a time may try, after ever longer pauses. `now` in milliseconds. */
export class Circuit {
  readonly #states = new Map<string, State>();

  /** Seconds until `name` may be asked again; 0 lets this call through, and while there is trouble only this one. */
  wait(name: string, now: number): number {
    const state = this.#states.get(name);
    if (!state) return 0;
    if (now < state.until) return Math.ceil((state.until - now) / 1000);
    if (state.failures < failuresToOpen) return 0;
    if (state.probing) return Math.ceil(firstPauseMs / 1000);
    state.probing = true;
    return 0;
  }

  /** It has answered, whatever it said. */
  answered(name: string): void {
    this.#states.delete(name);
  }

  /** No answer, or one that says it is in trouble; `retryAfterSeconds` when it said for how long. */
  failed(name: string, now: number, retryAfterSeconds?: number): void {
    const state = this.#states.get(name) ?? {
      failures: 0,
      pauseMs: firstPauseMs,
      until: 0,
      probing: false,
    };
    state.failures++;
    state.probing = false;
    // Calls that were under way when it opened fail after it: they lengthen no pause.
    if (state.failures >= failuresToOpen && now >= state.until) {
      state.until = now + state.pauseMs;
      state.pauseMs = Math.min(state.pauseMs * 2, longestPauseMs);
    }
    if (retryAfterSeconds !== undefined)
      state.until = Math.max(state.until, now + Math.min(retryAfterSeconds * 1000, longestAskedMs));
    if (this.#states.size >= MAX_STATES) this.#states.clear();
    this.#states.set(name, state);
  }
}
