import { createHmac, randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { env, provideEnv } from "@/lib/env";
import { authSecretOf, knownKeys, setActiveKey } from "@/lib/kernel/secrets";
import { withActiveSignatures } from "./signed-cookies";

const secret = () => randomBytes(32).toString("hex");
const [previous, present, strange] = [secret(), secret(), secret()];

/** From here on this process knows these secrets; the first one signs. */
function knows(...[first = "", second = ""]: string[]): void {
  provideEnv({ KUTIP_SECRET: first, KUTIP_SECRET_PREVIOUS: second });
  setActiveKey({ id: knownKeys()[0].id });
}

/** A value with its signature by a secret, as better-auth makes it. */
function signed(value: string, by: string): string {
  const { KUTIP_SECRET = "", KUTIP_SECRET_PREVIOUS = "" } = env;
  knows(by);
  const { value: key } = authSecretOf(knownKeys()[0]);
  knows(KUTIP_SECRET, KUTIP_SECRET_PREVIOUS);
  return `${value}.${createHmac("sha256", key).update(value).digest("base64")}`;
}

/** What better-auth reads of a header, by name. */
const read = async (header: string) =>
  Object.fromEntries(
    (await withActiveSignatures(header))
      .split("; ")
      .filter(Boolean)
      .map((pair) => [
        pair.slice(0, pair.indexOf("=")),
        decodeURIComponent(pair.slice(pair.indexOf("=") + 1)),
      ]),
  );
const sent = (name: string, text: string) => `${name}=${encodeURIComponent(text)}`;

const kinds = ["two_factor", "better-auth-passkey", "trust_device", "dont_remember"];

beforeEach(() => knows(present, previous));

describe("a cookie that a known secret signed", () => {
  test.each(kinds)("is signed by the active secret: %s", async (kind) => {
    const name = `kutip.${kind}`;
    for (const by of [previous, present])
      expect(await read(sent(name, signed("some.value", by)))).toEqual({
        [name]: signed("some.value", present),
      });
  });

  test("is refused once the previous secret is removed", async () => {
    const old = signed("value", previous);
    knows(present);
    expect(await read(sent("kutip.two_factor", old))).toEqual({ "kutip.two_factor": old });
  });
});

describe("a forged cookie is not signed", () => {
  const right = () => signed("value", previous);
  test.each<[string, () => string]>([
    ["by a strange secret", () => signed("value", strange)],
    ["without a signature", () => "value"],
    ["with an empty signature", () => "value."],
    ["with a signature alone", () => right().slice("value".length)],
    ["with a truncated signature", () => right().slice(0, -1)],
    ["with more behind the signature", () => `${right()}=`],
    ["with another value's signature", () => right().replace("value", "other")],
    ["with a value that goes on", () => right().replace("value", "value.more")],
    ["with the value in other letters", () => right().replace("value", "Value")],
  ])("%s", async (_how, text) => {
    for (const kind of kinds)
      expect(await read(sent(`kutip.${kind}`, text()))).toEqual({ [`kutip.${kind}`]: text() });
  });
});

describe("the session's cookie", () => {
  const name = "kutip.session_token";

  test("holds the token that our own routes find, whatever its signature", async () => {
    for (const text of [signed("token", strange), "token.", "token", "token%2Ex", "token.a.b"])
      expect(await read(`${name}=${text}`)).toEqual({ [name]: signed("token", present) });
  });

  test.each([
    ["a space behind the name", `${name} =token.x`],
    ["a tab before the name", `a=b;\t${name}=token.x`],
    ["an encoded letter", `${name}=%74oken.x`],
    ["no value", `${name}=`],
    ["no equals sign", name],
    ["the prefix of other installs", `__Secure-${name}=token.x`],
  ])("is not there with %s", async (_how, header) => {
    expect(await read(header)).toEqual({});
  });

  test("is the first of two", async () => {
    expect(await read(`${name}=first.x; ${name}=second.x`)).toEqual({
      [name]: signed("first", present),
    });
  });

  test("signs no other kind by its value", async () => {
    const names = ["kutip.two_factor", name];
    const header = names.map((one) => sent(one, "value.x")).join("; ");
    expect(await read(header)).toEqual({
      "kutip.two_factor": "value.x",
      [name]: signed("value", present),
    });
  });
});

test("an https install reads the cookies with the prefix alone", async () => {
  const { BASE_URL } = env;
  provideEnv({ BASE_URL: "https://pay.example.com" });
  try {
    const header = "kutip.session_token=plain.x; __Secure-kutip.session_token=secure.x";
    expect(await read(header)).toEqual({
      "__Secure-kutip.session_token": signed("secure", present),
    });
    expect(await read("kutip.session_token=plain.x")).toEqual({});
  } finally {
    provideEnv({ BASE_URL });
  }
});

test("cookies of others do not reach the library, and no name comes twice", async () => {
  const header = "theme=dark; kutip.a=1; kutip.a=2; kutip.b =3; kutip.=4; kutip.c=%zz; xkutip.d=5";
  expect(await withActiveSignatures(header)).toBe("kutip.a=1");
});
