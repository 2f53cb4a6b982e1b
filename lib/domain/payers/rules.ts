import { erasedEmail } from "@/lib/contract/values";
import { openWith, sealWith } from "@/lib/kernel/data-keys";
import { digest } from "@/lib/kernel/secrets";

export const ERASED_EMAIL: string = erasedEmail;
/** In place of an erased text that held the address. */
export const ERASED_TEXT = "[erased]";

/** The fields that are sealed in events, at any depth. */
const PERSONAL = new Set(["email", "phone_no", "payment_method"]);
/** Sealed in a payer's own record only: a package inside it has a name too. */
const OWN_PERSONAL = new Set(["name"]);
/** Those that are null once they are erased. */
const NULLABLE = new Set(["name", "phone_no", "payment_method", "redirect_url"]);

export type PayerKey = { id: string; key: Buffer };
/** Keys by address in lower case. */
export type KeysByAddress = ReadonlyMap<string, PayerKey>;
/** Keys by id; without those that were deleted. */
export type KeysById = ReadonlyMap<string, Buffer>;

type Sealed = { sealed: string };
type Fields = Readonly<Record<string, unknown>>;

/** An address as it is compared. */
export const normalAddress = (email: string): string => email.trim().toLowerCase();

/** What names a payer in `payer_keys`: 96 bits of a digest, another one for each business. */
export const payerDigest = (businessId: number, email: string): string =>
  digest(`payer ${businessId} ${normalAddress(email)}`).slice(0, 24);

/** A text with the signs that are percent-encoded in addresses of pages. */
const decoded = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSealed = (value: unknown): value is Sealed =>
  isFields(value) && typeof value.sealed === "string" && Object.keys(value).length === 1;

/** The payers' addresses in an event's data, in lower case. */
export function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    name === "email" && typeof field === "string" ? [normalAddress(field)] : addressesIn(field),
  );
}

/** The key of a record's payer. */
export const payerOf = (data: Fields, keys: KeysByAddress): PayerKey | undefined =>
  typeof data.email === "string" ? keys.get(normalAddress(data.email)) : undefined;

const sealedBy = ({ id, key }: PayerKey, value: unknown): Sealed => ({
  sealed: `${id}.${sealWith(JSON.stringify(value), key)}`,
});

/** The data with its personal fields sealed, and every text that holds a payer's address. A nested record is sealed for its own payer. */
export function sealFields<T extends Fields>(data: T, keys: KeysByAddress, of?: PayerKey): T {
  if (keys.size === 0) return data;
  const key = payerOf(data, keys) ?? of;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      key && OWN_PERSONAL.has(name) && typeof value === "string"
        ? sealedBy(key, value)
        : sealValue(name, value, keys, key),
    ]),
  ) as T;
}

/** A record inside another one: it is the payer's own where it names an address. */
const sealNested = (data: Fields, keys: KeysByAddress, of: PayerKey | undefined): Fields => {
  const own = payerOf(data, keys);
  return own
    ? sealFields(data, keys)
    : Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, sealValue(name, value, keys, of)]),
      );
};

function sealValue(
  name: string,
  value: unknown,
  keys: KeysByAddress,
  key: PayerKey | undefined,
): unknown {
  if (value === null || value === undefined) return value;
  if (key && PERSONAL.has(name)) return sealedBy(key, value);
  if (Array.isArray(value)) return value.map((one) => sealValue("", one, keys, key));
  if (isFields(value)) return sealNested(value, keys, key);
  if (typeof value !== "string" || !/@|%40/.test(value)) return value;
  const texts = [value, decoded(value)].map((text) => text.toLowerCase());
  for (const [address, of] of keys)
    if (texts.some((text) => text.includes(address))) return sealedBy(of, value);
  return value;
}

/** The ids of the keys that sealed something in this data. */
export function keyIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keyIdsIn);
  if (isSealed(value)) return [value.sealed.slice(0, value.sealed.indexOf("."))];
  return isFields(value) ? Object.values(value).flatMap(keyIdsIn) : [];
}

/** The data with decrypted fields. A field is erased when its key was deleted: see `erasedValue`. */
export function openFields<T extends Fields>(data: T, keys: KeysById): T {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, openValue(name, value, keys)]),
  ) as T;
}

function openValue(name: string, value: unknown, keys: KeysById): unknown {
  if (Array.isArray(value)) return value.map((one) => openValue("", one, keys));
  if (!isFields(value)) return value;
  if (!isSealed(value)) return openFields(value, keys);
  const end = value.sealed.indexOf(".");
  const key = keys.get(value.sealed.slice(0, end));
  return key
    ? (JSON.parse(openWith(value.sealed.slice(end + 1), key)) as unknown)
    : erasedValue(name);
}

/** What readers get in place of an erased field: still of the type that the contract promises. */
const erasedValue = (name: string): string | null =>
  name === "email" ? ERASED_EMAIL : NULLABLE.has(name) ? null : ERASED_TEXT;

// No text of a mail begins with it.
const MARK = "\u0001payer:";

/** A mail's content, sealed for its payer. */
export const sealContent = (text: string, { id, key }: PayerKey): string =>
  `${MARK}${id}.${sealWith(text, key)}`;

/** The id of the key that sealed this content; undefined for one from before such keys. */
export const keyIdOf = (content: string): string | undefined =>
  content.startsWith(MARK)
    ? content.slice(MARK.length, content.indexOf(".", MARK.length))
    : undefined;

/** The content of a mail; null when it was erased. */
export function openContent(content: string, keys: KeysById): string | null {
  const id = keyIdOf(content);
  if (id === undefined) return content;
  const key = keys.get(id);
  return key ? openWith(content.slice(content.indexOf(".", MARK.length) + 1), key) : null;
}
