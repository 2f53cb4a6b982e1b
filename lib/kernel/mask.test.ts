import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readable } from "@/lib/flows/webhook-delivery/answer";
import { newApiKey, newToken } from "./ids";
import { maskAddress, maskBody, maskHeaders } from "./mask";

const percent = (text: string) =>
  [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join("");
const unicode = (text: string) =>
  [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

const key = newApiKey("live");
const token = newToken();
const webhook = `whsec_${"A".repeat(43)}=`;
const restricted = `rk_live_${"b".repeat(40)}`;
const invitation = `invitation#${"Kx-_9".repeat(8)}QQQ`;
const secrets = { key, token, webhook, restricted, invitation };

/** What a reader gets who undoes every escape in a logged text. */
function decoded(text: string): string {
  let plain = text;
  for (let layer = 0; layer < 6; layer++)
    plain = plain.replace(/(?:\\u00|%)([2-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  return plain;
}

const encodings = {
  plain: (text: string) => text,
  percent,
  unicode,
  "percent twice": (text: string) => percent(percent(text)),
  "upper case": (text: string) => percent(text).toUpperCase(),
  "one sign only": (text: string) => percent(text[0] ?? "") + text.slice(1),
  "a prefix in unicode": (text: string) => unicode(text.slice(0, 8)) + text.slice(8),
  "percent in unicode": (text: string) => unicode(percent(text)),
};

describe.each(Object.entries(secrets))("%s", (_, secret) => {
  const shown = secret.slice(9, -4);
  test.each(Object.entries(encodings))("is hidden in %s", (__, encode) => {
    const written = encode(secret);
    const texts = [
      maskAddress(`/tokenizations/${written}/charge`),
      maskAddress(`q=${written}&page=2`),
      maskBody(`{"title":"x ${written} y"}`),
      maskBody(`{"redirect_url":"https://shop.example/?a=${written}"}`),
      maskHeaders(["referer", `https://shop.example/${written}`]),
      readable(Buffer.from(`answer ${written}`)) ?? "",
    ];
    for (const text of texts) expect(decoded(text)).not.toContain(shown);
  });
});

test.each(Object.entries(encodings))("names of secrets are read in %s", (_, encode) => {
  for (const name of ["token", "secret", "api_key", "password", "chat_url"])
    expect(decoded(maskBody(`{"${encode(name)}":"hidden-value","b":2}`))).not.toContain("hidden");
  for (const name of ["token", "secret", "api_key", "password"])
    expect(decoded(maskAddress(`a=1&${encode(name)}=hidden-value&b=2`))).not.toContain("hidden");
});

test.each([
  ["?a?token=x&b=2", "?a?token=…&b=2"],
  ["a=1?token=x=y?z&b", "a=1?token=…&b"],
  ["next=https://shop.example/?hash=x&page=2", "next=https://shop.example/?hash=…&page=2"],
  ["token", "token"],
  ["q=token&token=", "q=token&token=…"],
])("of the address %s the log keeps %s", (address, kept) => {
  expect(maskAddress(address)).toBe(kept);
});

test("a parameter is hidden wherever a name of a secret begins it or follows a question mark", () => {
  const named = /([?&]|^)([^=&]*(?:token|secret|password|api_?key|hash|signature)[^=&]*=)[^&]*/gi;
  const parts = fc.constantFrom("?", "&", "=", "a", "/", "hash", "Token", "apikey", "API_KEY");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (signs) => {
      const text = signs.join("");
      expect(maskAddress(text)).toBe(text.replace(named, "$1$2…"));
    }),
    { numRuns: 2_000 },
  );
});

test("an escaped token that a cut goes through is not left in half", () => {
  for (const encode of [percent, unicode])
    for (let seen = 60; seen < 64 * 3; seen += 7) {
      const body = maskBody(`${" ".repeat(8_192 - seen)}${encode(token)} and more`);
      expect(decoded(body)).not.toContain(token.slice(0, 17));
    }
});

test("a token is found at every place of a text", () => {
  for (let at = 0; at <= 130; at++) {
    const token = newToken();
    expect(maskBody(`${"-".repeat(at)}${token}.`)).not.toContain(token);
  }
});

test("a text without secrets stays as it was written", () => {
  for (const text of ["q=ana%40example.com&x=100%25", "a=%zz", "note=50%", "%"])
    expect(maskAddress(text)).toBe(text);
  const body = '{"title":"Caf\\u00e9 \\u0041 100% \\\\u0041"}';
  expect(maskBody(body)).toBe(body);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 60 }), (text) => {
      const plain = text.replace(/token|secret|password|key|hash|signature/gi, "");
      expect(maskBody(plain)).toBe(plain);
    }),
  );
});
