const hidden = "…";
const shown = 8 * 1024;

const secretFields = /("(?:token|activation_url|secret|password|authorization|api_key|key|[a-z_]*_secret|[a-z_]*_password|[a-z_]*_token)"\s*:\s*")(?:[^"\\]|\\.)*("?)/gi;
const secretParameters = /([?&]|^)([^=&]*(?:token|secret|password|api_?key|hash|signature)[^=&]*=)[^&]*/gi;
const apiKeys = /\bsk_(test|live)_[0-9A-Za-z]{4,45}([0-9A-Za-z]{4})\b|\bsk_(test|live)_[0-9A-Za-z]+/g;
const otherSecrets = /\bwhsec_[\w+/=-]+|\bwhsk_[\w+/=-]+/g;
const tokens = /[0-9a-f]{64}/gi;
const cutToken = /[0-9a-f]{16,63}$/i;
const secretHeader = /authorization|cookie|token|secret|password|api-?key|signature/i;

/** Hides API keys but for their last four letters, webhook secrets, and tokens, wherever they stand. */
function maskValues(text: string): string {
  return text
    .replace(apiKeys, (_, mode: string | undefined, end: string | undefined, cut: string | undefined) => `sk_${mode ?? cut}_${hidden}${end ?? ""}`)
    .replace(otherSecrets, hidden)
    .replace(tokens, hidden);
}

/** The first 8 KiB of a body with its secrets hidden, fit for a Postgres text. */
export function maskBody(text: string): string {
  const cut = text.length > shown;
  const part = (cut ? text.slice(0, shown) : text).replaceAll("\0", "").toWellFormed();
  const masked = maskValues(part.replace(secretFields, `$1${hidden}$2`));
  return cut ? `${masked.replace(cutToken, "")}${hidden}` : masked;
}

/** A path or query with its secrets hidden. */
export const maskAddress = (text: string): string => maskValues(text.replace(secretParameters, `$1$2${hidden}`)).slice(0, 2_048).replaceAll("\0", "").toWellFormed();

/** Headers as JSON, what authenticates hidden: of an API key its mode and last four letters stay. */
export function maskHeaders(headers: Headers): string {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === "authorization") kept[name] = /^Bearer sk_(test|live)_/i.test(value) ? maskValues(value) : hidden;
    else kept[name] = secretHeader.test(name) ? hidden : maskValues(value).slice(0, 1_024);
  }
  return JSON.stringify(kept);
}
