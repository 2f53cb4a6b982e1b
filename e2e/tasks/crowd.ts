import type { BulkReport } from "@/lib/contract/bulk";
import { type Install, join } from "../install";
import { newShop, type Shop } from "../shop";

const CROWD = 5_000;

/** A business with 5,000 payment links, as one that has collected for a year. No mail goes out. */
export async function newCrowd(install: Install): Promise<Shop> {
  await join(install);
  const shop = await newShop(install.url, "Bukit Bintang School");
  const report = await shop.api.ok<BulkReport>("POST", "/payment-links/bulk", {
    rows: Array.from({ length: CROWD }, (_, made) => ({
      email: `parent${made % 1_500}@example.com`,
      title: `Fees ${["January", "April", "July", "October"][made % 4]}`,
      currency: "MYR",
      amount: 12_000 + (made % 90) * 50,
      reference: `FEE-${made}`,
      send_email: false,
    })),
  });
  if (report.rows.length !== CROWD) throw new Error("the crowd is not complete");
  return shop;
}
