import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { expectInvalid, expectMalformed, inFields, post, valid } from "./input-setting";

afterAll(closePool);

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;

describe("a body is one JSON object", () => {
  test.each([
    ["nothing", ""],
    ["an array", "[{}]"],
    ["an array of nothing", "[[]]"],
    ["a string", '"x"'],
    ["a number", "1"],
    ["null", "null"],
    ["two objects", "{}{}"],
    ["a trailing comma", '{"a":1,}'],
    ["a comment", "{/**/}"],
    ["single quotes", "{'a':1}"],
    ["NaN", '{"a":NaN}'],
    ["a leading zero", '{"a":01}'],
    ["an open end", '{"a":1'],
    ["a repeated key", '{"a":1,"a":2}'],
    ["a key repeated by an escape", '{"a":1,"\\u0061":2}'],
    ["a key repeated deeper down", '{"x":[{"b":1,"b":2}]}'],
    ["a repeated __proto__", '{"__proto__":1,"__proto__":2}'],
    ["17 levels", nested(17)],
    ["17 levels of arrays", `{"a":${"[".repeat(16)}${"]".repeat(16)}}`],
    ["100,000 open brackets", "[".repeat(60_000)],
    ["a byte order mark", "\ufeff{}"],
    ["a NUL as it is", '{"a":"\0"}'],
    ["an escaped NUL", '{"a":"\\u0000"}'],
    ["an escaped NUL in a key", '{"\\u0000":1}'],
    ["a lone surrogate", '{"a":"\\ud800"}'],
    ["a lone surrogate in a key", '{"\\udc00":1}'],
    ["surrogates the wrong way round", '{"a":"\\udc00\\ud800"}'],
    ["a line end in a string", '{"a":"\n"}'],
  ])("%s is 400", async (_, raw) => expectMalformed(await post(raw)));

  test.each([
    ["a byte that is never UTF-8", [0xff]],
    ["an overlong NUL", [0xc0, 0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a cut-off sequence", [0xe2, 0x82]],
    ["a code point beyond the last", [0xf4, 0x90, 0x80, 0x80]],
  ])("%s is 400", async (_, bytes) =>
    expectMalformed(
      await post(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])),
    ),
  );

  test.each([
    ["16 levels", inFields(`"a":${nested(15)}`)],
    ["the same key in two objects", inFields('"a":{"b":1},"c":{"b":1}')],
    ["colons, braces and quotes in strings", inFields('"a":":{}[]\\"\\\\","b:":"\\\\"')],
    ["a surrogate pair", inFields('"a":"\\ud83d\\ude00"')],
    ["blanks around everything", `\r\n\t ${inFields('"a" : [ 1 , { "b" : 2 } ]')} \n`],
  ])("%s is fine", async (_, raw) => expect((await post(raw)).status).toBe(200));

  test("__proto__ and constructor are fields like any unknown one", async () => {
    expect(
      (
        await post(
          inFields(
            '"__proto__":{"polluted":true,"paid":true},"constructor":{"prototype":{"polluted":true}}',
          ),
        )
      ).status,
    ).toBe(200);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expectInvalid(
      await post(
        '{"__proto__":{"email":"ana@example.com"},"currency":"MYR","amount":500,"title":"Invoice"}',
      ),
      { email: ["The email field is required."] },
    );
  });

  test("whatever JSON comes, the answer is 200, 400 or 422", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json({ stringUnit: "binary" }),
          fc
            .jsonValue({ stringUnit: "binary" })
            .map((value) => JSON.stringify({ ...valid, title: value })),
        ),
        async (raw) => {
          expect([200, 400, 422]).toContain((await post(raw)).status);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the body's headers and size", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonx",
    "application/json-patch+json",
    "json",
    "",
  ])("Content-Type %j is 415", async (type) =>
    expectMalformed(
      await post(JSON.stringify(valid), { "content-type": type }),
      415,
      "unsupported_media_type",
    ),
  );
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    " application/json ",
  ])("Content-Type %j is taken", async (type) => {
    expect((await post(JSON.stringify(valid), { "content-type": type })).status).toBe(200);
  });
  test.each(["gzip", "br", "deflate, gzip", "x-unknown"])(
    "Content-Encoding %s is 415",
    async (encoding) => {
      expectMalformed(
        await post(JSON.stringify(valid), { "content-encoding": encoding }),
        415,
        "unsupported_media_type",
      );
    },
  );

  const sized = (bytes: number) =>
    inFields(
      `"filler":"${"ü".repeat(10)}${"x".repeat(bytes - inFields('"filler":""').length - 20)}"`,
    );
  test("64 KiB is taken, one byte more is 413, by length and by counting", async () => {
    expect(Buffer.byteLength(sized(65_536))).toBe(65_536);
    expect((await post(sized(65_536))).status).toBe(200);
    expectMalformed(await post(sized(65_537)), 413, "payload_too_large");
    expectMalformed(await post("{}", { "content-length": "65537" }), 413, "payload_too_large");
  });
  test("an endless body is cut off soon after 64 KiB", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(8_192).fill(32));
      },
    });
    expectMalformed(await post(endless), 413, "payload_too_large");
    expect(pulled).toBeLessThan(16);
  });
});
