import type { Language } from "./snippets";

/** What is appended to `redirect_url`, in the order that the hash covers; then comes `hash`. */
export const returnParameters: readonly { name: string; text: string }[] = [
  { name: "payment_link_id", text: "The link." },
  { name: "payment_id", text: "The payment." },
  { name: "payment_status", text: "`1` paid, `2` still being processed." },
  { name: "payment_amount", text: "In minor units." },
  { name: "payment_currency", text: "Three-letter code." },
  { name: "payment_link_reference", text: "Your reference, or empty." },
  { name: "payment_link_reference_2", text: "Your second reference, or empty." },
  { name: "payment_time", text: "ISO 8601, UTC." },
  { name: "payment_message", text: "What happened, in plain words." },
  { name: "attempt_id", text: "The same as `payment_id`." },
];

const names = returnParameters.map(({ name }) => name);
const listed = (quote: string, indent: string) =>
  names.map((name) => `${indent}${quote}${name}${quote},`).join("\n");

/** Code that checks the hash of the address a payer came back to, in each language. `SIGNING_SECRET` comes from the environment. */
export const hashSnippets: Record<Exclude<Language, "curl">, string> = {
  node: `import { createHmac, timingSafeEqual } from "node:crypto";

const names = [
${listed('"', "  ")}
];

/** Whether the address the payer came back to was made by the payment service. */
export function isGenuine(address, secret = process.env.SIGNING_SECRET) {
  // Anyone can sign with an empty secret.
  if (!secret) throw new Error("SIGNING_SECRET is not set");
  const query = new URL(address).searchParams;
  const text = names.map((name) => \`\${name}=\${query.get(name) ?? ""}\`).join("\\n");
  const expected = createHmac("sha256", secret).update(text).digest();
  const given = Buffer.from(query.get("hash") ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  php: `<?php
const NAMES = [
${listed("'", "    ")}
];

/** Whether the address the payer came back to was made by the payment service. */
function is_genuine(array $query): bool
{
    // Anyone can sign with an empty secret.
    $secret = getenv('SIGNING_SECRET') ?: throw new RuntimeException('SIGNING_SECRET is not set');
    $value = fn ($name) => is_string($query[$name] ?? null) ? $query[$name] : '';
    $lines = array_map(fn ($name) => $name . '=' . $value($name), NAMES);
    $expected = hash_hmac('sha256', implode("\\n", $lines), $secret);
    $given = $query['hash'] ?? '';
    return is_string($given) && hash_equals($expected, $given);
}

var_dump(is_genuine($_GET));`,
  python: `import hashlib, hmac, os
from urllib.parse import parse_qs, urlsplit

NAMES = [
${listed('"', "    ")}
]

def is_genuine(address: str) -> bool:
    """Whether the address the payer came back to was made by the payment service."""
    secret = os.environ.get("SIGNING_SECRET", "")
    if not secret:  # Anyone can sign with an empty secret.
        raise RuntimeError("SIGNING_SECRET is not set")
    query = parse_qs(urlsplit(address).query, keep_blank_values=True)
    text = "\\n".join(f"{name}={query.get(name, [''])[0]}" for name in NAMES)
    expected = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), query.get("hash", [""])[0].encode())`,
};
