import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { limits } from "@/lib/contract/values";
import { provideEnv } from "@/lib/env";
import { currencyCodes } from "@/lib/kernel/currencies";
import { type Answer, api, newTenant, type Tenant } from "./setting";

let tenant: Tenant;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_KEY: "0" });
  tenant = await newTenant();
});
afterAll(closePool);

const valid = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Invoice" };
const post = (raw: BodyInit, headers: Record<string, string> = {}) =>
  api("POST", "/payment-links", { key: tenant.keys.test, raw, headers });
const create = (fields: Record<string, unknown>) => post(JSON.stringify({ ...valid, ...fields }));
/** The body with one field as JSON text, for numbers that JavaScript would write otherwise. */
const createRaw = (field: string, json: string) =>
  post(JSON.stringify({ ...valid, [field]: "\u0001" }).replace('"\\u0001"', json));

const data = (answer: Answer) => answer.body.data as Record<string, unknown>;
const errors = (answer: Answer) => answer.body.errors as Record<string, string[]>;

function expectMalformed(answer: Answer, status = 400, code = "malformed_request") {
  expect(answer.body).toEqual({ message: expect.any(String), code, errors: {} });
  expect(answer.status).toBe(status);
}

function expectInvalid(answer: Answer, expected: Record<string, string[]>) {
  expect(answer.body).toEqual({ message: "The given data was invalid.", errors: expected });
  expect(answer.status).toBe(422);
}

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
const inFields = (more: string) =>
  `{"email":"ana@example.com","currency":"MYR","amount":500,"title":"Invoice",${more}}`;

describe("a body is one JSON object", () => {
  test.each([
    ["nothing", ""],
    ["an array", "[]"],
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

describe("amount", () => {
  test.each([
    ["500", 500],
    ["3000000", 3_000_000],
    ['"500"', 500],
    ['"3000000"', 3_000_000],
    ["500.0", 500],
    ["5e2", 500],
    ["1E3", 1_000],
    ['"0500"', 500],
    ['"000000500"', 500],
  ])("%s is taken", async (json, amount) =>
    expect(data(await createRaw("amount", json)).amount).toBe(amount),
  );

  const least = "The amount must be at least 500.";
  const most = "The amount must not be greater than 3000000.";
  const whole = "The amount must be an integer.";
  const required = "The amount field is required.";
  test.each([
    ["499", least],
    ["3000001", most],
    ["0", least],
    ["-0", least],
    ["-500", least],
    ['"499"', least],
    ['"3000001"', most],
    ["500.5", whole],
    ["1e-2", whole],
    ["9007199254740993", most],
    ["1e400", whole],
    ['" 500"', whole],
    ['"500 "', whole],
    ['"５００"', whole],
    ['"٥٠٠"', whole],
    ['"5e2"', whole],
    ['"+500"', whole],
    ['"-500"', whole],
    ['"500.0"', whole],
    ['"0x1f4"', whole],
    ['"1,000"', whole],
    ['"0000000500"', whole],
    ["true", whole],
    ["[500]", whole],
    ["{}", whole],
    ["null", required],
    ['""', required],
    ['"  "', required],
  ])("%s is 422", async (json, message) =>
    expectInvalid(await createRaw("amount", json), { amount: [message] }),
  );

  test("every amount in the range comes back as it was sent, every other is 422 on amount alone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1_000, max: 3_002_000 }),
        fc.boolean(),
        async (amount, asText) => {
          const answer = await create({ amount: asText ? String(amount) : amount });
          if (amount >= 500 && amount <= 3_000_000) expect(data(answer).amount).toBe(amount);
          else expect(Object.keys(errors(answer))).toEqual(["amount"]);
        },
      ),
      { numRuns: 100 },
    );
  });
  test("no other JSON value is an amount", async () => {
    const others = fc
      .jsonValue()
      .filter(
        (value) =>
          typeof value !== "number" && !(typeof value === "string" && /^\d{1,9}$/.test(value)),
      );
    await fc.assert(
      fc.asyncProperty(others, async (amount) => {
        expect(Object.keys(errors(await create({ amount })))).toEqual(["amount"]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("title", () => {
  const family = "👨\u200d👩\u200d👧\u200d👦";
  test.each([
    ["50 letters", "a".repeat(50)],
    ["50 astral characters", "😀".repeat(50)],
    ["combined letters", "e\u0301".repeat(25)],
    ["families of seven code points", family.repeat(7)],
    ["bidirectional controls", `\u202eabc\u202c${"\u2067".repeat(45)}`],
    ["one letter", "x"],
    ["blanks within", "a \u00a0 b"],
  ])("%s are taken and come back unchanged", async (_, title) =>
    expect(data(await create({ title })).title).toBe(title),
  );

  const long = "The title must not be greater than 50 characters.";
  test.each([
    ["51 letters", "a".repeat(51)],
    ["51 astral characters", "😀".repeat(51)],
    ["combined letters", "e\u0301".repeat(26)],
    ["eight families", family.repeat(8)],
  ])("%s are 422", async (_, title) => expectInvalid(await create({ title }), { title: [long] }));
  test.each([
    [42, "The title must be a string."],
    [true, "The title must be a string."],
    [["x"], "The title must be a string."],
    ["", "The title field is required."],
    ["\u00a0\n ", "The title field is required."],
  ])("%j is 422", async (title, message) =>
    expectInvalid(await create({ title }), { title: [message] }),
  );
  test("blanks around it do not count", async () => {
    expect(data(await create({ title: `  ${"a".repeat(50)}\n` })).title).toBe("a".repeat(50));
  });
  test("the limit counts code points after trimming, and the database agrees", async () => {
    const text = fc
      .string({ unit: "binary", minLength: 40, maxLength: 55 })
      .filter((title) => !title.includes("\0") && title.trim() !== "");
    await fc.assert(
      fc.asyncProperty(text, async (title) => {
        const answer = await create({ title });
        if ([...title.trim()].length <= 50) expect(data(answer).title).toBe(title.trim());
        else expectInvalid(answer, { title: [long] });
      }),
      { numRuns: 100 },
    );
  });
});

describe("currency", () => {
  test("every currency in circulation is taken", async () => {
    for (const currency of currencyCodes)
      expect(data(await create({ currency }))).toMatchObject({ currency, amount: 500 });
  });
  test.each([
    ["MYR", "5.00"],
    ["JPY", "500"],
    ["KWD", "0.500"],
    ["HUF", "5.00"],
    ["IQD", "0.500"],
    ["XOF", "500"],
  ])("500 in %s is %s", async (currency, decimal) => {
    expect(data(await create({ currency })).amount_decimal).toBe(decimal);
  });
  const selected = "The selected currency is invalid.";
  const funds = [
    "BOV",
    "CHE",
    "CHW",
    "CLF",
    "COU",
    "MXV",
    "USN",
    "UYI",
    "UYW",
    "XAD",
    "XAG",
    "XAU",
    "XBA",
    "XBB",
    "XBC",
    "XBD",
    "XDR",
    "XPD",
    "XPT",
    "XSU",
    "XTS",
    "XUA",
    "XXX",
  ];
  const withdrawn = [
    "ANG",
    "BGN",
    "BYR",
    "CUC",
    "DEM",
    "FRF",
    "HRK",
    "LTL",
    "MRO",
    "SLL",
    "STD",
    "VEF",
    "VEB",
    "ZMK",
    "ZWD",
    "ZWL",
  ];
  test.each([...funds, ...withdrawn, "myr", "Myr", "MY", "MYRR", "ＭＹＲ", "M R", "123"])(
    "%s is 422",
    async (currency) => {
      expectInvalid(await create({ currency }), { currency: [selected] });
    },
  );
  test.each([
    [458, "The currency must be a string."],
    [["MYR"], "The currency must be a string."],
    [null, "The currency field is required."],
    [" ", "The currency field is required."],
  ])("%j is 422", async (currency, message) =>
    expectInvalid(await create({ currency }), { currency: [message] }),
  );
});

describe("redirect_url", () => {
  test.each([
    "https://shop.example",
    "https://shop.example/",
    "http://shop.example/thanks",
    "https://shop.example/a/b.html?x=1&y=%20z&x=2#part",
    "http://localhost:8080/x",
    "https://192.0.2.7/",
    "https://[2001:db8::1]:8443/",
    "https://xn--bcher-kva.example/",
    `https://shop.example/${"a".repeat(2_027)}`,
    "https://shop.example/?next=https://other.example/@x",
  ])("%s comes back unchanged", async (redirect_url) =>
    expect(data(await create({ redirect_url })).redirect_url).toBe(redirect_url),
  );

  test.each([
    ["HTTPS://Shop.Example/A", "https://shop.example/A"],
    ["https://shop.example:443/", "https://shop.example/"],
    [" https://shop.example/x ", "https://shop.example/x"],
    ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
    ["https://shop.example/a/../b", "https://shop.example/b"],
  ])("%s is kept as %s", async (redirect_url, kept) =>
    expect(data(await create({ redirect_url })).redirect_url).toBe(kept),
  );

  const bad = "The redirect url must be a valid URL.";
  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "ftp://shop.example/",
    "//evil.example",
    "/thanks",
    "shop.example",
    "https:evil.example",
    "https:/evil.example",
    "https://",
    "https:///x",
    "https://user:secret@shop.example/",
    "https://user@shop.example/",
    "https://@shop.example/",
    "https://shop.example\\@evil.example/",
    "https:\\\\evil.example",
    "https://shop.exa mple/",
    "https://shop.example/a b",
    "https://shop.example/\tx",
    "https://shop.example/\u0007",
    "https://999.1.1.1/",
    "https://shop.example:99999/",
    "https://[::1",
    "https://sh%00op.example/",
  ])("%j is 422", async (redirect_url) =>
    expectInvalid(await create({ redirect_url }), { redirect_url: [bad] }),
  );
  test("2,049 characters are 422, also when only the stored form has them", async () => {
    const long = "The redirect url must not be greater than 2048 characters.";
    expectInvalid(await create({ redirect_url: `https://shop.example/${"a".repeat(2_028)}` }), {
      redirect_url: [long],
    });
    expectInvalid(await create({ redirect_url: `https://shop.example/${"ü".repeat(1_000)}` }), {
      redirect_url: [long],
    });
  });
  test("what is kept is an http address without credentials, and sending it again changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        async (redirect_url) => {
          const kept = data(await create({ redirect_url })).redirect_url as string;
          expect(new URL(kept)).toMatchObject({
            protocol: expect.stringMatching(/^https?:$/),
            username: "",
            password: "",
          });
          expect(data(await create({ redirect_url: kept })).redirect_url).toBe(kept);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("send_email", () => {
  const kept = async (answer: Answer) => {
    const { rows } = await pool().query<{ send_email: boolean }>(
      "select send_email from payment_links where id = $1",
      [data(answer)._id],
    );
    return rows[0]?.send_email;
  };
  test.each([
    [true, true],
    [1, true],
    ["1", true],
    ["true", true],
    [false, false],
    [0, false],
    ["0", false],
    ["false", false],
    [null, true],
    ["", true],
    [undefined, true],
  ])("%j means %j", async (send_email, meant) => {
    const answer = await create({ send_email });
    expect(await kept(answer)).toBe(meant);
    expect(answer.body.data).not.toHaveProperty("send_email");
  });
  test.each(["yes", "TRUE", "on", 2, -1, 0.5, [], [true], {}])("%j is 422", async (send_email) => {
    expectInvalid(await create({ send_email }), {
      send_email: ["The send email field must be true or false."],
    });
  });
});

describe("email", () => {
  test.each([
    "ana@example.com",
    "Ana.Lim+tag@Example.COM",
    "a@b.co",
    "o'brien@example.ie",
    "x_y-z@sub.example.travel",
  ])("%s is kept as sent", async (email) => {
    expect(data(await create({ email })).email).toBe(email);
  });
  test.each([
    "ana",
    "ana@",
    "@example.com",
    "ana@example",
    "ana@@example.com",
    "a b@example.com",
    "ana@example.com, eve@example.com",
    "Ana <ana@example.com>",
    "ana@example.com\r\nBcc: eve@example.com",
    "ana@exam\nple.com",
    "ana@-example.com",
    "group: ana@example.com;",
    "ana(comment)@example.com",
    '"ana"@example.com',
    ".ana@example.com",
    "a..b@example.com",
  ])("%j is 422", async (email) =>
    expectInvalid(await create({ email }), { email: ["The email must be a valid email address."] }),
  );
  test("255 characters are 422", async () => {
    expectInvalid(await create({ email: `${"a".repeat(243)}@example.com` }), {
      email: ["The email must not be greater than 254 characters."],
    });
  });
});

describe("reference, reference_2, phone_no and description", () => {
  const names = ["reference", "reference_2", "phone_no"] as const;
  test.each(names)("%s may be a JSON number and is kept as a string", async (name) => {
    for (const [json, kept] of [
      ["1042", "1042"],
      ["0", "0"],
      ["60123456789", "60123456789"],
      ["1.5", "1.5"],
      ['"007"', "007"],
      ['" x "', "x"],
    ] as const) {
      expect(data(await createRaw(name, json))[name]).toBe(kept);
    }
  });
  test.each(names)(
    "%s sent as any JSON number comes back with the digits that were sent",
    async (name) => {
      const number = fc.stringMatching(/^-?(0|[1-9]\d{0,40})(\.\d{1,12})?([eE][+-]?\d{1,3})?$/);
      await fc.assert(
        fc.asyncProperty(number, async (json) => {
          const answer = await createRaw(name, json);
          if (json.length > limits[name === "phone_no" ? "phoneNo" : "reference"])
            expect(Object.keys(errors(answer))).toEqual([name]);
          else expect(data(answer)[name]).toBe(json);
        }),
        {
          numRuns: 40,
          examples: [
            "9007199254740993",
            "12345678901234567890",
            "1.50",
            "1.0",
            "1e21",
            "-0",
            "1E400",
          ].map((json) => [json]),
        },
      );
    },
  );
  test("a number whose field's name is written with an escape is refused, not altered", async () => {
    expectInvalid(await post(inFields('"\\u0072eference":1.50')), {
      reference: ["The reference must be a string."],
    });
  });
  test.each(names)("%s takes nothing else", async (name) => {
    for (const value of [true, ["1"], { a: 1 }])
      expectInvalid(await create({ [name]: value }), {
        [name]: [`The ${name.replaceAll("_", " ")} must be a string.`],
      });
  });
  test.each([
    ["reference", 50],
    ["reference_2", 50],
    ["phone_no", 32],
    ["description", 5_000],
  ] as const)("%s has at most %i characters", async (name, most) => {
    expect(data(await create({ [name]: "😀".repeat(most) }))[name]).toBe("😀".repeat(most));
    expectInvalid(await create({ [name]: "a".repeat(most + 1) }), {
      [name]: [`The ${name.replaceAll("_", " ")} must not be greater than ${most} characters.`],
    });
  });
  test("a phone number comes back as it was sent", async () => {
    expect(data(await create({ phone_no: "+60 12-345 6789 ext. 4" })).phone_no).toBe(
      "+60 12-345 6789 ext. 4",
    );
  });
});

describe("every field", () => {
  test.each(["phone_no", "description", "redirect_url", "reference", "reference_2", "expires_at"])(
    "%s: null and blank count as absent",
    async (name) => {
      for (const value of [null, "", " \t\n"])
        expect(data(await create({ [name]: value }))[name]).toBeNull();
    },
  );
  test.each(["soon", "2026-02-30T00:00:00Z", "2999-01-01"])(
    "a moment that is none is told once: %s",
    async (expires_at) => {
      expectInvalid(await post(JSON.stringify({ ...valid, expires_at })), {
        expires_at: ["The expires at is not a valid date."],
      });
    },
  );
  test("unknown fields are ignored, also those that answers have", async () => {
    const answer = await create({
      _id: "0".repeat(24),
      status: "Paid",
      paid: true,
      business_id: 1,
      subscription_id: "0".repeat(24),
      created_at: "2000-01-01T00:00:00Z",
      nonsense: { deep: [1] },
    });
    expect(data(answer)).toMatchObject({
      status: "Active",
      paid: false,
      business_id: tenant.businessId,
      subscription_id: null,
    });
    expect(data(answer)._id).not.toBe("0".repeat(24));
    expect(answer.text).not.toContain("nonsense");
  });
  test("all violations of all fields come at once", async () => {
    expectInvalid(
      await post('{"currency":"XXX","amount":1,"redirect_url":"x","send_email":"perhaps"}'),
      {
        email: ["The email field is required."],
        currency: ["The selected currency is invalid."],
        amount: ["The amount must be at least 500."],
        title: ["The title field is required."],
        redirect_url: ["The redirect url must be a valid URL."],
        send_email: ["The send email field must be true or false."],
      },
    );
  });
});

describe("a query", () => {
  const list = (query: string) => api("GET", `/payment-links?${query}`, { key: tenant.keys.test });
  test.each([
    "per_page=0",
    "per_page=101",
    "per_page=1.5",
    "per_page=x",
    "page=0",
    "page=-1",
    "sort=title",
    "status=active",
    "paid=perhaps",
    "amount_min=x",
    "currency=XXX",
    "created_from=yesterday",
    "created_from=2026-02-30",
    "created_from=0000-01-01",
    "created_to=9999-12-31T23:59:59-05:00",
    "created_to=0001-01-01T00:00:00%2B05:00",
    "cursor=x",
    "subscription_id=x",
    `q=${"x".repeat(201)}`,
    `email=${"x".repeat(255)}`,
    "q=a%00b",
    "email=%00",
    "reference=%00",
  ])("%s is 422 on that parameter", async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(422);
    expect(Object.keys(errors(answer))).toEqual([query.split("=")[0]]);
  });
  test.each([
    "",
    "nonsense=1",
    "per_page=",
    "status=",
    "per_page=100&page=1",
    "q=%25_%5C",
    "q=%F0%9F%98%80",
    "reference=%ED%A0%80",
    "__proto__=1",
    "cursor=",
  ])("%s is fine", async (query) => {
    expect((await list(query)).status).toBe(200);
  });
  test("a moment from an answer, sent back as a bound, includes its record to the microsecond", async () => {
    const link = data(await create({ title: "to the microsecond" }));
    const moment = encodeURIComponent(String(link.created_at));
    const found = data(await list(`created_from=${moment}&created_to=${moment}`)).data as Array<{
      _id: string;
    }>;
    expect(found.map(({ _id }) => _id)).toEqual([link._id]);
  });
});

describe("an id", () => {
  test.each([
    "9223372036854775808",
    "0b0e5a3c-5c3e-4b39-9d1c-1f0f3a6d2e11",
    "6740f1c09a3be27d51c8e4f",
    "6740f1c09a3be27d51c8e4f00",
    "6740F1C09A3BE27D51C8E4F0",
    "6740f1c09a3be27d51c8e4fg",
    "'%20or%20'1'='1",
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "%ff",
    "__proto__",
    "6740f1c09a3be27d51c8e4f0%00",
    "6740f1c09a3be27d51c8e4f0%0a",
    "0".repeat(24),
  ])("%s is the same 404 as an unknown one", async (id) => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await api(method, `/payment-links/${id}`, { key: tenant.keys.test });
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('{"message":"Not found.","code":"not_found","errors":{}}');
    }
  });
});
