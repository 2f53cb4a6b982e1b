/** How many failures in a row open it, how long it stays open at first and at most, in milliseconds. */
const failuresToOpen = 5;
const firstPauseMs = 5_000;
const longestPauseMs = 120_000;
const longestAskedMs = 600_000;
const MAX_STATES = 10_000;

type State = { failures: number; pauseMs: number; until: number; probing: boolean };

function secondsLeft({ failures, until, probing }: State, now: number): number {
  if (now < until) return Math.ceil((until - now) / 1000);
  return failures >= failuresToOpen && probing ? Math.ceil(firstPauseMs / 1000) : 0;
}

/**
 * Stops calls to a gateway that is down: after some failures in a row one call at a time may try, after ever longer pauses. `now` is that of a clock
 * which is never set, such as `performance.now()`.
 */
export class Circuit {
  readonly #states = new Map<string, State>();

  /** Seconds until a call that needs all of `names` may be sent; 0: the call may be sent, and while there is trouble it is the only one. */
  wait(names: string | readonly string[], now: number): number {
    const states = [names].flat().flatMap((name) => this.#states.get(name) ?? []);
    const seconds = Math.max(0, ...states.map((state) => secondsLeft(state, now)));
    // Taken only when all circuits let the call through: no call would ever end the trial of the others.
    if (seconds === 0)
      for (const state of states) if (state.failures >= failuresToOpen) state.probing = true;
    return seconds;
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
