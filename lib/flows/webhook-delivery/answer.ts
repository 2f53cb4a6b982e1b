import { maskText } from "@/lib/kernel/mask";

/** Success is 2xx alone: null; else why it is none. */
export function verdictOn(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed.`
    : `It answered ${status}.`;
}

const inPrivate = "Its address is in a private network.";
const reasons: Record<string, string> = {
  ENOTFOUND: "There is no host of this name.",
  EAI_AGAIN: "Its host name could not be looked up.",
  ECONNREFUSED: "It refused the connection.",
  ECONNRESET: "The connection was lost before an answer.",
  EPIPE: "The connection was lost before an answer.",
  ETIMEDOUT: "The connection could not be made in time.",
  EPRIVATE: inPrivate,
  EHOSTUNREACH: "It cannot be reached.",
  ENETUNREACH: "It cannot be reached.",
};

/** Why there was no answer, in plain words and with no inner detail. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  if (/is not allowed\. Because/.test(error.message)) return inPrivate;
  const code = error.code ?? "";
  if (reasons[code]) return reasons[code];
  if (/^HPE_/.test(code)) return "Its answer was not HTTP.";
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) return `Its certificate was refused (${code}).`;
  if (/SSL|TLS|EPROTO/.test(code)) return "No secure connection came about.";
  return code ? `The connection failed (${code}).` : "The connection failed.";
}

/** A response body as text that people can read and Postgres can store, with likely secrets masked. Null when empty. */
export const readable = (bytes: Buffer): string | null =>
  bytes.length === 0 ? null : maskText(new TextDecoder().decode(bytes));
