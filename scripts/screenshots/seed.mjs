import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

/** Fills the demo business of a started install with two months of trade, over the API and the payer's pages; only dates are set in the database. */

const people = [
  ["Nurul Aini", "nurul.aini@gmail.example"],
  ["Wei Ling Tan", "weiling@orchard.example"],
  ["Arjun Menon", "arjun.menon@brightline.example"],
  ["Siti Rahmah", "siti@rahmah.example"],
  ["Daniel Koh", "daniel.koh@pixelworks.example"],
  ["Mei Fong", "accounts@fongandco.example"],
  ["Farid Osman", "farid@osmanlegal.example"],
  ["Grace Lim", "grace.lim@mailbox.example"],
  ["Hafiz Zain", "hafiz.zain@mailbox.example"],
  ["Priya Nair", "priya@nairdesign.example"],
  ["Lucas Meyer", "lucas@meyer-bau.example"],
  ["Chloé Martin", "chloe@atelier-martin.example"],
];
const things = [
  ["Studio deposit, November", 45_000],
  ["Website care, one month", 32_000],
  ["Logo and letterhead", 185_000],
  ["Printing, 200 cards", 18_600],
  ["Photo day at the market", 96_000],
  ["Poster series, second half", 124_500],
  ["Type workshop, one seat", 28_000],
  ["Menu boards", 67_500],
  ["Packaging sample", 41_250],
  ["Annual report layout", 360_000],
];

/** Deterministic, so that two runs make the same pictures. */
function dice(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export async function seed(folder) {
  const {
    base_url: origin,
    api_key: key,
    email,
    password,
    business_id: business,
  } = JSON.parse(readFileSync(path.join(folder, "first-run.json"), "utf8"));
  const staff = await signIn(origin, email, password);
  const call = async (method, at, body, headers = { authorization: `Bearer ${key}` }) => {
    const response = await fetch(`${origin}/api${at}`, {
      method,
      headers: { ...headers, origin, ...(body ? { "content-type": "application/json" } : {}) },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${at}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const own = { cookie: staff, "x-kutip-business": String(business), "x-kutip-mode": "test" };
  await call(
    "PUT",
    "/business",
    {
      name: "Tide & Co",
      time_zone: "Asia/Kuala_Lumpur",
      default_currency: "MYR",
      accent: "#0f5f8c",
      support_email: "hello@tide.example",
      support_phone: "+60 3-2715 8800",
    },
    own,
  );
  await call(
    "PUT",
    "/business/logo",
    { image: readFileSync(new URL("logo.png", import.meta.url)).toString("base64") },
    own,
  );
  const roll = dice(7);
  const moved = [];
  for (let i = 0; i < 64; i++) {
    const [name, payer] = people[Math.floor(roll() * people.length)];
    const [title, amount] = things[Math.floor(roll() * things.length)];
    const daysAgo = i < 4 ? i * 0.08 : Math.floor((i - 3) ** 1.28 * 0.62) + roll();
    const foreign = i % 11 === 10;
    const link = await call("POST", "/payment-links", {
      email: payer,
      title,
      currency: foreign ? "EUR" : "MYR",
      amount: foreign ? Math.round(amount / 5) : amount,
      reference: `INV-${1_142 - i}`,
      send_email: i % 3 === 0,
      ...(i % 4 === 0
        ? { description: `For ${name}. As agreed by phone; changes are free until Friday.` }
        : {}),
      ...(i % 5 === 0 ? { phone_no: "+60123456789" } : {}),
      ...(i % 9 === 7 ? { expires_at: new Date(Date.now() + 864e5 * 3).toISOString() } : {}),
    });
    const kind =
      i < 3
        ? "open"
        : [
            "paid",
            "paid",
            "paid",
            "open",
            "paid",
            "declined",
            "paid",
            "cancelled",
            "paid",
            "expired",
            "paid",
            "later",
          ][i % 12];
    if (kind === "paid") await press(link.payment_url, "approve");
    if (kind === "declined") await press(link.payment_url, "decline");
    if (kind === "later" && i > 50) await press(link.payment_url, "approve_later");
    if (kind === "cancelled") await call("POST", `/payment-links/${link._id}/cancel`);
    moved.push({ link: link._id, kind, seconds: Math.round(daysAgo * 86_400) });
  }
  const packages = [];
  for (const [name, amount, frequency, description] of [
    ["Studio membership", 14_900, "monthly", "A desk on weekdays, coffee included"],
    ["Print club", 4_900, "quarterly", "A signed print four times a year"],
    ["Care plan", 32_000, "monthly", "Hosting, updates and two hours of changes"],
    ["Patron", 120_000, "yearly", null],
  ]) {
    packages.push(
      await call("POST", "/packages", {
        name,
        amount,
        currency: "MYR",
        frequency,
        date_charge_start: "2026-11-01",
        ...(description ? { description } : {}),
      }),
    );
  }
  for (const [index, [name, payer]] of people.entries()) {
    const token = await call("POST", "/tokenizations/create-token", {
      email: payer,
      title: "Card for the studio",
      description: `The monthly fee of ${name}`,
    });
    if (index % 4 !== 3)
      await press(token.activation_url, index === 5 ? "approve_declines" : "approve");
    if (index === 8) await call("DELETE", `/tokenizations/${token.token}`);
    const subscription = await call("POST", "/subscriptions", {
      package_id: packages[index % 4]._id,
      email: payer,
    });
    if (index === 9) await call("PUT", `/subscriptions/${subscription._id}`, { status: "cancel" });
  }
  await call("POST", "/api-keys", { name: "Shop checkout" }, own);
  await call("POST", "/team/invitations", { email: "mei@tide.example", role: "staff" }, own);
  await call("POST", "/payment-links", {
    email: "not an address",
    currency: "XXQ",
    amount: 0,
  }).catch(() => undefined);
  await backdate(folder, business, moved);
  const paid = moved.find(({ kind }) => kind === "paid").link;
  const [payment] = (await call("GET", `/payments?payment_link_id=${paid}`)).data;
  const open = await call("GET", `/payment-links/${moved[0].link}`);
  return {
    origin,
    business,
    email,
    password,
    shown: { link: paid, payment: payment._id, address: open.payment_url },
  };
}

async function signIn(origin, email, password) {
  const response = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`signing in: ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
}

/** The payer's way: the page's own form, then a button at the simulated gateway, then back. */
async function press(address, outcome) {
  const page = await (await fetch(address)).text();
  const form = /<form[^>]* action="([^"]+)"/.exec(page);
  if (!form) throw new Error(`no form at ${address}`);
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name, value],
  );
  const go = (to, body) =>
    fetch(new URL(to.replaceAll("&amp;", "&"), address), {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(body),
      headers: { "sec-fetch-site": "same-origin" },
    });
  const begun = await go(form[1], fields);
  const session = begun.headers.get("location");
  if (!session) throw new Error(`${address}: ${begun.status}`);
  const pressed = await go(session, { outcome, declines: "2" });
  await fetch(new URL(pressed.headers.get("location") ?? "/", address));
}

/** Trade that all happened in this minute makes no chart: each link and what came of it is moved into the past. */
async function backdate(folder, business, moved) {
  const { 3: port, 4: host } = readFileSync(
    path.join(folder, "postgres", "postmaster.pid"),
    "utf8",
  ).split("\n");
  const client = new pg.Client({ host, port: Number(port), user: "kutip", database: "kutip" });
  await client.connect();
  // Openings are noted a moment later.
  await pause(3_000);
  for (const { link, kind, seconds } of moved) {
    const earlier = (table, columns, where) =>
      client.query(
        `update ${table} set ${columns.map((column) => `${column} = ${column} - make_interval(secs => $1)`).join(", ")} where business_id = $2 and ${where}`,
        [seconds, business, link],
      );
    await earlier(
      "payment_links",
      ["created_at", "updated_at", "paid_at", "first_opened_at"],
      "id = $3",
    );
    await earlier("payments", ["created_at", "updated_at", "succeeded_at"], "payment_link_id = $3");
    // Events are append-only by trigger; the other tables need theirs, which keep the figures.
    await client.query("set session_replication_role = replica");
    await earlier(
      "events",
      ["created_at"],
      "(object_id = $3 or object_id in (select id from payments where payment_link_id = $3))",
    );
    await client.query("set session_replication_role = origin");
    await earlier("mails", ["created_at"], "object_id = $3");
    if (kind === "expired")
      await client.query(
        "update payment_links set status = 'Expired', expires_at = created_at + interval '2 days' where business_id = $1 and id = $2",
        [business, link],
      );
  }
  await client.end();
}
