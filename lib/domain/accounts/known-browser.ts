import { randomBytes } from "node:crypto";
import { digest, isSignature, signature } from "@/lib/kernel/secrets";

// One cookie holds a mark for each account that has signed in with this browser: `<account>.<browser>.<signature>`, joined by "~".
const MAX_ACCOUNTS = 4;
const BROWSER_BYTES = 12;
export const BROWSER_COOKIE = "known_browser";
export const KNOWN_BROWSER_SECONDS = 400 * 24 * 60 * 60;

const tagOf = (email: string) => digest(`browser:${email.trim().toLowerCase()}`).slice(0, 16);
const PROOF_LENGTH = 32;
const signed = (tag: string, browser: string) =>
  signature(`${tag}.${browser}`, "known_browser").slice(0, PROOF_LENGTH);
const isSigned = (tag: string, browser: string, proof: string) =>
  isSignature(proof, `${tag}.${browser}`, "known_browser", PROOF_LENGTH);

const marksIn = (cookie: string | null | undefined) =>
  (cookie ?? "").split("~").flatMap((mark) => {
    const [tag, browser, proof] = mark.split(".");
    return tag && browser && proof && isSigned(tag, browser, proof)
      ? [{ tag, browser, mark: `${tag}.${browser}.${signed(tag, browser)}` }]
      : [];
  });

/** The id of the browser that sends this cookie, if this account has signed in with it before. */
export function knownBrowser(cookie: string | null | undefined, email: string): string | undefined {
  const tag = tagOf(email);
  return marksIn(cookie).find((mark) => mark.tag === tag)?.browser;
}

/** The cookie's value after this account has signed in. A browser keeps its id; the oldest accounts fall out. */
export function rememberBrowser(cookie: string | null | undefined, email: string): string {
  const tag = tagOf(email);
  const marks = marksIn(cookie);
  const browser =
    marks.find((mark) => mark.tag === tag)?.browser ??
    randomBytes(BROWSER_BYTES).toString("base64url");
  const others = marks.filter((mark) => mark.tag !== tag).map(({ mark }) => mark);
  return [`${tag}.${browser}.${signed(tag, browser)}`, ...others].slice(0, MAX_ACCOUNTS).join("~");
}
