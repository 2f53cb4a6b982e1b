const hidden = "…";
const shown = 8 * 1024;

const secretFields =
  /("(?:token|activation_url|secret|secret_key|password|authorization|api_key|key|[a-z_]*_secret|[a-z_]*_password|[a-z_]*_token)"\s*:\s*")(?:[^"\\]|\\.)*("?)/gi;
const secretParameters =
  /([?&]|^)([^=&]*(?:token|secret|password|api_?key|hash|signature)[^=&]*=)[^&]*/gi;
const apiKeys =
  /\bsk_(test|live)_[0-9A-Za-z]{4,45}([0-9A-Za-z]{4})\b|\bsk_(test|live)_[0-9A-Za-z]+/g;
/** Of a gateway: those of a secret kind look like ours. */
const restrictedKeys = /\brk_(test|live)_[0-9A-Za-z]+/g;
const otherSecrets = /\bwhs(?:ec|k|pk)_[\w+/=-]+/g;
const tokens = /[0-9a-f]{64}/gi;
const cutToken = /[0-9a-f]{16,63}$/i;
/** Most texts hold none of all that, which is found out in one go. */
const suspicious =
  /token|activation_url|secret|password|authorization|api_key|"key"|sk_|rk_|whs|[0-9a-f]{64}/i;
const secretHeader = /authorization|cookie|token|secret|password|api-?key|signature/i;

/** Hides API keys but for their last four letters, webhook secrets, and tokens, wherever they stand. */
function maskValues(text: string): string {
  return text
    .replace(
      apiKeys,
      (_, mode: string | undefined, end: string | undefined, cut: string | undefined) =>
        `sk_${mode ?? cut}_${hidden}${end ?? ""}`,
    )
    .replace(restrictedKeys, (_, mode: string) => `rk_${mode}_${hidden}`)
    .replace(otherSecrets, hidden)
    .replace(tokens, hidden);
}

const writable = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "") : text);

/** The first 8 KiB of a body with its secrets hidden, fit for a Postgres text. */
export function maskBody(text: string): string {
  const cut = text.length > shown;
  const part = writable(cut ? text.slice(0, shown) : text);
  const masked = suspicious.test(part)
    ? maskValues(part.replace(secretFields, `$1${hidden}$2`))
    : part;
  return cut ? `${masked.replace(cutToken, "")}${hidden}` : masked;
}

/** A path or query with its secrets hidden. */
export function maskAddress(text: string): string {
  const part = writable(text.slice(0, 4_096));
  return part.includes("=") || suspicious.test(part)
    ? maskValues(part.replace(secretParameters, `$1$2${hidden}`)).slice(0, 2_048)
    : part.slice(0, 2_048);
}

/** Headers, names and values in turn, as JSON; what authenticates is hidden, but of an API key its mode and last four letters stay. */
export function maskHeaders(raw: readonly string[]): string {
  const kept: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    if (name === "authorization")
      kept[name] = /^Bearer sk_(test|live)_/i.test(value) ? maskValues(value) : hidden;
    else kept[name] = secretHeader.test(name) ? hidden : maskValues(value).slice(0, 1_024);
  }
  return JSON.stringify(kept);
}
