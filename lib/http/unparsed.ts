import { randomUUID } from "node:crypto";
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { malformed, Problem } from "@/lib/kernel/problem";
import { problemBody } from "./problems";
import { countRequest } from "./request-metrics";
import { jsonHeaders, securityHeaders } from "./respond";

export const unreadable = (): Problem => malformed("The request cannot be read.");

/** Why Node's parser refused a request; undefined for an error of the connection itself. */
function refusalOf({ code = "" }: NodeJS.ErrnoException): Problem | undefined {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Problem(408, "malformed_request", "The request did not arrive in time.");
  if (code === "HPE_HEADER_OVERFLOW")
    return new Problem(431, "malformed_request", "The headers of the request are too large.");
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return new Problem(413, "payload_too_large", "The chunk extensions of the body are too large.");
  return code.startsWith("HPE_") ? unreadable() : undefined;
}

const LINGER_MS = 500;

/**
 * Answers requests that Node's parser refuses. They reach no listener of requests, so the answer is written to the socket. Call the
 * returned function with each response, so that no such answer is written into or before another one.
 */
export function answerUnparsed(server: Server): (response: ServerResponse) => void {
  /** The last response of a socket, and the unfinished one before it. */
  const latest = new WeakMap<Socket, { response: ServerResponse; before?: ServerResponse }>();
  const refused = new WeakSet<Socket>();

  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const problem = refusalOf(error);
    if (!problem) return void socket.destroy(error);
    // The parser refuses each further piece of the same request too.
    if (refused.has(socket)) return;
    refused.add(socket);
    const { response, before } = latest.get(socket) ?? {};
    const underWay = response?.req.complete === false ? response : undefined;
    const answer = () => {
      if (!socket.writable) return;
      // The handler is to learn at once that the rest of the request does not come.
      if (underWay)
        return void socket.end(underWay.headersSent ? "" : textOf(problem), () => socket.destroy());
      // A connection on which nothing was sent ends with a 408 too, and was no request.
      if (socket.bytesRead > 0) countRequest("none", undefined, problem.status, performance.now());
      socket.end(textOf(problem));
      // Bytes that still come are read: closing on unread ones resets the connection, and the answer is lost.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
    const first = underWay ? before : response;
    if (first && !first.writableFinished) first.once("close", answer);
    else answer();
  });

  return (response) => {
    const { socket } = response.req;
    const last = latest.get(socket)?.response;
    latest.set(socket, last && !last.writableFinished ? { response, before: last } : { response });
  };
}

function textOf(problem: Problem): string {
  const body = problemBody(problem);
  const headers: Record<string, string | number> = {
    ...securityHeaders(),
    ...jsonHeaders,
    "x-request-id": randomUUID(),
    "content-length": Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`;
}
