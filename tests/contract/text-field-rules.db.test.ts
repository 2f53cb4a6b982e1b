import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { limits } from "@/lib/contract/values";
import {
  create,
  createRaw,
  data,
  errors,
  expectInvalid,
  inFields,
  post,
  tenant,
} from "./input-setting";
import { api } from "./setting";

afterAll(closePool);

describe("title", () => {
  const family = "👨\u200d👩\u200d👧\u200d👦";
  test.each([
    ["50 letters", "a".repeat(50)],
    ["50 astral characters", "😀".repeat(50)],
    ["combined letters", "e\u0301".repeat(25)],
    ["families of seven code points", family.repeat(7)],
    ["marks of right-to-left text", `\u200eabc\u200f`],
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
      .map((title) => title.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "x"))
      .filter((title) => title.trim() !== "");
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

describe("control characters", () => {
  const words = (name: string) =>
    `The ${name.replaceAll("_", " ")} must not contain control characters.`;
  test.each(["title", "reference", "reference_2", "phone_no"])("%s refuses them", async (name) => {
    for (const value of ["a\nb", "a\rb", "a\tb", "a\u0007b", "a\u0085b", "\u202eb", "a\u2069b"])
      expectInvalid(await create({ [name]: value }), { [name]: [words(name)] });
  });
  test("a description keeps its lines", async () => {
    expect(data(await create({ description: "one\r\n\ttwo" })).description).toBe("one\r\n\ttwo");
  });
  test("rows of CSV and of JSON refuse them too", async () => {
    const bulk = (raw: string, type: string) =>
      api("POST", "/payment-links/bulk", {
        key: tenant.keys.test,
        raw,
        headers: { "content-type": type },
      });
    const csv =
      'email,currency,amount,title,reference\nana@example.com,MYR,500,"In\nvoice","R\t1"\n';
    const row = { email: "ana@example.com", currency: "MYR", amount: 500, title: "In\nvoice" };
    for (const answer of [
      await bulk(csv, "text/csv"),
      await bulk(JSON.stringify({ rows: [{ ...row, reference: "R\t1" }] }), "application/json"),
    ])
      expect((data(answer).rows as unknown[])[0]).toMatchObject({
        status: "invalid",
        errors: { title: [words("title")], reference: [words("reference")] },
      });
  });
  test("a row that holds line feeds stays readable", async () => {
    const { _id } = data(await create({ reference: "A" }));
    await pool().query("update payment_links set reference = $1 where id = $2", ["A\nx=B", _id]);
    const answer = await api("GET", `/payment-links/${_id}`, { key: tenant.keys.test });
    expect(data(answer).reference).toBe("A\nx=B");
  });
});

describe("email", () => {
  test.each([
    "ana@example.com",
    "Ana.Lim+tag@Example.COM",
    "a@b.co",
    "o'brien@example.ie",
    "x_y-z@sub.example.travel",
    "a&b@example.com",
    "a=b/c@example.com",
    "user#1@example.com",
    "~ana@example.com",
    "!$%*?^`{|}'+-_.x@example.com",
    "ana@xn--e1afmkfd.xn--p1ai",
    `ana@${"a".repeat(63)}.example.com`,
    `${"a".repeat(242)}@example.com`,
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
    "ana.@example.com",
    "ana@example..com",
    "ana@example.com.",
    "ana@.example.com",
    "ana@exam_ple.com",
    "ana@example-.com",
    "ana@example.c0m",
    "ana@example.xn--",
    "ana@[192.0.2.7]",
    `ana@${"a".repeat(64)}.com`,
    "ana;eve@example.com",
    "ana\\@example.com",
    "ana@example.com%0aBcc:eve@example.com",
    "jos\u00e9@example.com",
    "ana@b\u00fccher.example",
  ])("%j is 422", async (email) =>
    expectInvalid(await create({ email }), { email: ["The email must be a valid email address."] }),
  );
  test("255 characters are 422", async () => {
    expectInvalid(await create({ email: `${"a".repeat(243)}@example.com` }), {
      email: ["The email must not be greater than 254 characters."],
    });
  });
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
  test("a number whose field's name is written with an escape keeps its digits too", async () => {
    for (const digits of ["150", "1.50", "-7", "12345678901234567890"])
      expect(data(await post(inFields(`"\\u0072eference":${digits}`))).reference).toBe(digits);
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
