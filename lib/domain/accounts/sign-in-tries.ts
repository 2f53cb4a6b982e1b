import { addressKey } from "@/lib/kernel/ip";
import { type Allowance, giveBack, peek, reset, take } from "@/lib/domain/limits/limits";
import { digest } from "@/lib/kernel/secrets";
import { unscopedFindCredential } from "../users/rows";
import { knownBrowser } from "./known-browser";

/** A password tried for an account. `browserCookie` is the value of the known-browser cookie. */
export type SignInTry = {
  email: string;
  browserCookie: string | null | undefined;
  clientAddress: string | null;
};

/**
 * Names the counts of a try. They belong to the present password, so that every new one, also by the operator's command in another
 * process, ends a lock. Unknown accounts are counted alike.
 */
async function countsOf({ email, browserCookie, clientAddress }: SignInTry) {
  const credential = await unscopedFindCredential(email);
  const account = digest(`${email.trim().toLowerCase()}:${credential?.passwordHash ?? ""}`);
  const browser = knownBrowser(browserCookie, email);
  const from = browser ?? addressKey(clientAddress ?? undefined) ?? "unknown";
  return { account, near: `${account}:${from}`, known: browser !== undefined };
}

/** Counts an attempt before the password is checked, so that concurrent attempts count. A known browser has a count of its own. */
export async function countTry(one: SignInTry): Promise<Allowance> {
  const { account, near, known } = await countsOf(one);
  const fromHere = await take("account_address", near);
  return known || !fromHere.allowed ? fromHere : take("account", account);
}

/** After a right password: only failures count. */
export async function forgetTry(one: SignInTry): Promise<void> {
  const { account, near, known } = await countsOf(one);
  await reset("account_address", near);
  if (!known) await giveBack("account", account);
}

/** Returns what the failures have locked: this address or browser, the whole account, or nothing. */
export async function lockedBy(one: SignInTry): Promise<"account" | "address" | null> {
  const { account, near, known } = await countsOf(one);
  if (!known && !(await peek("account", account)).allowed) return "account";
  return (await peek("account_address", near)).allowed ? null : "address";
}
