import { afterEach, expect, test, vi } from "vitest";
import { drawNotices, type Notice } from "./notices";
import { signOut } from "./sign-in";

afterEach(() => vi.unstubAllGlobals());

/** Presses "Sign out" with this answer of the server. Gives where the browser went, and the notices. */
async function pressed(answer: () => Promise<Response>) {
  const went: string[] = [];
  const said: Notice[] = [];
  vi.stubGlobal("window", { location: { replace: (to: string) => went.push(to) } });
  vi.stubGlobal("fetch", answer);
  const release = drawNotices((notice) => said.push(notice));
  await signOut();
  release();
  return { went, said: said.map(({ title }) => title) };
}

const json = (status: number, body: object) => async () => Response.json(body, { status });

test.each([
  ["is ended", json(200, { success: true })],
  ["had ended", json(401, { message: "Unauthenticated.", code: "unauthenticated" })],
])("who signs out of a session that %s is led to signing in", async (_, answer) => {
  expect(await pressed(answer)).toEqual({ went: ["/sign-in"], said: [] });
});

test.each([
  ["the server fails", json(500, { message: "Something went wrong.", code: "internal_error" })],
  ["there are too many requests", json(429, { message: "Too many requests." })],
  ["there is no answer", () => Promise.reject(new TypeError("fetch failed"))],
])("when %s, who signs out stays and is warned", async (_, answer) => {
  expect(await pressed(answer)).toEqual({ went: [], said: ["You are still signed in"] });
});
