import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { eq } from "drizzle-orm";
import * as logoRoute from "@/app/api/business/logo/route";
import * as auditRoute from "@/app/api/audit-log/route";
import * as businessRoute from "@/app/api/business/route";
import * as publicRoute from "@/app/(payer)/logo/[digest]/route";
import { db } from "@/db/client";
import { businesses } from "@/db/schema/businesses";
import type { AuditEntry, Business } from "@/lib/contract/business";
import { logoLimits } from "@/lib/contract/values";
import { pictureOf, pngOf } from "../images";
import { dataOf } from "./office";
import { as, call, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;
const put = (staff: Staff, bytes: Buffer) =>
  call(logoRoute.PUT, "/business/logo", {
    method: "PUT",
    headers: as(staff),
    body: { image: bytes.toString("base64") },
  });
const drop = (staff: Staff) =>
  call(logoRoute.DELETE, "/business/logo", { method: "DELETE", headers: as(staff) });
const business = (staff: Staff) =>
  dataOf<Business>(call(businessRoute.GET, "/business", { headers: as(staff) }));
const seen = (url: string) =>
  publicRoute.GET(new Request(url), { params: { digest: url.split("/").at(-1) } });

test.each([
  ["png", "image/png"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/png"],
] as const)(
  "a %s is shown at an address of its own, without what a camera wrote",
  async (from, type) => {
    const bytes = await pictureOf(from, 300, 80);
    const staff = await someStaff();
    const { logo } = await dataOf<Business>(put(staff, bytes));
    expect(logo).toMatchObject({ width: 300, height: 80 });
    expect((await business(staff)).logo).toEqual(logo);
    const answer = await seen(logo?.url ?? "");
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    const shown = Buffer.from(await answer.arrayBuffer());
    expect(shown.includes("camera")).toBe(false);
    expect(logo?.url).toContain(createHash("sha256").update(shown).digest("hex"));
  },
);

test.each([
  [
    "an SVG",
    Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    "The image must be a PNG, JPEG or WebP file.",
  ],
  [
    "too many bytes",
    Buffer.concat([pngOf(32, 32), Buffer.alloc(logoLimits.maxBytes)]),
    "The image must not be greater than 256 kilobytes.",
  ],
  ["a side too short", pngOf(8, 200), "The image must be 16 to 2048 pixels wide and high."],
  [
    "a side too long",
    await pictureOf("jpeg", 4_000, 100),
    "The image must be 16 to 2048 pixels wide and high.",
  ],
])("%s is refused, and the logo stays what it was", async (_, bytes, text) => {
  const staff = await someStaff();
  const before = await dataOf<Business>(put(staff, pngOf(64, 64)));
  const answer = await put(staff, bytes);
  expect([answer.status, await answer.json()]).toEqual([
    422,
    { message: "The given data was invalid.", errors: { image: [text] } },
  ]);
  expect((await business(staff)).logo).toEqual(before.logo);
});

test("a new logo takes the place of the old one, whose address is gone; removing leaves none", async () => {
  const staff = await someStaff();
  const first = (await dataOf<Business>(put(staff, pngOf(51, 47)))).logo?.url ?? "";
  const second = (await dataOf<Business>(put(staff, pngOf(52, 47)))).logo?.url ?? "";
  expect(second).not.toBe(first);
  expect([(await seen(first)).status, (await seen(second)).status]).toEqual([404, 200]);
  expect((await dataOf<Business>(drop(staff))).logo).toBeNull();
  expect((await seen(second)).status).toBe(404);
  expect((await dataOf<Business>(drop(staff))).logo).toBeNull();
});

test("two businesses may have the same logo, and one of them may drop it", async () => {
  const [one, other] = [await someStaff(), await someStaff()];
  const bytes = pngOf(61, 33);
  const url = (await dataOf<Business>(put(one, bytes))).logo?.url ?? "";
  expect((await dataOf<Business>(put(other, bytes))).logo?.url).toBe(url);
  await dataOf(drop(one));
  expect((await seen(url)).status).toBe(200);
  expect((await business(other)).logo?.url).toBe(url);
});

test("payers' pages are made anew when the logo changes", async () => {
  const staff = await someStaff();
  const changedAt = async () =>
    (
      await db
        .select({ at: businesses.updatedAt })
        .from(businesses)
        .where(eq(businesses.id, staff.businessId))
    )[0]?.at ?? "";
  const before = await changedAt();
  await dataOf(put(staff, pngOf(40, 40)));
  expect((await changedAt()) > before).toBe(true);
});

test("the audit log says who set and who removed it, without the picture", async () => {
  const staff = await someStaff();
  await dataOf(put(staff, pngOf(40, 40)));
  await dataOf(drop(staff));
  const { data } = await dataOf<{ data: AuditEntry[] }>(
    call(auditRoute.GET, "/audit-log", { headers: as(staff) }),
  );
  expect(data.map(({ action, details }) => [action, details])).toEqual(
    expect.arrayContaining([
      ["deleteLogo", {}],
      ["putLogo", { fields: ["image"] }],
    ]),
  );
});
