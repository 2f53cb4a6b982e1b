import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { SaxesParser } from "saxes";

export type S3Place = {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};
type Call = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Within the bucket; empty for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  body?: Buffer;
  headers?: Record<string, string>;
};

const LIMIT_MS = 120_000;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;

/** A response of the store with an error status. */
export class S3Error extends Error {
  override name = "S3Error";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Calls a bucket with signed requests. A call that got no answer, or an error of the server, is repeated a few times. */
export function s3Requests(place: S3Place): (call: Call) => Promise<Response> {
  const signer = new AwsClient({ ...place, service: "s3" });
  const base = `${place.endpoint}/${place.bucket}`;
  return async ({ method, key = "", query = {}, body, headers = {} }) => {
    const url = new URL(key === "" ? base : `${base}/${key.split("/").map(encode).join("/")}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // The signature covers this sum, so the store refuses a body that was changed on its way.
    const sum = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    for (let tries = 1; ; tries++) {
      try {
        const signed = await signer.sign(url, {
          method,
          headers: { ...headers, "x-amz-content-sha256": sum },
          ...(body
            ? { body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.length) }
            : {}),
        });
        const answer = await answered(signed);
        if (answer.ok) return answer;
        throw await refusal(answer, `${method} ${url.pathname}`);
      } catch (error) {
        const isFinal = error instanceof S3Error && error.status < 500 && error.status !== 429;
        if (isFinal || tries === TRIES) throw named(error, place.endpoint);
        await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
      }
    }
  };
}

/** The limit covers the time until the headers arrive. The body of a large backup may take longer. */
async function answered(request: Request): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("no answer in time")), LIMIT_MS);
  try {
    return await fetch(request, { signal: limit.signal });
  } finally {
    clearTimeout(timer);
  }
}

const encode = (part: string) =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

async function refusal(answer: Response, call: string): Promise<S3Error> {
  const text = await answer.text().catch(() => "");
  const [error = {}] = text.includes("<Error>") ? recordsIn(text, "Error") : [];
  const code = error.Code ?? String(answer.status);
  return new S3Error(
    answer.status,
    code,
    `the store answers ${call} with ${answer.status} ${code}${error.Message ? `: ${error.Message}` : ""}`,
  );
}

/** `fetch` says "fetch failed" alone. */
function named(error: unknown, endpoint: string): Error {
  if (error instanceof S3Error) return error;
  const cause = (error as Error).cause;
  const reason =
    cause instanceof Error
      ? cause.message || String((cause as { code?: string }).code)
      : (error as Error).message;
  return new Error(`${endpoint} does not answer: ${reason}`);
}

/** Every element of this name in a document, as the texts of its children by name. Throws where it is no XML. */
export function recordsIn(xml: string, element: string): Record<string, string>[] {
  const records: Record<string, string>[] = [];
  const path: string[] = [];
  let record: Record<string, string> | undefined;
  let text = "";
  const parser = new SaxesParser({ position: false, xmlns: false });
  parser.on("doctype", () => {
    throw new Error("the store answers with a document type");
  });
  parser.on("opentag", ({ name }) => {
    path.push(name);
    text = "";
    if (name === element) record = {};
  });
  parser.on("text", (part) => (text += part));
  parser.on("closetag", ({ name }) => {
    path.pop();
    if (name === element && record) {
      records.push(record);
      record = undefined;
    } else if (record && path.at(-1) === element) record[name] = text;
    text = "";
  });
  parser.write(xml).close();
  return records;
}
