import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Credentials, signatureFault } from "./signature";

/** S3 refuses a part that is smaller, unless it is the last. */
const MIN_PART_BYTES = 5 * 2 ** 20;

type Upload = { key: string; parts: Map<number, { body: Buffer; tag: string }> };
type Call = {
  method: string;
  key: string;
  query: URLSearchParams;
  body: Buffer;
};
/** What the store does instead of working: an answer of this status, or no answer at all. */
type Fault = { when: (call: Call) => boolean; status: number | "none" };

const quoted = (body: Buffer | string) => `"${createHash("md5").update(body).digest("hex")}"`;
const xml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A store that speaks what backups use of S3's protocol, and checks signatures unless `isStrict` is false. It keeps everything in memory. */
export class S3Peer {
  readonly bucket = "kutip-backups";
  readonly credentials: Credentials = {
    accessKeyId: "AKIAKUTIPDRILL",
    secretAccessKey: randomBytes(20).toString("base64url"),
    region: "eu-central-1",
  };
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  /** The calls that were answered as they asked, such as "PUT part". */
  readonly calls: string[] = [];
  /** The codes of the refusals. */
  readonly refusals: string[] = [];
  isStrict = true;
  pageSize = 2;
  /** Called before a part is kept, which waits for it. */
  onPart: (number: number) => void | Promise<void> = () => undefined;
  #faults: Fault[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings with which an install keeps its backups here. */
  settings(prefix = ""): Record<string, string> {
    return {
      BACKUP_TO: `s3://${this.bucket}/${prefix}`,
      BACKUP_S3_ENDPOINT: this.origin,
      BACKUP_S3_REGION: this.credentials.region,
      BACKUP_S3_ACCESS_KEY: this.credentials.accessKeyId,
      BACKUP_S3_SECRET_KEY: this.credentials.secretAccessKey,
    };
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#server.unref();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next call that fits is not worked on. */
  failOnce(status: Fault["status"], when: Fault["when"]): void {
    this.#faults.push({ status, when });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const { method = "", url: target = "/", rawHeaders } = request;
    const body = Buffer.concat(parts);
    const fault = signatureFault(
      { method, target, rawHeaders, body },
      this.credentials,
      new Date(),
    );
    const refuse = (status: number, code: string) => {
      this.refusals.push(code);
      response.writeHead(status, { "content-type": "application/xml" });
      response.end(
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
      );
    };
    if (fault && this.isStrict) return refuse(403, fault);
    const url = new URL(target, "http://store");
    const [, bucket, ...rest] = url.pathname.split("/").map(decodeURIComponent);
    if (bucket !== this.bucket) return refuse(404, "NoSuchBucket");
    const call = { method, key: rest.join("/"), query: url.searchParams, body };
    const failing = this.#faults.findIndex(({ when }) => when(call));
    if (failing >= 0) {
      const [{ status } = { status: 500 as const }] = this.#faults.splice(failing, 1);
      if (status === "none") return void request.socket.destroy();
      return refuse(status, "InternalError");
    }
    const part = method === "PUT" ? call.query.get("partNumber") : null;
    if (part !== null) await this.onPart(Number(part));
    const answer = this.#answer(call);
    if (typeof answer === "string") return refuse(answer === "NoSuchBucket" ? 404 : 400, answer);
    if (answer === undefined)
      return refuse(404, call.query.has("uploadId") ? "NoSuchUpload" : "NoSuchKey");
    response.writeHead(answer.status ?? 200, {
      "content-length": answer.length ?? answer.body?.length ?? 0,
      ...(answer.tag ? { etag: answer.tag } : {}),
    });
    response.end(method === "HEAD" ? undefined : answer.body);
  }

  /** A string is the code of a refusal; undefined says that there is no such key or upload. */
  #answer(
    call: Call,
  ): { status?: number; body?: Buffer; length?: number; tag?: string } | string | undefined {
    const { method, key, query } = call;
    const uploadId = query.get("uploadId");
    const note = (what: string) => this.calls.push(`${method} ${what}`);
    if (key === "" && method === "GET") {
      note(query.has("uploads") ? "uploads" : "list");
      return { body: Buffer.from(query.has("uploads") ? this.#uploads(query) : this.#list(query)) };
    }
    if (method === "POST" && query.has("uploads")) {
      const id = randomBytes(8).toString("hex");
      this.uploads.set(id, { key, parts: new Map() });
      note("upload");
      return {
        body: Buffer.from(
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        ),
      };
    }
    if (uploadId !== null) return this.#ofUpload(call, uploadId, note);
    const found = this.objects.get(key);
    if (method === "DELETE") {
      note("object");
      this.objects.delete(key);
      return { status: 204 };
    }
    if (!found) return undefined;
    note("object");
    return { body: found, length: found.length, tag: quoted(found) };
  }

  #ofUpload({ method, key, query, body }: Call, id: string, note: (what: string) => void) {
    const upload = this.uploads.get(id);
    if (upload?.key !== key) return undefined;
    if (method === "DELETE") {
      note("upload");
      this.uploads.delete(id);
      return { status: 204 };
    }
    if (method === "PUT") {
      const number = Number(query.get("partNumber"));
      if (!(number >= 1 && number <= 10_000)) return "InvalidArgument";
      note("part");
      const tag = quoted(body);
      upload.parts.set(number, { body, tag });
      return { tag };
    }
    const named = [
      ...body
        .toString("utf8")
        .matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g),
    ].map(([, number, tag = ""]) => ({
      number: Number(number),
      tag: tag.replaceAll("&quot;", '"'),
    }));
    const chosen = named.map(({ number, tag }) => {
      const part = upload.parts.get(number);
      return part?.tag === tag ? part.body : undefined;
    });
    if (chosen.length === 0 || chosen.includes(undefined)) return "InvalidPart";
    if (named.some(({ number }, at) => number !== at + 1)) return "InvalidPartOrder";
    const bodies = chosen as Buffer[];
    if (bodies.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES)) return "EntityTooSmall";
    note("complete");
    this.objects.set(key, Buffer.concat(bodies));
    this.uploads.delete(id);
    return { body: Buffer.from("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>") };
  }

  #list(query: URLSearchParams): string {
    const after = query.get("continuation-token") ?? "";
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .sort();
    const page = keys.slice(0, this.pageSize);
    const contents = page.map(
      (key) =>
        `<Contents><Key>${xml(key)}</Key><Size>${this.objects.get(key)?.length}</Size><Owner><ID>1</ID></Owner></Contents>`,
    );
    const isMore = keys.length > page.length;
    return `<ListBucketResult><Name>${this.bucket}</Name><IsTruncated>${isMore}</IsTruncated>${
      isMore ? `<NextContinuationToken>${xml(page.at(-1) ?? "")}</NextContinuationToken>` : ""
    }${contents.join("")}</ListBucketResult>`;
  }

  #uploads(query: URLSearchParams): string {
    const after = query.get("upload-id-marker") ?? "";
    const all = [...this.uploads]
      .filter(([id, { key }]) => key.startsWith(query.get("prefix") ?? "") && id > after)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const page = all.slice(0, this.pageSize);
    const isMore = all.length > page.length;
    const [lastId = "", last] = page.at(-1) ?? [];
    return `<ListMultipartUploadsResult><IsTruncated>${isMore}</IsTruncated>${
      isMore
        ? `<NextKeyMarker>${xml(last?.key ?? "")}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`
        : ""
    }${page
      .map(([id, { key }]) => `<Upload><Key>${xml(key)}</Key><UploadId>${id}</UploadId></Upload>`)
      .join("")}</ListMultipartUploadsResult>`;
  }
}
