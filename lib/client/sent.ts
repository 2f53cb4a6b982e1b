/** A request that was sent, with an outcome that this browser does not know yet. */
export type Sent = {
  /** Its Idempotency-Key: what it is known by, here and at the server. */
  key: string;
  /** Absent where it is too large to keep, and once `dropContents` has run. */
  body?: unknown;
  /** What it does, as the subject of a sentence: "The charge of USD 32.00 to Visa 4242". */
  says: string;
  /** Unix milliseconds by this browser's clock. */
  at: number;
  /** Where in the console what it made is found, when the answer itself is gone. */
  place?: string;
};

// The server forgets a key after 72 hours; an hour is left for a page that takes its time.
const KEPT_MS = 71 * 3_600_000;

/** What the storage refused: without it the protection lasts as long as the page. */
const inMemory = new Map<string, string>();

const prefix = "kutip-sent ";
const fullName = (name: string) => prefix + name;

/** Keeps a request until its outcome is known: through a reload, in all tabs. One for each name, which begins with the account. */
export function keepSent(name: string, sent: Sent): void {
  // Those have nothing left to find out.
  dropContents((other) => isForgotten(other));
  const text = JSON.stringify(sent);
  try {
    window.localStorage.setItem(fullName(name), text);
    inMemory.delete(name);
  } catch {
    inMemory.set(name, text);
  }
}

function stored(name: string): string | null {
  try {
    return window.localStorage.getItem(fullName(name));
  } catch {
    return null;
  }
}

/** The request of that name without a known outcome. */
export function readSent(name: string): Sent | null {
  const text = inMemory.get(name) ?? stored(name);
  return text === null ? null : (JSON.parse(text) as Sent);
}

/** Forgets a request once its outcome is known; a later one of that name stays. */
export function forgetSent(name: string, key: string): void {
  if (readSent(name)?.key !== key) return;
  inMemory.delete(name);
  try {
    window.localStorage.removeItem(fullName(name));
  } catch {
    // It was in memory alone.
  }
}

/** Where requests without a known outcome are kept in this browser, of any page and account. */
function places(): string[] {
  const { localStorage: storage } = window;
  const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  return names.filter((name) => name.startsWith(prefix));
}

/** Whether any is kept. */
export function keepsAny(): boolean {
  try {
    return places().length > 0;
  } catch {
    return false;
  }
}

/** Keeps of these requests only what settles them: the next person at this browser must not read payers' data in it. */
export function dropContents(which: (sent: Sent, account: string) => boolean = () => true): void {
  try {
    const { localStorage: storage } = window;
    for (const name of places()) {
      const text = storage.getItem(name);
      if (text === null) continue;
      const sent = JSON.parse(text) as Sent;
      const { key, at, place } = sent;
      const [account = ""] = name.slice(prefix.length).split(" ");
      const settling: Sent = { key, says: "A request", at, place };
      if (which(sent, account)) storage.setItem(name, JSON.stringify(settling));
    }
  } catch {
    // It was in memory alone, which ends with the page.
  }
}

/** Whether the server may have dropped the key, so that the outcome of the request can no longer be found. */
export const isForgotten = ({ at }: Sent, now = Date.now()): boolean => now - at > KEPT_MS;
