import { momentIn } from "./names";
import { recordsIn, S3Error, type S3Place, s3Requests } from "./s3-requests";
import type { Store, Stored } from "./store";

const MIB = 2 ** 20;
/** The size of each part, which is held in memory. S3 takes 10,000 parts of 5 MiB or more; these hold 500 GiB. */
const partBytes = (number: number) => (number <= 2_000 ? 8 * MIB : 64 * MIB);

type Part = { number: number; tag: string };

/** Keeps backups as objects in a bucket of S3 or of a store that speaks its protocol. */
export function s3Store(place: S3Place & { prefix: string }): Store {
  const call = s3Requests(place);
  const keyOf = (name: string) => `${place.prefix}${name}`;
  const nameOf = (key: string) =>
    key.startsWith(place.prefix) ? key.slice(place.prefix.length) : "";

  /** The records of a listing in pages, each of which says where the next one begins. */
  const pages = async (
    query: Record<string, string>,
    [root, element]: readonly [root: string, element: string],
    next: (page: Record<string, string>) => Record<string, string>,
  ): Promise<Record<string, string>[]> => {
    const found: Record<string, string>[] = [];
    let from: Record<string, string> = {};
    for (;;) {
      const answer = await call({
        method: "GET",
        query: { ...query, prefix: place.prefix, ...from },
      });
      const xml = await answer.text();
      found.push(...recordsIn(xml, element));
      const [page = {}] = recordsIn(xml, root);
      if (page.IsTruncated !== "true") return found;
      from = next(page);
    }
  };

  const abort = async (key: string, uploadId: string) => {
    await call({ method: "DELETE", key, query: { uploadId } });
  };

  const upload = async (key: string, uploadId: string, source: AsyncIterable<Buffer>) => {
    const parts: Part[] = [];
    let bytes = 0;
    for await (const body of inParts(source)) {
      const number = parts.length + 1;
      const query = { partNumber: String(number), uploadId };
      const { headers } = await call({ method: "PUT", key, query, body });
      parts.push({ number, tag: headers.get("etag") ?? "" });
      bytes += body.length;
    }
    await complete(key, uploadId, parts);
    const { headers } = await call({ method: "HEAD", key });
    if (Number(headers.get("content-length")) !== bytes)
      throw new Error(
        `the store has another size of ${key} than the ${bytes} bytes that were sent`,
      );
    return bytes;
  };

  const complete = async (key: string, uploadId: string, parts: readonly Part[]) => {
    const list = parts.map(
      ({ number, tag }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
    const headers = { "content-type": "application/xml" };
    try {
      const answer = await call({ method: "POST", key, query: { uploadId }, body, headers });
      // A failure after the first bytes of the answer comes with status 200.
      const [error] = recordsIn(await answer.text(), "Error");
      if (error)
        throw new S3Error(500, error.Code ?? "", `the store refuses ${key}: ${error.Code}`);
    } catch (error) {
      // A repeated call after a lost answer finds no upload any more. The object's size decides.
      if (!(error instanceof S3Error && error.code === "NoSuchUpload")) throw error;
    }
  };

  return {
    address: `s3://${place.bucket}/${place.prefix}`,
    write: async (name, source) => {
      const key = keyOf(name);
      const begun = await call({ method: "POST", key, query: { uploads: "" } });
      const [{ UploadId: uploadId = "" } = {}] = recordsIn(
        await begun.text(),
        "InitiateMultipartUploadResult",
      );
      try {
        return await upload(key, uploadId, source);
      } catch (error) {
        await abort(key, uploadId).catch(() => undefined);
        throw error;
      }
    },
    list: async () => {
      const found = await pages(
        { "list-type": "2" },
        ["ListBucketResult", "Contents"],
        ({ NextContinuationToken = "" }) => ({ "continuation-token": NextContinuationToken }),
      );
      return found
        .map(({ Key = "", Size }): Stored => ({ name: nameOf(Key), bytes: Number(Size) }))
        .filter(({ name }) => momentIn(name) !== undefined)
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    },
    read: async function* (name) {
      const { body } = await call({ method: "GET", key: keyOf(name) });
      if (!body) throw new Error(`the store has nothing in ${name}`);
      for await (const part of body) yield Buffer.from(part);
    },
    remove: async (name) => {
      await call({ method: "DELETE", key: keyOf(name) });
    },
    sweep: async (isOwn) => {
      const found = await pages(
        { uploads: "" },
        ["ListMultipartUploadsResult", "Upload"],
        ({ NextKeyMarker = "", NextUploadIdMarker = "" }) => ({
          "key-marker": NextKeyMarker,
          "upload-id-marker": NextUploadIdMarker,
        }),
      );
      for (const { Key = "", UploadId = "" } of found)
        if (isOwn(nameOf(Key))) await abort(Key, UploadId);
    },
  };
}

const xmlText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The bytes of a source in parts, of which one is held at a time. */
async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 1;
  let part = Buffer.allocUnsafe(partBytes(number));
  let filled = 0;
  for await (const data of source) {
    for (let from = 0; from < data.length; ) {
      const copied = data.copy(part, filled, from);
      from += copied;
      filled += copied;
      if (filled < part.length) continue;
      yield part;
      // A request that is repeated may still hold the part before.
      part = Buffer.allocUnsafe(partBytes(++number));
      filled = 0;
    }
  }
  if (filled > 0 || number === 1) yield part.subarray(0, filled);
}
