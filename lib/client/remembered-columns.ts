/** Per account and business: a colleague may mean something else by the same name. */
const nameOf = (account: string, business: string) => `kutip-columns ${account} ${business}`;

// Of each table only the last ones: a header that is used again becomes the newest.
const KEPT = 20;

type Entry = [key: string, value: unknown];

function read(name: string): Entry[] {
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? (found as Entry[]) : [];
  } catch {
    return [];
  }
}

/** What was chosen for a header in this browser, by this person, for this business. */
export const rememberedColumns = (account: string, business: string, key: string): unknown =>
  read(nameOf(account, business)).find((entry) => entry[0] === key)?.[1];

/** Remembers what was chosen for a header. */
export function rememberColumns(
  account: string,
  business: string,
  key: string,
  value: unknown,
): void {
  const name = nameOf(account, business);
  const others = read(name).filter((entry) => entry[0] !== key);
  try {
    window.localStorage.setItem(name, JSON.stringify([[key, value], ...others].slice(0, KEPT)));
  } catch {
    // A browser that keeps nothing asks again.
  }
}
