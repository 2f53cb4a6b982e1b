import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { brotliFiles } from "@/lib/http/static-files";
import { compressFolder } from "@/scripts/compress.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-static-"));
const script = "export const text = 'a';\n".repeat(200);
let port = 0;
const server = createServer();
beforeAll(async () => {
  mkdirSync(path.join(folder, "chunks"));
  writeFileSync(path.join(folder, "chunks/a.js"), script);
  writeFileSync(path.join(folder, "chunks/font.woff2"), script);
  await compressFolder(folder);
  server.on(
    "request",
    brotliFiles(folder, (_, response) => response.writeHead(299).end("by Next.js")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** `fetch` would choose the encoding itself. */
const get = (file: string, headers: Record<string, string>, method = "GET") =>
  new Promise<{ answer: IncomingMessage; body: Buffer }>((resolve, reject) =>
    send({ port, path: `/_next/static/${file}`, headers, method }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => resolve({ answer, body: Buffer.concat(parts) }));
    })
      .on("error", reject)
      .end(),
  );

test("a browser that takes Brotli gets the file that the build compressed, to keep for a year", async () => {
  const { answer, body } = await get("chunks/a.js", {
    "accept-encoding": "gzip, deflate, br, zstd",
  });
  expect(answer.statusCode).toBe(200);
  expect(brotliDecompressSync(body).toString()).toBe(script);
  expect(answer.headers).toMatchObject({
    "content-type": "application/javascript; charset=UTF-8",
    "content-encoding": "br",
    "content-length": String(body.length),
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  });
  const head = await get("chunks/a.js", { "accept-encoding": "br;q=0.5" }, "HEAD");
  expect([head.answer.statusCode, head.body.length]).toEqual([200, 0]);
});

test.each([
  ["takes no Brotli", "chunks/a.js", { "accept-encoding": "gzip" }],
  ["refuses Brotli", "chunks/a.js", { "accept-encoding": "gzip, br;q=0" }],
  ["names no encoding", "chunks/a.js", {}],
  ["asks for a range", "chunks/a.js", { "accept-encoding": "br", range: "bytes=0-9" }],
  ["asks whether it changed", "chunks/a.js", { "accept-encoding": "br", "if-none-match": '"a"' }],
  ["asks for a font", "chunks/font.woff2", { "accept-encoding": "br" }],
  ["leaves the folder", "../chunks/a.js", { "accept-encoding": "br" }],
  ["asks for the compressed file", "chunks/a.js.br", { "accept-encoding": "br" }],
])("Next.js serves a browser that %s", async (_, file, headers) => {
  expect((await get(file, headers as Record<string, string>)).answer.statusCode).toBe(299);
});
