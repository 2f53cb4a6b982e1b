import { globSync, readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect } from "../fixtures";
import { consoleForms, entryForms, type FormCase, notWalked } from "./failed-saves";
import { test } from "./fixtures";
import { addressIn, furnish, open } from "./furnished";

/** How a save fails: the answer, or none. */
const failures = {
  "a field": { status: 422, code: "invalid", message: "Has been refused." },
  "a conflict": { status: 409, code: "conflict", message: "It is in the way of another." },
  "the server": { status: 500, code: "internal", message: "Something went wrong." },
  "no network": null,
  "signed out": { status: 401, code: "unauthenticated", message: "Unauthenticated." },
} as const;
type Failure = keyof typeof failures;

/** On a phone the message's place is what can differ. */
const sizes: readonly { width: number; height: number; kinds: readonly Failure[] }[] = [
  { width: 1366, height: 768, kinds: Object.keys(failures) as Failure[] },
  { width: 360, height: 740, kinds: ["a field", "a conflict"] },
];

const parts = globSync("components/**/*.tsx").filter((file) => !file.endsWith(".test.tsx"));

test("every form of the dashboard is walked here, or says why not", () => {
  const written = parts.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/<Form\s[^>]*?label="([^"]+)"/g)].map(
      ([, label]) => `${file.replace("components/", "")}: ${label}`,
    ),
  );
  const walked = [...consoleForms, ...entryForms].map(({ file, label }) => `${file}: ${label}`);
  expect(written.length).toBeGreaterThan(30);
  const missing = new Set(written.filter((form) => !(form in notWalked)));
  for (const form of new Set(walked)) {
    expect(written, form).toContain(form);
    missing.delete(form);
  }
  expect([...missing]).toEqual([]);
  for (const form of Object.keys(notWalked)) expect(written, form).toContain(form);
  // A form without a label would escape.
  const all = parts.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/<Form\s[^>]*form=/g)].map(() => file),
  );
  expect(all.length).toBe(written.length);
});

for (const size of sizes) {
  test(`a save that fails is said beside the button at ${size.width} px, in every form, and loses nothing`, async ({
    page,
    install,
    staff,
  }) => {
    test.setTimeout(420_000);
    const { shop, ids } = await furnish(install, staff);
    await page.setViewportSize(size);
    for (const one of consoleForms) {
      await open(page, `/b/${shop.id}/test${addressIn(one.address, ids)}`);
      await walk(page, one, size.kinds);
    }
  });

  test(`so is one before the sign-in, at ${size.width} px`, async ({ page, context }) => {
    test.setTimeout(120_000);
    await context.clearCookies();
    await page.setViewportSize(size);
    for (const one of entryForms) {
      await page.goto("about:blank");
      await page.goto(one.address);
      const kinds = size.kinds.filter((kind) => kind !== "signed out");
      await walk(page, one, kinds);
    }
  });
}

async function walk(page: Page, one: FormCase, kinds: readonly Failure[]): Promise<void> {
  const at = `${one.file} ${one.label}`;
  await one.open?.(page);
  const form = page.getByRole("form", { name: one.label, exact: true });
  await expect(form.getByRole("button", { disabled: false }).last(), at).toBeVisible();
  await write(form, one.values ?? {});
  const before = await valuesOf(form);
  for (const kind of kinds) {
    if (one.money && (kind === "the server" || kind === "no network")) continue;
    await fail(page, form, one, kind);
    const says = `${at}, ${kind}`;
    const submit = form.locator("button[type=submit]");
    // The keys send a form wherever the focus is.
    await submit.first().focus();
    await page.keyboard.press("Control+Enter");
    if (one.confirm) await one.confirm(page);
    if (kind === "a field") {
      const field = form.locator("[aria-invalid=true]").first();
      await expect(field, says).toBeFocused();
      await expect(field, says).toBeInViewport();
      await expect(field, says).toHaveAccessibleDescription(/refused/);
    } else {
      const alert = form.getByRole("alert").last();
      await expect(alert, says).toBeInViewport();
      await expect(alert, says).toBeFocused();
      const [said, button] = await Promise.all([alert.boundingBox(), submit.first().boundingBox()]);
      const gap = (button?.y ?? 0) - (said?.y ?? 0) - (said?.height ?? 0);
      expect(Math.abs(gap), says).toBeLessThan(60);
    }
    expect(await valuesOf(form), says).toEqual(before);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
}

/** Lets every call that changes something fail in this way. */
async function fail(page: Page, form: Locator, one: FormCase, kind: Failure): Promise<void> {
  const named = form.locator("input[name], textarea[name], select[name]").first();
  const name = one.field ?? (await named.getAttribute("name")) ?? "";
  const answer = failures[kind];
  await page.route("**/api/**", (route) => {
    if (route.request().method() === "GET") return route.fallback();
    if (!answer) return route.abort("connectionreset");
    const { status, code, message } = answer;
    const errors = kind === "a field" ? { [name]: [message] } : null;
    return route.fulfill({ status, json: { success: false, message, code, errors } });
  });
}

/** Writes into each field that must have something and has nothing. */
async function write(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(values))
    await form.getByLabel(label, { exact: false }).first().fill(text);
  const empty = form.locator(
    ":is(input:not([type=checkbox], [type=radio], [type=file], [type=color]), select, textarea)[aria-required=true]",
  );
  for (const field of await empty.all()) {
    if ((await field.inputValue()) !== "") continue;
    const kind = await field.evaluate((input: HTMLInputElement | HTMLSelectElement) =>
      input instanceof HTMLSelectElement
        ? "select"
        : input.inputMode === "decimal"
          ? "amount"
          : /^Such as \d/.test(input.placeholder)
            ? "date"
            : input.type,
    );
    if (kind === "select") await field.selectOption({ index: 1 });
    else await field.fill(texts[kind] ?? "Kept");
  }
}

const texts: Record<string, string> = {
  amount: "12.50",
  date: "21 Nov 2031",
  email: "ana@example.com",
  password: "correct horse battery staple",
  url: "https://example.com/hook",
};

/** Everything that is written or chosen in a form. A date is shown in its own words once the field is left. */
const valuesOf = async (form: Locator): Promise<string[]> => {
  await form.locator("button[type=submit]").first().focus();
  return form
    .locator("input:not([aria-hidden=true], [type=file]), select, textarea")
    .evaluateAll((all: HTMLInputElement[]) =>
      all.map(({ value, checked }) => `${value} ${checked === true}`),
    );
};
