import { lookup as systemLookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import { assertNoTransaction } from "@/db/client";
import { webhookLimits } from "@/lib/contract/values";
import { isoOf } from "@/lib/kernel/clock";
import { isPublic, objection } from "@/lib/kernel/public-address";
import { readable, reasonOf, verdictOn } from "./answer";
import { lookupAt } from "./lookup";

/** What became of one attempt. `error` is null exactly when it was a success. */
export type Answer = {
  status: number | null;
  error: string | null;
  response: string | null;
  ms: number;
  startedAt: string;
};

export type Sender = {
  post: (url: string, headers: Record<string, string>, body: string) => Promise<Answer>;
  close: () => void;
};
type Options = { allowPrivate: boolean; lookup?: LookupFunction; deadlineMs?: number; ca?: string };

/** A look-up that fails when one of the addresses is not public, and else gives exactly those it has checked. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (host, options, callback) =>
    lookup(host, options, (error, found, family) => {
      const addresses =
        typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const refused = error === null && !addresses.every(isPublic);
      callback(
        refused ? Object.assign(new Error("not a public address"), { code: "EPRIVATE" }) : error,
        found,
        family,
      );
    });
}

/**
 * Sends webhooks over connections of its own that are kept for a while. A name is looked up for each connection, every address it has is
 * checked, and one of those that were checked is dialled. Redirects are not followed; of an answer 16 KiB are read, within 15 seconds in all.
 */
export function createSender({
  allowPrivate,
  lookup = allowPrivate ? systemLookup : lookupAt(),
  deadlineMs = webhookLimits.seconds * 1_000,
  ca,
}: Options): Sender {
  const shared = {
    keepAlive: true,
    maxFreeSockets: 4,
    timeout: 5_000,
    allowPrivateIPAddress: allowPrivate,
    lookup: allowPrivate ? lookup : publicOnly(lookup),
  };
  const agents = {
    "http:": new RequestFilteringHttpAgent(shared),
    "https:": new RequestFilteringHttpsAgent({ ...shared, ...(ca ? { ca } : {}) }),
  };

  const once = (
    address: URL,
    headers: Record<string, string>,
    body: Buffer,
    left: number,
    startedAt: string,
  ) =>
    new Promise<Answer & { again: boolean }>((resolve) => {
      const began = performance.now();
      const secure = address.protocol === "https:";
      const request = (secure ? https : http).request(address, {
        method: "POST",
        headers,
        agent: secure ? agents["https:"] : agents["http:"],
      });
      const parts: Buffer[] = [];
      let size = 0;
      let status: number | null = null;
      let over = false;
      const finish = (error: string | null, again = false) => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        request.destroy();
        resolve({
          status,
          error,
          response: readable(Buffer.concat(parts).subarray(0, webhookLimits.answerBytes)),
          ms: Math.round(performance.now() - began),
          startedAt,
          again,
        });
      };
      // With the status in hand the endpoint has spoken; what of its answer is cut off changes nothing.
      const judged = (error: string) => (status === null ? error : verdictOn(status));
      const timer = setTimeout(
        () => finish(judged(`No answer within ${webhookLimits.seconds} seconds.`)),
        Math.max(0, left),
      );
      request.on("error", (error: NodeJS.ErrnoException) => {
        const stale =
          request.reusedSocket &&
          status === null &&
          (error.code === "ECONNRESET" || error.code === "EPIPE");
        finish(judged(reasonOf(error)), stale);
      });
      request.on("response", (response) => {
        const code = response.statusCode ?? 0;
        status = code;
        response.on("data", (part: Buffer) => {
          parts.push(part);
          size += part.length;
          if (size >= webhookLimits.answerBytes) finish(verdictOn(code));
        });
        response.on("end", () => {
          if (over) return;
          over = true;
          clearTimeout(timer);
          resolve({
            status: code,
            error: verdictOn(code),
            response: readable(Buffer.concat(parts)),
            ms: Math.round(performance.now() - began),
            startedAt,
            again: false,
          });
        });
        response.on("close", () => finish(verdictOn(code)));
        response.on("error", () => finish(verdictOn(code)));
      });
      request.end(body);
    });

  return {
    post: async (url, headers, text) => {
      assertNoTransaction("a webhook");
      const startedAt = isoOf(new Date());
      const began = performance.now();
      const address = new URL(url);
      const refused = objection(address, allowPrivate);
      if (refused) return { status: null, error: refused, response: null, ms: 0, startedAt };
      const body = Buffer.from(text);
      const all = {
        ...headers,
        "content-type": "application/json",
        "content-length": String(body.length),
        "user-agent": "Kutip-Webhooks/1",
      };
      const first = await once(address, all, body, deadlineMs, startedAt);
      // A kept connection that the other side had closed meanwhile: that is no attempt yet.
      const last = first.again
        ? await once(address, all, body, deadlineMs - (performance.now() - began), startedAt)
        : first;
      return {
        status: last.status,
        error: last.error,
        response: last.response,
        ms: Math.round(performance.now() - began),
        startedAt,
      };
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
