import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, expect, test } from "vitest";
import { GET } from "@/app/.well-known/security.txt/route";
import { EnvError, provideEnv, readEnv } from "@/lib/env";
import { securityTxt } from "@/lib/http/security-txt";
import nextConfig from "@/next.config.mjs";
import { routeFiles } from "@/scripts/routes-plugin.mjs";

const root = process.cwd();
const read = (name: string) => readFileSync(path.join(root, "public", name), "utf8");

afterEach(() => provideEnv({ SECURITY_CONTACT: "" }));
const ask = () =>
  GET(new Request("http://localhost:3000/.well-known/security.txt"), { params: {}, served: true });

test("security.txt names the contacts of SECURITY_CONTACT and a day on which it expires", async () => {
  provideEnv({ SECURITY_CONTACT: "security@example.com, https://example.com/report" });
  const response = await ask();
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; charset=utf-8",
  ]);
  const lines = (await response.text()).trimEnd().split("\n");
  expect(lines.filter((line) => line.startsWith("Contact: "))).toEqual([
    "Contact: mailto:security@example.com",
    "Contact: https://example.com/report",
  ]);
  expect(lines.at(-1)).toBe("Canonical: http://localhost:3000/.well-known/security.txt");
});

test("it expires less than a year from now, as RFC 9116 recommends", () => {
  const text = securityTxt(["mailto:a@b.example"], "https://p.example", new Date("2026-11-22"));
  expect(text).toContain("\nExpires: 2027-05-21T00:00:00Z\n");
});

test("without SECURITY_CONTACT there is no security.txt", async () => {
  expect((await ask()).status).toBe(404);
});

test.each(["example.com", "http://example.com", "a@b.example\nContact: mailto:x@y.example"])(
  "a SECURITY_CONTACT that is no address is refused: %j",
  (contact) => {
    expect(() => readEnv({ SECURITY_CONTACT: contact })).toThrow(EnvError);
  },
);

test("the built server knows the route below the folder with a dot", () => {
  expect(routeFiles(root).map(({ pattern }) => pattern)).toContain("/.well-known/security.txt");
});

test("every file of public/ is kept for a day, and nothing else", async () => {
  const [rule] = (await nextConfig.headers?.()) ?? [];
  const named = /\((.+)\)$/.exec(rule?.source ?? "")?.[1]?.split("|");
  expect(named?.sort()).toEqual(readdirSync(path.join(root, "public")).sort());
});

test("the manifest and the pages name icons that exist, in the sizes they say", async () => {
  const { icons } = JSON.parse(read("manifest.webmanifest")) as {
    icons: { src: string; sizes: string; type: string }[];
  };
  for (const { src, sizes, type } of icons) {
    const { width, height, format } = await sharp(path.join(root, "public", src)).metadata();
    if (sizes !== "any") expect(`${width}x${height}`).toBe(sizes);
    expect(type).toContain(format);
  }
  const { width, height } = await sharp(path.join(root, "public/social.png")).metadata();
  expect([width, height]).toEqual([1200, 630]);
});

test("crawlers are kept from the API and from bearer addresses", () => {
  expect(read("robots.txt")).toMatch(/^Disallow: \/api\/$/m);
  expect(read("robots.txt")).toMatch(/^Disallow: \/activate\/$/m);
});
