import { globSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { APIRequestContext } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";

/** Bytes: React and Next.js are half of it, schemas and zod a fifth of a page with a form. What opens, charts, PDF and the palette come later. */
const MAX_BYTES = 272_000;
const MAX_BYTES_WITHOUT_FORM = 220_000;
/** What every page of the console has in common, loaded once and kept. */
const MAX_SHARED_BYTES = 190_000;
/** Of the console. */
const withForm = /\/(new|edit|charge|snippets|settings|gateway|payers|security)$/;
const pages = globSync("app/{(auth),(console)}/**/page.tsx")
  .map((file) =>
    file
      .replace(/^app/, "")
      .replace(/\/page\.tsx$/, "")
      .replace(/\/\([^)]*\)/g, ""),
  )
  .sort();

const sizes = new Map<string, Promise<number>>();

/** What a script weighs on the wire; many pages share most of theirs. */
function packed(request: APIRequestContext, source: string): Promise<number> {
  let size = sizes.get(source);
  if (!size)
    sizes.set(
      source,
      (size = request.get(source).then(async (answer) => gzipSync(await answer.body()).length)),
    );
  return size;
}

async function sum(request: APIRequestContext, sources: ReadonlySet<string>): Promise<number> {
  return (await Promise.all([...sources].map((source) => packed(request, source)))).reduce(
    (all, one) => all + one,
    0,
  );
}

test("no page asks for more script at first than is written down here", async ({
  context,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  const tooHeavy: [string, number][] = [];
  let shared: Set<string> | undefined;
  for (const page of pages) {
    const html = await (
      await context.request.get(
        page.replace("/b/[business]/[mode]", at()).replace(/\[\w+\]/g, link._id),
      )
    ).text();
    const tags = [...html.matchAll(/<script\b[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => !/\bnomodule\b/i.test(tag));
    const sources = new Set(tags.flatMap((tag) => /\bsrc="([^"]+)"/.exec(tag)?.[1] ?? []));
    expect(sources.size, page).toBeGreaterThan(2);
    const console = page.startsWith("/b/");
    if (console) shared = new Set([...sources].filter((source) => shared?.has(source) ?? true));
    const weight = await sum(context.request, sources);
    if (weight > (console && !withForm.test(page) ? MAX_BYTES_WITHOUT_FORM : MAX_BYTES))
      tooHeavy.push([page, weight]);
  }
  expect(pages.length).toBeGreaterThan(35);
  expect(tooHeavy).toEqual([]);
  expect(await sum(context.request, shared ?? new Set())).toBeLessThan(MAX_SHARED_BYTES);
});
