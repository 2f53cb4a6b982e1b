import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { log } from "@/lib/kernel/log";
import { takesBrotli } from "./accept-encoding";
import type { Fallback } from "./serve";

const TYPES: Record<string, string> = {
  ".js": "application/javascript; charset=UTF-8",
  ".css": "text/css; charset=UTF-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=UTF-8",
  ".txt": "text/plain; charset=UTF-8",
};

/**
 * Serves the files below `/_next/static/` as the Brotli that the build wrote beside them, from the `static` folder of Next.js. All else
 * goes to `fallback`: other files, ranges, conditions, and browsers that take no Brotli.
 */
export function brotliFiles(folder: string, fallback: Fallback): Fallback {
  const compressed = new Map<string, string>();
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    const file = String(name).split(path.sep).join("/");
    const type = TYPES[path.extname(file.replace(/\.br$/, ""))];
    if (file.endsWith(".br") && type) compressed.set(`/_next/static/${file.slice(0, -3)}`, type);
  }
  return (request, response) => {
    const address = (request.url ?? "").split("?", 1)[0] as string;
    const type = compressed.get(address);
    if (!type || !isServable(request)) return fallback(request, response);
    send(
      path.join(folder, `${address.slice("/_next/static/".length)}.br`),
      type,
      request,
      response,
    );
  };
}

function isServable({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (headers.range || headers["if-none-match"] || headers["if-modified-since"]) return false;
  return takesBrotli(headers["accept-encoding"]?.toString());
}

function send(
  file: string,
  type: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  readFile(file).then(
    (body) => {
      // The name of each file has a hash of its content.
      response.writeHead(200, {
        "content-type": type,
        "content-encoding": "br",
        "content-length": body.length,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      });
      response.end(request.method === "HEAD" ? undefined : body);
    },
    (error: unknown) => {
      log.warn({ err: error }, "a static file cannot be read");
      response.writeHead(404).end();
    },
  );
}
