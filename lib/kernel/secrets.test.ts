import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { env, provideEnv } from "@/lib/env";
import {
  digest,
  isSignature,
  knownKeys,
  seal,
  setActiveKey,
  signature,
  unseal,
} from "@/lib/kernel/secrets";

beforeAll(() => provideEnv({ KUTIP_SECRET: randomBytes(32).toString("hex") }));

describe("sealed texts", () => {
  test("open to what they were, and no two look alike", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const sealed = seal(text, "tokenization");
        expect(sealed).toMatch(/^[\w-]{8}\.[\w-]+$/);
        expect(unseal(sealed, "tokenization")).toBe(text);
        expect(seal(text, "tokenization")).not.toBe(sealed);
      }),
    );
  });
  test("throw when a single bit was changed, or the end cut off", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (text, at) => {
        const [id, body = ""] = seal(text, "gateway").split(".");
        const bytes = Buffer.from(body, "base64url");
        const bit = at % (bytes.length * 8);
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(() => unseal(`${id}.${bytes.toString("base64url")}`, "gateway")).toThrow();
        expect(() => unseal(seal(text, "gateway").slice(0, -2), "gateway")).toThrow();
      }),
    );
  });
  test.each([
    "",
    "x",
    "AAAA",
    randomBytes(12).toString("base64url"),
    randomBytes(20).toString("base64url"),
  ])("%j throws", (text) => {
    expect(() => unseal(text, "gateway")).toThrow();
  });
  test("do not open for another purpose", () => {
    expect(() => unseal(seal("secret", "gateway"), "webhook")).toThrow();
  });
  test("a tag that was shortened is refused", () => {
    const [id, body = ""] = seal("", "gateway").split(".");
    const bytes = Buffer.from(body, "base64url");
    const short = `${id}.${bytes.subarray(0, 24).toString("base64url")}`;
    expect(() => unseal(short, "gateway")).toThrow();
  });
  test("of a version that named no secret open as before", () => {
    const [, body = ""] = seal("secret", "gateway").split(".");
    expect(unseal(body, "gateway")).toBe("secret");
  });
  test("name their secret, and another one opens none of them", () => {
    const own = env.KUTIP_SECRET ?? "";
    const sealed = seal("secret", "gateway");
    const [, body = ""] = sealed.split(".");
    provideEnv({ KUTIP_SECRET: randomBytes(32).toString("hex") });
    const [id] = seal("another", "gateway").split(".");
    try {
      expect(() => unseal(sealed, "gateway")).toThrow(/not known here/);
      expect(() => unseal(`${id}.${body}`, "gateway")).toThrow();
      expect(sealed.startsWith(`${id}.`)).toBe(false);
    } finally {
      provideEnv({ KUTIP_SECRET: own });
    }
  });
});

describe("which secret is active", () => {
  afterEach(() => {
    provideEnv({ KUTIP_SECRET_PREVIOUS: "" });
    setActiveKey();
  });

  test("is not guessed where two are known", () => {
    provideEnv({ KUTIP_SECRET_PREVIOUS: randomBytes(32).toString("hex") });
    expect(() => seal("text", "mail")).toThrow(/not certain/);
    const [present, previous] = knownKeys();
    for (const { id } of [present, previous ?? present]) {
      setActiveKey({ id });
      expect(seal("text", "mail").startsWith(`${id}.`)).toBe(true);
    }
  });
  test("has to be confirmed every 15 seconds, or nothing is sealed or signed; what is sealed still opens", () => {
    const [{ id }] = knownKeys();
    const sealed = seal("text", "mail");
    setActiveKey({ id, confirmedAt: performance.now() - 14_000 });
    expect(unseal(seal("text", "mail"), "mail")).toBe("text");
    setActiveKey({ id, confirmedAt: performance.now() - 15_001 });
    expect(() => seal("text", "mail")).toThrow(/not certain/);
    expect(() => signature("text", "cursor")).toThrow(/not certain/);
    expect(unseal(sealed, "mail")).toBe("text");
  });
});

describe("digests and signatures", () => {
  test("a digest is SHA-256 in hex", () => {
    expect(digest("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
  test("a signature depends on text and purpose, and on nothing else", () => {
    expect(signature("a", "cursor")).toBe(signature("a", "cursor"));
    expect(signature("a", "cursor")).not.toBe(signature("b", "cursor"));
    expect(signature("a", "cursor")).not.toBe(signature("a", "webhook"));
  });
  test("only the signature of this text and purpose, of this length, is accepted", () => {
    const mark = signature("a", "cursor");
    expect(isSignature(mark, "a", "cursor")).toBe(true);
    expect(isSignature(mark.slice(0, 22), "a", "cursor", 22)).toBe(true);
    expect(isSignature(mark.slice(0, 22), "a", "cursor")).toBe(false);
    expect(isSignature("", "a", "cursor", 22)).toBe(false);
    expect(isSignature(mark, "b", "cursor")).toBe(false);
    expect(isSignature(mark, "a", "webhook")).toBe(false);
  });
});
