import { inflateSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import jsQR from "jsqr";
import { afterAll, expect, test } from "vitest";
import { eq } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { paymentColumns } from "@/lib/domain/payments/columns";
import { linkColumns } from "@/lib/domain/payment-links/columns";
import type { Payment } from "@/lib/contract/payments";
import { businessLogos } from "@/db/schema/businesses";
import { setLogo } from "@/lib/domain/businesses/logo";
import { findLogo } from "@/lib/domain/businesses/rows";
import { systemCtx } from "@/lib/domain/context";
import { exportHeader } from "@/lib/kernel/local-columns";
import { pdfText } from "../../e2e/pdf-text";
import { pictureOf } from "../images";
import {
  bearer,
  data,
  file,
  keyCall,
  link,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
} from "./setting";

afterAll(closePool);

test("an export has every link that the filters match, in the list's order, and no other", async () => {
  const office = await newOffice();
  const rows = Array.from({ length: 2_300 }, (_, index) =>
    link({
      amount: 500 + (index % 7),
      reference: `R${index}`,
      email: index % 2 ? "ana@example.com" : "ben@example.com",
    }),
  );
  data(await keyCall(office, "POST", "/payment-links/bulk", { rows }));
  await newLink(await newOffice(), { email: "ana@example.com" });
  for (const sort of ["-created_at", "created_at", "amount", "-amount"]) {
    const answer = await file(
      `/payment-links/export?email=ANA@example.com&sort=${sort}`,
      bearer(office.key),
    );
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="payment-links.csv"',
    );
    const [header, ...lines] = parse(await answer.text()) as string[][];
    expect(header).toEqual(exportHeader(linkColumns, "UTC"));
    const ids = lines.map(([id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([1_150, 1_150]);
    const first = data<{ data: { _id: string }[] }>(
      await keyCall(
        office,
        "GET",
        `/payment-links?email=ana@example.com&per_page=100&sort=${sort}`,
      ),
    );
    expect(ids.slice(0, 100)).toEqual(first.data.map(({ _id }) => _id));
  }
});

test("a title that a spreadsheet would calculate is written as text; quotes, commas and line ends survive", async () => {
  const office = await newOffice();
  await newLink(office, {
    title: '=HYPERLINK("x")',
    phone_no: "+60123",
    description: 'a "b", c\nd',
    reference: "-1",
  });
  const [row] = parse(await (await file("/payment-links/export", bearer(office.key))).text(), {
    columns: true,
  }) as Record<string, string>[];
  expect(row).toMatchObject({
    title: `'=HYPERLINK("x")`,
    phone_no: "'+60123",
    description: 'a "b", c\nd',
    reference: "'-1",
    amount: "1250",
    amount_decimal: "12.50",
    paid: "false",
  });
});

test("payments are exported by the same filters", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  await pay(office, id, "decline");
  await pay(office, id);
  const lines = parse(
    await (
      await file(`/payments/export?payment_link_id=${id}&status=succeeded`, bearer(office.key))
    ).text(),
    { columns: true },
  ) as Record<string, string>[];
  expect(Object.keys(lines[0] ?? {})).toEqual(exportHeader(paymentColumns, "UTC"));
  expect(lines.map(({ status, amount }) => [status, amount])).toEqual([["succeeded", "1250"]]);
});

test("files ask for the same rights as all else: key or staff, business, mode and filters", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const query = `business=${office.businessId}&mode=test`;
  const { cookie = "" } = office.headers;
  expect((await file(`/payment-links/export?${query}`, {})).status).toBe(401);
  expect((await file(`/payment-links/export?${query}`, { cookie })).status).toBe(200);
  expect((await file("/payment-links/export", { cookie })).status).toBe(400);
  expect(
    (
      await file(`/payment-links/export?${query}`, {
        cookie: (await member(office, "viewer")).cookie ?? "",
      })
    ).status,
  ).toBe(200);
  expect(
    (
      await file(`/payment-links/export?${query}`, {
        cookie: (await newOffice()).headers.cookie ?? "",
      })
    ).status,
  ).toBe(403);
  expect((await file("/payment-links/export?sort=title", bearer(office.key))).status).toBe(422);
  expect((await file(`/payment-links/${id}/qr.png`, bearer(office.liveKey))).status).toBe(404);
});

test("the QR code, as SVG and as PNG, leads to the payment page", async () => {
  const office = await newOffice();
  const made = data<{ _id: string; payment_url: string }>(
    await keyCall(office, "POST", "/payment-links", link()),
  );
  const svg = await file(`/payment-links/${made._id}/qr.svg`, bearer(office.key));
  expect(svg.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
  expect(await svg.text()).toMatch(/^<svg /);
  const png = await file(`/payment-links/${made._id}/qr.png`, bearer(office.key));
  expect(png.headers.get("content-type")).toBe("image/png");
  const { pixels, width } = greyOf(new Uint8Array(await png.arrayBuffer()));
  expect(jsQR(pixels, width, width)?.data).toBe(made.payment_url);
});

test("a pending token's QR code leads to its activation page, for who may see that address", async () => {
  const office = await newOffice();
  const input = { email: "ana@example.com", title: "Gold", description: "The monthly fee" };
  const made = data<{ _id: string; token: string; activation_url: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", input),
  );
  const qr = (kind: string, headers = bearer(office.key) as Record<string, string>) =>
    file(`/tokenizations/${made._id}/qr.${kind}`, headers);
  const png = await qr("png");
  const { pixels, width } = greyOf(new Uint8Array(await png.arrayBuffer()));
  expect(jsQR(pixels, width, width)?.data).toBe(made.activation_url);
  expect(await (await qr("svg")).text()).toMatch(/^<svg /);
  expect((await qr("svg", await member(office, "staff"))).status).toBe(200);
  expect((await qr("svg", await member(office, "viewer"))).status).toBe(403);
  expect((await qr("svg", bearer(office.liveKey))).status).toBe(404);
  expect((await qr("svg", bearer((await newOffice()).key))).status).toBe(404);
  await keyCall(office, "DELETE", `/tokenizations/${made._id}`);
  expect((await qr("svg")).status).toBe(409);
});

test("a receipt is a PDF that names amount, reference and business; without success there is none", async () => {
  const office = await newOffice();
  const id = await newLink(office, { amount: 123_450, reference: "INV-1042" });
  await pay(office, id, "decline");
  await pay(office, id);
  const payments = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${id}`),
  ).data;
  const path = (status: string) =>
    `/payments/${payments.find((payment) => payment.status === status)?._id}/receipt`;
  const answer = await file(path("succeeded"), bearer(office.key));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const pdf = Buffer.from(await answer.arrayBuffer());
  expect(pdf.subarray(0, 4).toString()).toBe("%PDF");
  for (const text of ["MYR 1,234.50", "INV-1042", "Some Shop", "Satay for two"])
    expect(pdfText(pdf)).toContain(text);
  expect((await file(path("failed"), bearer(office.key))).status).toBe(409);
  expect((await file(path("succeeded"), bearer((await newOffice()).key))).status).toBe(404);
});

test("a receipt draws names of any script in a thread, and names the payer, the method and each refund", async () => {
  const office = await newOffice();
  const title = "Łódź, Чек, Ευχή, 收据, إيصال, தமிழ்";
  const id = await newLink(office, { title, amount: 5_000, email: "lim@example.com" });
  const [customer] = data<{ data: { _id: string; version: number }[] }>(
    await keyCall(office, "GET", "/customers?email=lim@example.com"),
  ).data;
  await keyCall(office, "PUT", `/customers/${customer?._id}`, {
    name: "林 美玲",
    version: customer?.version,
  });
  await pay(office, id);
  const [payment] = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${id}`),
  ).data;
  await keyCall(office, "POST", `/payments/${payment?._id}/refunds`, { amount: 700 });
  const drawn = pdfText(await receiptOf(office)).replaceAll("\n", "");
  for (const text of [
    title,
    "林 美玲",
    "lim@example.com",
    "Paid with",
    "MYR 7.00 on ",
    payment?._id,
  ])
    expect(drawn).toContain(text);
});

test.each(["png", "jpeg", "webp"] as const)("a %s as the logo is on the receipt", async (type) => {
  const office = await newOffice();
  await setLogo(
    systemCtx({ businessId: office.businessId, mode: "test" }, { kind: "operator" }, "test"),
    (await pictureOf(type, 120, 40)).toString("base64"),
  );
  await pay(office, await newLink(office));
  const pdf = await receiptOf(office);
  expect(pdfText(pdf)).toContain("MYR");
  expect(pdf.includes("/Subtype /Image")).toBe(true);
});

test("a large logo from before logos were encoded is encoded by the first receipt, once, and keeps its address", async () => {
  const office = await newOffice();
  const ctx = systemCtx(
    { businessId: office.businessId, mode: "test" },
    { kind: "operator" },
    "test",
  );
  const { logo } = await setLogo(ctx, (await pictureOf("png", 64, 64)).toString("base64"));
  const old = await pictureOf("webp", 2_048, 2_048);
  const stored = () => findLogo(ctx.businessId);
  await db
    .update(businessLogos)
    .set({ bytes: old, type: "image/webp", encoded: false })
    .where(eq(businessLogos.businessId, ctx.businessId));
  await pay(office, await newLink(office));
  expect((await receiptOf(office)).includes("/Subtype /Image")).toBe(true);
  const after = await stored();
  expect(after).toMatchObject({ encoded: true, type: "image/png" });
  expect(after?.bytes.length).toBeLessThan(old.length);
  expect(logo?.url).toContain(after?.digest);
  expect((await receiptOf(office)).includes("/Subtype /Image")).toBe(true);
  expect((await stored())?.updatedAt).toBe(after?.updatedAt);
});

async function receiptOf(office: Office): Promise<Buffer> {
  const [payment] = data<{ data: Payment[] }>(
    await keyCall(office, "GET", "/payments?collected=true"),
  ).data;
  return Buffer.from(
    await (await file(`/payments/${payment?._id}/receipt`, bearer(office.key))).arrayBuffer(),
  );
}

/** The RGBA pixels of a PNG of one bit or byte a channel, as the qrcode package writes them. */
function greyOf(png: Uint8Array): { pixels: Uint8ClampedArray; width: number } {
  const view = new DataView(png.buffer);
  const [width, colour] = [view.getUint32(16), png[25]];
  expect([png[24], colour]).toEqual([8, 6]);
  const parts: Uint8Array[] = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    if (Buffer.from(png.subarray(at + 4, at + 8)).toString() === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * 4;
  const pixels = new Uint8ClampedArray(width * line);
  for (let row = 0; row < width; row++) {
    const filter = raw[row * (line + 1)];
    for (let i = 0; i < line; i++) {
      const value = raw[row * (line + 1) + 1 + i] ?? 0;
      const left = i >= 4 ? (pixels[row * line + i - 4] ?? 0) : 0;
      const up = row > 0 ? (pixels[(row - 1) * line + i] ?? 0) : 0;
      const corner = row > 0 && i >= 4 ? (pixels[(row - 1) * line + i - 4] ?? 0) : 0;
      pixels[row * line + i] = (value + predicted(filter ?? 0, left, up, corner)) & 255;
    }
  }
  return { pixels, width };
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
