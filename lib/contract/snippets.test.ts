import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "@/lib/contract/programs";
import { exampleBody, exampleParams } from "@/lib/contract/examples";
import { createPaymentLink, getPaymentLink, listPaymentLinks } from "@/lib/contract/payment-links";
import { hashSnippets, returnParameters } from "@/lib/contract/return-address";
import { languages, snippet } from "@/lib/contract/snippets";
import { childEnv } from "@/lib/env";

const run = promisify(execFile);
type Heard = { method: string; url: string; authorization: string; type: string; body: string };

/** Responds to everything and keeps the last request. */
let heard: Heard | undefined;
const ear = createServer((request: IncomingMessage, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    heard = {
      method,
      url,
      authorization: headers.authorization ?? "",
      type: headers["content-type"] ?? "",
      body: Buffer.concat(chunks).toString(),
    };
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => ear.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(ear.address() as AddressInfo).port}`;
});
afterAll(() => ear.close());

const env = childEnv({ API_KEY: "sk_test_from_the_environment" });
const programs = {
  curl: (text: string) => run("sh", ["-c", text], { env }),
  node: (text: string) => run(process.execPath, ["--input-type=module", "-e", text], { env }),
};
const hostile = {
  title: `It's "50%" $HOME \`id\` \\n \\ é 😀`,
  nested: { list: [1, true, null, "x"], empty: {} },
};

describe.each(["curl", "node"] as const)("a %s snippet", (language) => {
  test("sends the method, the address, the key and the body exactly", async () => {
    await programs[language](snippet(createPaymentLink, language, { baseUrl, body: hostile }));
    expect(heard).toMatchObject({
      method: "POST",
      url: "/api/payment-links",
      authorization: "Bearer sk_test_from_the_environment",
      type: "application/json",
    });
    expect(JSON.parse(heard?.body ?? "")).toEqual(hostile);
  });
  test("puts parameters and query into the address", async () => {
    await programs[language](
      snippet(getPaymentLink, language, {
        baseUrl,
        apiKey: "sk_test_given",
        params: { payment_link_id: "a/b'c" },
      }),
    );
    expect(heard).toMatchObject({
      method: "GET",
      url: "/api/payment-links/a%2Fb'c",
      authorization: "Bearer sk_test_given",
      body: "",
    });
    await programs[language](
      snippet(listPaymentLinks, language, { baseUrl, query: { status: "Active", q: "a&b" } }),
    );
    expect(heard?.url).toBe("/api/payment-links?status=Active&q=a%26b");
  });
});

describe("snippets", () => {
  test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s: every language names the address and keeps the key out",
    (_, endpoint) => {
      for (const { id } of languages) {
        const text = snippet(endpoint, id, {
          baseUrl: "https://pay.example",
          params: exampleParams(endpoint),
          body: exampleBody(endpoint),
        });
        expect(text).toContain("https://pay.example/api/");
        expect(text).not.toMatch(/sk_(test|live)_|\{\w+\}\/|undefined/);
        expect(text).toContain("API_KEY");
      }
    },
  );
});

describe("the check of a return address", () => {
  const values: Record<string, string> = {
    payment_link_id: "6740f1c09a3be27d51c8e4f0",
    payment_id: "6740f5d49e3c6f70b2d81a45",
    payment_status: "1",
    payment_amount: "12550",
    payment_currency: "MYR",
    payment_link_reference: "INV 10+42 & é",
    payment_link_reference_2: "",
    payment_time: "2026-11-20T13:41:05.902177Z",
    payment_message: "Paid",
    attempt_id: "6740f5d49e3c6f70b2d81a45",
  };
  const text = returnParameters.map(({ name }) => `${name}=${values[name]}`).join("\n");
  const address = (hash: string) =>
    `https://shop.example/thanks?${new URLSearchParams({ ...values, hash })}`;
  const genuine = createHmac("sha256", "secret").update(text).digest("hex");

  const query = (hash: string) => new URL(address(hash)).search.slice(1);
  const envOf = (secret: string | undefined) => childEnv({ SIGNING_SECRET: secret });
  const checks = {
    node: async (asked: string, secret?: string) => {
      const program = `${hashSnippets.node}\nconsole.log(isGenuine(${JSON.stringify(`https://shop.example/thanks?${asked}`)}));`;
      const args = ["--input-type=module", "-e", program];
      return (await run(process.execPath, args, { env: envOf(secret) })).stdout;
    },
    php: async (asked: string, secret?: string) => {
      const program = hashSnippets.php.replace("<?php", `parse_str(getenv('ASKED'), $_GET);`);
      const env = { ...envOf(secret), ASKED: asked };
      return (await run("php", ["-r", program], { env })).stdout;
    },
    python: async (asked: string, secret?: string) => {
      const program = `${hashSnippets.python}\nprint(is_genuine(${JSON.stringify(`https://shop.example/thanks?${asked}`)}))`;
      return (await run("python3", ["-c", program], { env: envOf(secret) })).stdout;
    },
  };

  // Each starts a program, which is slow on a busy machine.
  describe.each(["node", "php", "python"] as const)("in %s", { timeout: 60_000 }, (language) => {
    test.each([
      ["a genuine one", query(genuine), "true"],
      [
        "another hash",
        query(genuine.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))),
        "false",
      ],
      ["no hash", query(""), "false"],
      ["a hash with other letters", `${query("")}é`, "false"],
      ["a hash that is a list", query(genuine).replace("hash=", "hash[]="), "false"],
      ["a value that is a list", query(genuine).replace("payment_id=", "payment_id[]="), "false"],
    ])("%s", async (_, asked, expected) => {
      expect((await checks[language](asked, "secret")).toLowerCase()).toContain(expected);
    });

    test.each([
      ["no secret", undefined],
      ["an empty secret", ""],
    ])("%s fails: anyone can sign with an empty key", async (_, secret) => {
      const forged = createHmac("sha256", "").update(text).digest("hex");
      await expect(checks[language](query(forged), secret)).rejects.toThrow("Command failed");
    });
  });
});
