import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { insertMail } from "@/lib/domain/mails/rows";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";

const EVERY_MS = 700;

/**
 * A shop at work until the returned function is called: a new link, its payer who presses pay, and an account mail, again and again. What fails
 * is not repeated: the alerts are to see it.
 */
export function startTraffic(url: string, key: string): { calls: () => number; stop: () => void } {
  let calls = 0;
  const once = async () => {
    calls++;
    await insertMail(db, {
      id: newId(),
      businessId: NO_BUSINESS,
      mode: null,
      kind: "drill",
      cause: newId(),
      objectId: null,
      recipient: "owner@kutip.example",
      subject: "A drill",
      html: seal("<p>A drill</p>", "mail"),
      text: seal("A drill", "mail"),
    }).catch(() => undefined);
    const made = await fetch(`${url}/api/payment-links`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title: "Satay for two",
        send_email: false,
      }),
    });
    const { data } = (await made.json()) as { data?: { _id: string } };
    if (data)
      await fetch(`${url}/pay`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ id: data._id, version: "1" }),
      });
  };
  const timer = setInterval(() => void once().catch(() => undefined), EVERY_MS);
  return { calls: () => calls, stop: () => clearInterval(timer) };
}
