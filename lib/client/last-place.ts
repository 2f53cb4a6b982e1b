import { type Scope, scopeOf } from "./scope";

const name = "kutip-last-place";

/** Remembers which business and mode this browser looked at last. */
export function rememberPlace({ business, mode }: Scope): void {
  try {
    window.localStorage.setItem(name, `/b/${encodeURIComponent(business)}/${mode}`);
  } catch {
    // A browser that keeps nothing starts at the first business.
  }
}

/** What was remembered, if it is an address of the console. */
export function lastPlace(): Scope | undefined {
  try {
    return scopeOf(window.localStorage.getItem(name) ?? "");
  } catch {
    return undefined;
  }
}
