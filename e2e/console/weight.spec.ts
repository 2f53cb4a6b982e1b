import { globSync } from "node:fs";
import type { APIRequestContext } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";

/** Bytes in Brotli that every page of the console has in common, loaded once and kept: React and Next.js are two thirds. */
const MAX_SHARED_BYTES = 150 * 1_024;
/** What a page asks for besides. Schemas and zod are most of a page with a form. What opens, PDF and the palette come later. */
const MAX_OWN_BYTES = 83 * 1_024;
const MAX_OWN_BYTES_WITHOUT_FORM = 37 * 1_024;
/** Of the console. */
const withForm = /\/(new|edit|charge|snippets|settings|gateway|notifications|payers|security)$/;
const limitOf = (page: string) =>
  page.startsWith("/b/") && !withForm.test(page) ? MAX_OWN_BYTES_WITHOUT_FORM : MAX_OWN_BYTES;
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
      (size = request
        .get(source, { headers: { "accept-encoding": "br" } })
        .then((answer) => answer.headers())
        .then((headers) => {
          expect(headers["content-encoding"], source).toBe("br");
          expect(headers["cache-control"], source).toContain("immutable");
          return Number(headers["content-length"]);
        })),
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
  const own = new Map<string, Set<string>>();
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
    own.set(page, sources);
  }
  expect(pages.length).toBeGreaterThan(35);
  const everyPage = [...own].flatMap(([page, sources]) =>
    page.startsWith("/b/") ? [sources] : [],
  );
  const shared = new Set(
    [...(everyPage[0] ?? [])].filter((source) => everyPage.every((sources) => sources.has(source))),
  );
  const weights = await Promise.all(
    [...own].map(
      async ([page, sources]) =>
        [
          page,
          await sum(context.request, new Set([...sources].filter((source) => !shared.has(source)))),
        ] as const,
    ),
  );
  expect(weights.filter(([page, weight]) => weight > limitOf(page))).toEqual([]);
  expect(await sum(context.request, shared)).toBeLessThan(MAX_SHARED_BYTES);
});
