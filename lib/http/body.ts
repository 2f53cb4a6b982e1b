import type { Endpoint } from "@/lib/contract/endpoint";
import { sizeOf } from "@/lib/contract/failures";
import { numbersKeptAsText } from "@/lib/contract/fields";
import { malformed, Problem } from "@/lib/kernel/problem";

const maxBytes = 64 * 1024;
const maxDepth = 16;

const tooLarge = (limit: number) =>
  new Problem(413, "payload_too_large", `The request body is larger than ${sizeOf(limit)}.`, {
    headers: { connection: "close" },
  });

/** The raw body, counted while it streams in. Throws 413, and 415 for any Content-Encoding. */
export async function readBytes(request: Request, limit = maxBytes): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding.toLowerCase() !== "identity")
    throw new Problem(415, "unsupported_media_type", "Content-Encoding is not supported.");
  const length = request.headers.get("content-length");
  // A declared length is enforced by the HTTP parser, so the short way is safe.
  if (length !== null) {
    if (Number(length) > limit) throw tooLarge(limit);
    return new Uint8Array(await arrived(() => request.arrayBuffer()));
  }
  return arrived(() => counted((request.body ?? []) as AsyncIterable<Uint8Array>, limit));
}

async function counted(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A client that goes away in the middle of its body is neither our fault nor the database's, whatever its socket says. */
async function arrived<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof Problem ? error : malformed("The request body did not arrive whole.");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const unsupported = () =>
  new Problem(415, "unsupported_media_type", "The Content-Type header must be application/json.");

export const invalidText = () =>
  malformed("The request body holds a string that is not valid text.");

/** The media type a request names for its body, in lower case and without parameters. */
export const mediaType = (request: Request): string | undefined =>
  request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();

/** The body as text in strict UTF-8. Throws 400, 413 and 415. */
export async function readText(request: Request, limit = maxBytes): Promise<string> {
  const bytes = await readBytes(request, limit);
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The request body is not valid UTF-8.");
  }
}

/** The body as one JSON object and its text. Throws 400, 413 and 415. */
export async function readJson(
  request: Request,
): Promise<{ text: string; value: Record<string, unknown> }> {
  if (mediaType(request) !== "application/json") throw unsupported();
  const text = await readText(request);
  return { text, value: parseObject(text) };
}

/** The body of a declared endpoint: JSON, or CSV where it takes that and `parse` reads it. `seen` gets the text before it is parsed. Throws 400, 413, 415, 422. */
export async function readBody(
  endpoint: Endpoint,
  request: Request,
  seen: (text: string) => void,
  parse: (text: string, csv: boolean) => unknown = (body) => parseObject(body),
): Promise<{ text: string; value: unknown }> {
  const type = mediaType(request);
  const csv = endpoint.takesCsv === true && type === "text/csv";
  const typed = type === "application/json" || csv;
  if (!typed && !endpoint.mayBeEmpty) throw unsupported();
  const text = await readText(request, endpoint.maxBytes);
  seen(text);
  if (endpoint.mayBeEmpty && text === "") return { text, value: {} };
  if (!typed) throw unsupported();
  return { text, value: await parse(text, csv) };
}

/**
 * One JSON object, strictly: no repeated keys, at most 16 deep, no NUL and no lone surrogate in a string. Throws 400. In one more field,
 * `asText`, numbers are kept as the text that was sent.
 */
export function parseObject(text: string, asText?: string): Record<string, unknown> {
  // Depth first: it bounds the recursion of everything that follows.
  const members = scan(text);
  let value: unknown;
  try {
    const read = (key: string, one: unknown, context?: { source?: string }) =>
      key === asText && typeof one === "number" ? context?.source : asSent(key, one, context);
    value =
      asText !== undefined || needsSource.test(text) ? JSON.parse(text, read) : JSON.parse(text);
  } catch {
    throw malformed("The request body is not valid JSON.");
  }
  // PHP encodes an empty object as an empty array.
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed("The request body must be a JSON object.");
  if (countMembers(value) !== members) throw malformed("The request body repeats a key.");
  // Raw ones cannot pass strict UTF-8 and JSON.parse, so only escapes can make them.
  if (text.includes("\\u")) assertCleanStrings(value);
  return value as Record<string, unknown>;
}

// Fast path: most bodies have no number in a text field (its name may contain escapes), and no fraction or exponent.
const needsSource = new RegExp(
  `(?:"(?:${numbersKeptAsText.join("|")})|\\\\u[^"\\\\]*)"\\s*:\\s*[-\\d]|[:,[]\\s*-?\\d+[.eE]`,
);

/**
 * For JSON.parse: reads numbers by their text, because a double cannot always hold it. In a text field the digits are kept as they were
 * sent. A fraction that a double rounds to an integer becomes NaN, which no schema accepts.
 */
function asSent(key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (numbersKeptAsText.includes(key)) return context.source;
  return Number.isInteger(value) && !isIntegerText(context.source) ? Number.NaN : value;
}

/** Whether a JSON number denotes an integer: `500.0` and `5e2` do, `499.99999999999999999` and `1e-400` do not. */
function isIntegerText(source: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = whole + fraction;
  // An expression such as `0+$` would be tried at every zero of a long number.
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end === 0 || Number(exponent) - fraction.length + (digits.length - end) >= 0;
}

/** Counts the colons outside strings, one a member, and watches the depth. */
function scan(text: string): number {
  let members = 0;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 58) members++;
    else if (code === 123 || code === 91) {
      if (++depth > maxDepth) throw malformed("The request body is nested deeper than 16 levels.");
    } else if (code === 125 || code === 93) depth--;
  }
  return members;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children = Object.values(value);
  let members = Array.isArray(value) ? 0 : children.length;
  for (const child of children) members += countMembers(child);
  return members;
}

function assertCleanStrings(value: unknown): void {
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) throw invalidText();
  } else if (typeof value === "object" && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      assertCleanStrings(key);
      assertCleanStrings(child);
    }
  }
}
