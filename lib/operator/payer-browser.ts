import { Refusal } from "@/db/embedded/refusal";

type Outcome = "approve" | "decline";

const unescaped: Record<string, string> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#x27;": "'",
  "&lt;": "<",
  "&gt;": ">",
};
const text = (html: string) =>
  html.replace(/&(amp|quot|#x27|lt|gt);/g, (entity) => unescaped[entity] ?? entity);

/** The hidden fields of the page's first form, as a browser would send them. */
function hiddenFields(html: string): Record<string, string> {
  const form = /<form[^>]*method="post"[^>]*>(.*?)<\/form>/s.exec(html)?.[1];
  if (form === undefined) throw new Refusal("the payer's page has no form to send");
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, text(value)],
    ),
  );
}

/**
 * Pays a payment link of test mode, or saves a payment method, as its payer would: presses the page's button and chooses the outcome
 * at the simulator. `origin` is where the install is reached; the addresses on its pages may name another one.
 */
export async function visitAsPayer(origin: string, url: string, outcome: Outcome): Promise<void> {
  const here = (address: string) => {
    const { pathname, search } = new URL(address, origin);
    return new URL(pathname + search, origin);
  };
  const get = async (address: string) => {
    const response = await fetch(here(address), { redirect: "manual" });
    return { status: response.status, html: await response.text() };
  };
  const send = async (address: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const response = await fetch(here(address), { method: "POST", body, redirect: "manual" });
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status !== 303 || location === null)
      throw new Refusal(`the payer's form was answered with ${response.status}`);
    return location;
  };

  const page = await get(url);
  if (page.status !== 200) throw new Refusal(`the payer's page answers ${page.status}`);
  const { pathname } = here(url);
  const hosted = await send(pathname, hiddenFields(page.html));
  if (!here(hosted).pathname.startsWith("/simulator/"))
    throw new Refusal("the payer was not sent to the simulator: is this test mode?");
  await get(await send(hosted, { outcome }));
}
