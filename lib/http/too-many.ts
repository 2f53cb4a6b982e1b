import type { Problem } from "@/lib/kernel/problem";
import { plainHeaders } from "./respond";

/** A 429 as a page of one sentence. It is made without React and costs next to nothing: its reader asks too often. */
export function tooManyPage({ options }: Problem): Response {
  const seconds = Number(options.headers?.["retry-after"] ?? 60);
  const sentence = `There were too many requests. Please wait ${seconds === 1 ? "1 second" : `${seconds} seconds`} and load this page again. If you have just paid, do not pay again.`;
  return new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Too many requests</title></head><body><p>${sentence}</p></body></html>`,
    {
      status: 429,
      headers: {
        ...plainHeaders,
        ...options.headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
      },
    },
  );
}
