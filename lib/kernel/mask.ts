const mark = "…";
const shown = 8 * 1024;

const secretFields =
  /("(?:token|activation_url|chat_url|secret|secret_key|password|authorization|api_key|key|[a-z_]*_key|[a-z_]*_secret|[a-z_]*_password|[a-z_]*_token)"\s*:\s*")(?:[^"\\]|\\.)*("?)/gi;
const secretName = /token|secret|password|api_?key|hash|signature/i;
const apiKeys =
  /\bsk_(test|live)_[0-9A-Za-z]{4,45}([0-9A-Za-z]{4})\b|\bsk_(test|live)_[0-9A-Za-z]+/g;
/** A gateway's restricted keys. Its secret keys look like our API keys. */
const restrictedKeys = /\brk_(test|live)_[0-9A-Za-z]+/g;
/** Credentials of shop plugins: keys, passwords and tokens. */
const integrationSecrets = /\bi([kpt])_(test|live)_[0-9A-Za-z]+/g;
const otherSecrets = /\bwhs(ec|k|pk)_[\w+/=-]+/g;
/** Addresses that open an account or a business to their holder. Each `page` of an account mail is one. */
const accountLinks =
  /\b(invitation|reset-password|sign-up|verify-email)#(?:[\w-]|%[0-9a-f]{2}|\\u[0-9a-f]{4}){16,}/gi;
const tokens = /[0-9a-f]{64}/gi;
const cutToken = /[0-9a-f]{16,63}$/i;
const cutEscape = /(?:%|\\u?)[0-9a-f]{0,3}$/i;
/** Replaces at the end of a text only: an expression that ends in `$` is tried at every place of the whole. */
const replaceEnd = (text: string, longest: number, end: RegExp) =>
  text.slice(0, -longest) + text.slice(-longest).replace(end, "");
const SUSPICIOUS_WORDS = [
  "token",
  "activation_url",
  "chat_url",
  "secret",
  "password",
  "authorization",
  "api_key",
  '"key"',
  "sk_",
  "rk_",
  "whs",
  '_key"',
  "_test_",
  "_live_",
  "invitation#",
  "sign-up#",
  "verify-email#",
];
const TOKEN_LENGTH = 64;

const isHex = (code: number) => (code >= 48 && code <= 57) || (code >= 97 && code <= 102);

/** Whether the lower-case text holds as many hexadecimal digits in a row as a token: one in every 64 characters then is one of them. */
function hasToken(text: string): boolean {
  for (let at = TOKEN_LENGTH - 1; at < text.length; at += TOKEN_LENGTH) {
    if (!isHex(text.charCodeAt(at))) continue;
    let [start, end] = [at, at + 1];
    while (isHex(text.charCodeAt(start - 1))) start--;
    while (isHex(text.charCodeAt(end))) end++;
    if (end - start >= TOKEN_LENGTH) return true;
  }
  return false;
}

/** Most texts hold no secret. Searching them for words is four times as fast as one expression with all of them. */
function isSuspicious(text: string): boolean {
  const lower = text.toLowerCase();
  return SUSPICIOUS_WORDS.some((word) => lower.includes(word)) || hasToken(lower);
}

const secretHeader = /authorization|cookie|token|secret|password|api-?key|signature/i;

/** Hides API keys but for their last four letters, webhook secrets, links of accounts, and tokens, wherever they stand. */
function maskValues(text: string): string {
  return text
    .replace(
      apiKeys,
      (_, mode: string | undefined, end: string | undefined, cut: string | undefined) =>
        `sk_${mode ?? cut}_${mark}${end ?? ""}`,
    )
    .replace(restrictedKeys, (_, mode: string) => `rk_${mode}_${mark}`)
    .replace(integrationSecrets, (_, kind: string, mode: string) => `i${kind}_${mode}_${mark}`)
    .replace(otherSecrets, `whs$1_${mark}`)
    .replace(accountLinks, `$1#${mark}`)
    .replace(tokens, mark);
}

const writable = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "") : text);

// Printable ASCII but for quotes and backslashes, which hold a JSON text together.
const escaped = /(?:\\u00|%)(?!22|5c)([2-7][0-9a-f])/gi;
const MAX_LAYERS = 4;

/** The text with its percent-encoding and `\u` escapes undone, layer by layer: a secret can hide behind them. */
function unescaped(text: string): string {
  let plain = text;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const next = plain.replace(escaped, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (next === plain) break;
    plain = next;
  }
  return plain;
}

/** The result of `hide` on the text, or on the unescaped text where only that shows a secret. */
function hidden(text: string, hide: (text: string) => string): string {
  const masked = hide(text);
  if (!masked.includes("%") && !/\\u00/i.test(masked)) return masked;
  const plain = unescaped(masked);
  const maskedPlain = hide(plain);
  return maskedPlain === plain ? masked : maskedPlain;
}

/** Hides the values of JSON fields that hold secrets, and whatever looks like a secret. */
const hideInText = (text: string) =>
  isSuspicious(text) ? maskValues(text.replace(secretFields, `$1${mark}$2`)) : text;

/**
 * Hides the values of parameters by their names. A name begins the parameter, or follows a `?` in a value, which may be an address itself.
 * Each character is read a few times at most: one expression for all of it would try each `?` with every word.
 */
const hideParameters = (text: string) =>
  text
    .split("&")
    .map((parameter) => {
      const parts = parameter.split("=");
      const last = parts.length - 1;
      const name = parts.findIndex((part, at) => {
        const start = at === 0 ? 0 : part.indexOf("?");
        return at < last && start >= 0 && secretName.test(part.slice(start));
      });
      return name < 0 ? parameter : `${parts.slice(0, name + 1).join("=")}=${mark}`;
    })
    .join("&");

const hideInAddress = (text: string) => maskValues(hideParameters(text));

/** A text with its secrets hidden, fit for a Postgres text. `cut`: the text went on, and a token may end in the middle. */
export function maskText(text: string, cut = false): string {
  if (!cut) return hidden(writable(text), hideInText);
  return hidden(replaceEnd(writable(text), 5, cutEscape), (part) =>
    replaceEnd(hideInText(part), TOKEN_LENGTH - 1, cutToken),
  );
}

/** The first 8 KiB of a body with its secrets hidden. */
export const maskBody = (text: string): string =>
  text.length > shown ? `${maskText(text.slice(0, shown), true)}${mark}` : maskText(text);

/** A path or query with its secrets hidden. */
export function maskAddress(text: string): string {
  return hidden(writable(text.slice(0, 4_096)), hideInAddress).slice(0, 2_048);
}

/** Headers, names and values in turn, as JSON; what authenticates is hidden, but of an API key its mode and last four letters stay. */
export function maskHeaders(raw: readonly string[]): string {
  const kept: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    if (name === "authorization")
      kept[name] = /^Bearer sk_(test|live)_/i.test(value) ? maskValues(value) : mark;
    else kept[name] = secretHeader.test(name) ? mark : hidden(value, maskValues).slice(0, 1_024);
  }
  return JSON.stringify(kept);
}
