import { afterEach, expect, test, vi } from "vitest";
import { drawNotices, type Notice } from "./notices";
import { keepSent, readSent, type Sent } from "./sent";
import { dropOfEndedSession, signOut } from "./sign-in";
import { readMe } from "./use-me";

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

const sent: Sent = { key: "k1", says: "The charge of ana@example.com", at: Date.now() };

/** Does this with this answer of the server while a request of Ana has no outcome yet. Gives what her page then says. */
async function kept(
  answer: () => Promise<Response>,
  asks: () => Promise<unknown> = dropOfEndedSession,
): Promise<string | undefined> {
  const stored = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => void stored.set(name, text),
      key: (at: number) => [...stored.keys()][at] ?? null,
      get length() {
        return stored.size;
      },
    },
  });
  vi.stubGlobal("fetch", answer);
  keepSent("ana 1001 test POST /a", sent);
  await asks();
  return readSent("ana 1001 test POST /a")?.says;
}

const meOf = (account: string) => json(200, { data: { user: { _id: account } } });

test.each([
  ["goes on", meOf("ana"), sent.says],
  ["has ended", json(401, { message: "Unauthenticated.", code: "unauthenticated" }), "A request"],
  ["may go on", () => Promise.reject(new TypeError("fetch failed")), sent.says],
])(
  "the sign-in page of a browser in which a session %s takes words of requests only once it has ended",
  async (_, answer, says) => {
    expect(await kept(answer)).toBe(says);
  },
);

test.each([
  ["ana", sent.says],
  ["anabel", "A request"],
  ["ben", "A request"],
])(
  "once %s has signed in, by any way, this is left of what Ana sent: %s",
  async (account, says) => {
    expect(await kept(meOf(account), readMe)).toBe(says);
  },
);
