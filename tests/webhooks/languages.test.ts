import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";
import { verifySnippets } from "@/lib/contract/webhook-snippets";
import { childEnv } from "@/lib/env";

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-languages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const id = "6740f5d59e3c6f70b2d81a46";
const body = JSON.stringify({
  _id: id,
  type: "payment_link.paid",
  mode: "test",
  data: { title: "ß – 日本 💳" },
});

/** A delivery as Kutip signs it. */
function delivery(secrets: readonly string[], at = new Date()) {
  const signature = secrets.map((one) => new Webhook(one).sign(id, at, body)).join(" ");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": signature,
  };
}
type Headers = ReturnType<typeof delivery>;
type Verify = (headers: Headers, body: string) => Promise<boolean>;
/** A snippet that runs, at a port where it is a server. */
type Started = Verify & { stop: () => void; port?: number };

const old = new Date(Date.now() - 10 * 60_000);
const cases: [string, Headers, string, boolean][] = [
  ["a genuine one", delivery([secret]), body, true],
  ["one of a rotation, with two signatures", delivery([other, secret]), body, true],
  ["a changed body", delivery([secret]), body.replace("paid", "void"), false],
  ["an old timestamp", delivery([secret], old), body, false],
  ["a wrong secret", delivery([other]), body, false],
  ["no signature", { ...delivery([secret]), "webhook-signature": "" }, body, false],
];

const genuine = delivery([secret]);
/** A delivery as anyone can sign it, with an empty key. */
const forged: Headers = {
  ...genuine,
  "webhook-signature": `v1,${createHmac("sha256", "")
    .update(`${id}.${genuine["webhook-timestamp"]}.${body}`)
    .digest("base64")}`,
};
const settings: [string, string | undefined][] = [
  ["no secret", undefined],
  ["an empty secret", ""],
  ["a secret without a key", "whsec_"],
];

type Given = string | undefined;
const envOf = (given: Given) => childEnv({ WEBHOOK_SECRET: given });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const file = (name: string, text: string): string => {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
};

/** Runs a snippet that is a server, at another port than the 8080 that it names. Without a secret it may end, or fail each call. */
async function served(
  given: Given,
  program: string,
  words: readonly string[],
  port: number,
): Promise<Started> {
  const child = spawn(program, words, { env: envOf(given), stdio: "ignore" });
  const refusals = given === secret ? [400] : [400, 500];
  const send: Verify = async (headers, text) => {
    if (child.exitCode !== null) return false;
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers,
      body: text,
    });
    await response.body?.cancel();
    if (response.status !== 204 && !refusals.includes(response.status))
      throw new Error(String(response.status));
    return response.status === 204;
  };
  await expect
    .poll(() => send(genuine, body).catch(() => null), { timeout: 60_000 })
    .not.toBeNull();
  return Object.assign(send, { stop: () => void child.kill(), port });
}

const atPort = (text: string, port: number) => {
  expect(text.split("8080")).toHaveLength(2);
  return text.replace("8080", String(port));
};

/** Sends the start of a body and hangs up; returns once the server has hung up too. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.on("error", () => undefined).resume();
  socket.end("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{ab");
  await closed;
}

const starts: Record<keyof typeof verifySnippets, (given: Given) => Promise<Started>> = {
  node: async (given) => {
    const port = await freePort();
    const program = file("hook.mjs", atPort(verifySnippets.node, port));
    return served(given, process.execPath, [program], port);
  },
  php: async (given) => {
    const port = await freePort();
    const program = file("hook.php", verifySnippets.php);
    // An error that PHP shows is a 200, unless the program has set another status.
    const words = ["-d", "display_errors=1", "-S", `127.0.0.1:${port}`, program];
    return served(given, "php", words, port);
  },
  python: async (given) => {
    const read =
      "\nimport sys\nprint(read_webhook(json.loads(sys.argv[1]), sys.stdin.buffer.read())['_id'])\n";
    const program = file("hook.py", verifySnippets.python + read);
    const refusal =
      given === secret ? "ValueError: not a genuine webhook" : "WEBHOOK_SECRET is not set";
    const verify: Verify = async (headers, input) => {
      const { status, stdout, stderr } = spawnSync("python3", [program, JSON.stringify(headers)], {
        env: envOf(given),
        input,
        encoding: "utf8",
      });
      if (status !== 0 && !stderr.includes(refusal)) throw new Error(stderr);
      return status === 0 && stdout.trim() === id;
    };
    return Object.assign(verify, { stop: () => undefined });
  },
  go: async (given) => {
    const port = await freePort();
    const source = file("hook.go", atPort(verifySnippets.go, port));
    const program = path.join(folder, "hook");
    const built = spawnSync("go", ["build", "-o", program, source], {
      env: childEnv({ GOCACHE: path.join(folder, "cache"), HOME: folder }),
      encoding: "utf8",
    });
    if (built.status !== 0) throw new Error(built.stderr);
    return served(given, program, [], port);
  },
};

describe.each(Object.keys(starts) as (keyof typeof starts)[])("the %s snippet", (language) => {
  test("takes genuine webhooks and refuses all others", { timeout: 300_000 }, async () => {
    const verify = await starts[language](secret);
    try {
      const found = [];
      for (const [name, headers, text] of cases) found.push([name, await verify(headers, text)]);
      expect(found).toEqual(cases.map(([name, , , expected]) => [name, expected]));
    } finally {
      verify.stop();
    }
  });
  test.skipIf(language === "python")(
    "takes webhooks after a sender that broke off in the middle of a body",
    { timeout: 300_000 },
    async () => {
      const verify = await starts[language](secret);
      try {
        await breakOff(verify.port ?? 0);
        expect(await verify(genuine, body)).toBe(true);
      } finally {
        verify.stop();
      }
    },
  );
  test.each(settings)(
    "takes nothing where it is given %s",
    { timeout: 300_000 },
    async (_, given) => {
      const verify = await starts[language](given);
      try {
        expect(await verify(forged, body)).toBe(false);
      } finally {
        verify.stop();
      }
    },
  );
});
