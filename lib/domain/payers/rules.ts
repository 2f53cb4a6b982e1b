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

/** A payer's key with the address, in lower case. */
type Payer = PayerKey & { address: string };
/** `id.content`, or `id content word …` with words that stay readable. Versions that do not know the second form read it as erased. */
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

/** A record's payer. */
export function payerOf(data: Fields, keys: KeysByAddress): Payer | undefined {
  if (typeof data.email !== "string") return undefined;
  const address = normalAddress(data.email);
  const key = keys.get(address);
  return key && { ...key, address };
}

const MAYBE_ADDRESS = /@|%40/;
// Where an address ends is as `address_pattern` of the database has it.
const GOES_ON_BEFORE = /[\p{L}\p{N}._+%-]$/u;
const GOES_ON_AFTER = /^(?:[\p{L}\p{N}-]|\.[\p{L}\p{N}])/u;

/** Whether a word names another address than this one. An expression made for each address would take most of the time of a bulk call. */
function namesOther(word: string, address: string): boolean {
  if (!MAYBE_ADDRESS.test(word)) return false;
  const text = decoded(word).toLowerCase();
  let seen = 0;
  for (let at = text.indexOf(address); at !== -1; ) {
    const end = at + address.length;
    const isOwn =
      !GOES_ON_BEFORE.test(text.slice(Math.max(0, at - 2), at)) &&
      !GOES_ON_AFTER.test(text.slice(end, end + 3));
    if (isOwn && text.slice(seen, at).includes("@")) return true;
    if (isOwn) seen = end;
    at = text.indexOf(address, isOwn ? end : at + 1);
  }
  return text.slice(seen).includes("@");
}

/** Words that name others stay readable: their erasure redacts them, and this payer's makes the rest unreadable. */
function sealedBy({ id, key, address }: Payer, value: unknown): Sealed {
  const pieces = typeof value === "string" ? value.split(/(\s+)/) : [];
  const others = pieces.filter((piece) => namesOther(piece, address));
  if (others.length === 0) return { sealed: `${id}.${sealWith(JSON.stringify(value), key)}` };
  const own = pieces.map((piece) => (namesOther(piece, address) ? null : piece));
  return { sealed: [id, sealWith(JSON.stringify(own), key), ...others].join(" ") };
}

function partsOf({ sealed }: Sealed): { id: string; content: string; others: string[] } {
  const [id = "", content, ...others] = sealed.split(" ");
  if (content !== undefined) return { id, content, others };
  const end = sealed.indexOf(".");
  return { id: sealed.slice(0, end), content: sealed.slice(end + 1), others };
}

/** The data with its personal fields sealed, and every text that holds a payer's address. A nested record is sealed for its own payer. */
export function sealFields<T extends Fields>(data: T, keys: KeysByAddress, of?: Payer): T {
  if (keys.size === 0) return data;
  const payer = payerOf(data, keys) ?? of;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      payer && OWN_PERSONAL.has(name) && typeof value === "string"
        ? sealedBy(payer, value)
        : sealValue(name, value, keys, payer),
    ]),
  ) as T;
}

/** A record inside another one: it is the payer's own where it names an address. */
const sealNested = (data: Fields, keys: KeysByAddress, of: Payer | undefined): Fields => {
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
  payer: Payer | undefined,
): unknown {
  if (value === null || value === undefined) return value;
  if (payer && PERSONAL.has(name)) return sealedBy(payer, value);
  if (Array.isArray(value)) return value.map((one) => sealValue("", one, keys, payer));
  if (isFields(value)) return sealNested(value, keys, payer);
  if (typeof value !== "string" || !MAYBE_ADDRESS.test(value)) return value;
  const texts = [value, decoded(value)].map((text) => text.toLowerCase());
  for (const [address, key] of keys)
    if (texts.some((text) => text.includes(address))) return sealedBy({ ...key, address }, value);
  return value;
}

/** The ids of the keys that sealed something in this data. */
export function keyIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keyIdsIn);
  if (isSealed(value)) return [partsOf(value).id];
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
  const { id, content, others } = partsOf(value);
  const key = keys.get(id);
  if (!key) return erasedValue(name);
  const opened = JSON.parse(openWith(content, key)) as unknown;
  if (others.length === 0) return opened;
  return (opened as (string | null)[]).map((piece) => piece ?? others.shift()).join("");
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
