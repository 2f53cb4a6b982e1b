import { createHash, createHmac, timingSafeEqual } from "node:crypto";

// Signature version 4 as the store checks it, written from AWS's description, apart from the code that signs.

/** A request as its bytes came: the target of its first line, and its headers in pairs as Node gives them. */
export type RawRequest = {
  method: string;
  target: string;
  rawHeaders: readonly string[];
  body: Buffer;
};
export type Credentials = { accessKeyId: string; secretAccessKey: string; region: string };

const MAX_SKEW_MS = 15 * 60_000;

const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string) =>
  createHmac("sha256", key).update(data).digest();

/** Every byte but the unreserved ones as %XX, of a text that may be encoded already. */
function encoded(text: string, keepSlash: boolean): string {
  const bytes = Buffer.from(decodeURIComponent(text), "utf8");
  return [...bytes]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      if (/[A-Za-z0-9\-._~]/.test(char) || (keepSlash && char === "/")) return char;
      return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const [name = "", value = ""] = pair.split("=", 2);
    return [encoded(name, false), encoded(value, false)] as const;
  });
  const order = ([a, b]: readonly [string, string], [c, d]: readonly [string, string]) =>
    Buffer.compare(Buffer.from(`${a}\0${b}`), Buffer.from(`${c}\0${d}`));
  return pairs
    .sort(order)
    .map((pair) => pair.join("="))
    .join("&");
}

function headersOf({ rawHeaders }: RawRequest): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    const value = (rawHeaders[at + 1] ?? "").trim().replace(/ +/g, " ");
    found.set(name, found.has(name) ? `${found.get(name)},${value}` : value);
  }
  return found;
}

/** What is wrong with a request's signature, as the code that S3 answers with; undefined when it is right. */
export function signatureFault(
  request: RawRequest,
  { accessKeyId, secretAccessKey, region }: Credentials,
  now: Date,
): string | undefined {
  const headers = headersOf(request);
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([a-z\d;-]+), ?Signature=([\da-f]{64})$/.exec(
      headers.get("authorization") ?? "",
    );
  if (!parts) return "AccessDenied";
  const [, id = "", day = "", itsRegion = "", signedNames = "", signature = ""] = parts;
  if (id !== accessKeyId) return "InvalidAccessKeyId";
  if (itsRegion !== region) return "AuthorizationHeaderMalformed";
  const moment = headers.get("x-amz-date") ?? "";
  if (!moment.startsWith(day)) return "AuthorizationHeaderMalformed";
  const iso = moment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  if (!(Math.abs(Date.parse(iso) - now.getTime()) <= MAX_SKEW_MS)) return "RequestTimeTooSkewed";
  const names = signedNames.split(";");
  const needed = [
    "host",
    ...[...headers.keys()].filter((name) => name.startsWith("x-amz-")),
  ].filter((name) => !names.includes(name));
  if (needed.length > 0) return "AccessDenied";
  const sum = headers.get("x-amz-content-sha256") ?? "";
  if (sum !== sha256(request.body)) return "XAmzContentSHA256Mismatch";
  const [path = "", query = ""] = request.target.split(/\?(.*)/s, 2);
  const canonical = [
    request.method,
    encoded(path, true),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${headers.get(name) ?? ""}`),
    "",
    signedNames,
    sum,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", moment, scope, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const right = createHmac("sha256", key).update(toSign).digest();
  return timingSafeEqual(right, Buffer.from(signature, "hex"))
    ? undefined
    : "SignatureDoesNotMatch";
}
