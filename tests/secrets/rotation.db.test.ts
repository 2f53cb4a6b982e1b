import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { activateSecret, readSecretState } from "@/db/active-secret";
import { closePool, db, pool, withTransaction } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { provideLimits } from "@/db/limits";
import { resealAll } from "@/db/reseal";
import { provideEnv } from "@/lib/env";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { backups } from "@/lib/operator/scheduled-backup/job";
import { exportInstall } from "@/lib/operator/transfer";
import { log } from "@/lib/kernel/log";
import { knownKeys, seal, unseal } from "@/lib/kernel/secrets";
import { planBackup, readSchedule } from "@/lib/worker/backup-rows";
import { rotateSecret } from "@/lib/operator/secret";
import { completeInstall } from "@/lib/supervisor/install";
import { registerProcess } from "@/lib/supervisor/registration";
import { secretOfCopy, verifySecret } from "@/lib/supervisor/secret";
import { newOffice } from "../dashboard/setting";
import { newBusiness } from "../money/stripe-setting";
import { runOnce } from "../run-once";
import {
  columnsWith,
  fullOffice,
  idOf,
  knows,
  otherProcess,
  QUICK,
  restartedWith,
  rotate,
  rotationEach,
  sealsWith,
  secrets,
  someMail,
  textOf,
  valuesBy,
  waitingForLock,
  withApp,
} from "./rotation-setting";

vi.mock(import("@/lib/supervisor/secret"), { spy: true });

const heard = rotationEach();
const leaving: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave();
});

describe("a new secret", () => {
  test("seals nothing before it is active, and processes that know it open what the old one sealed", async () => {
    const old = seal("text", "mail");
    await restartedWith(secrets.second, secrets.first);
    expect(sealsWith()).toBe(idOf(secrets.first));
    expect(unseal(old, "mail")).toBe("text");
  });

  test("is refused while a live process does not know it; the refusal names the process and changes nothing", async () => {
    await otherProcess([secrets.second, secrets.first], 4710);
    await otherProcess([secrets.first]);
    await expect(rotate()).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/do not know it.*\nweb process 4711 on far-away/),
    });
    expect((await readSecretState()).rotation).toBeUndefined();
    await restartedWith(secrets.first);
    expect(sealsWith()).toBe(idOf(secrets.first));
  });

  test("does not wait for a process that was not seen for 20 seconds", async () => {
    await otherProcess([secrets.first]);
    await db.execute(sql`update processes set seen_at = now() - interval '21 seconds'`);
    await rotate();
    expect(sealsWith()).toBe(idOf(secrets.second));
  });

  test("seals every value anew, so that the old one is not needed any more", async () => {
    await fullOffice();
    await withApp();
    const mail = await someMail("Thank you");
    const before = await valuesBy(secrets.first);
    for (const [column, { all }] of Object.entries(before))
      expect([column, all > 0]).toEqual([column, true]);
    expect(await columnsWith(secrets.first)).toContain("public.mails.text");
    await rotate();
    await restartedWith(secrets.second);
    for (const [column, { all, own }] of Object.entries(await valuesBy(secrets.second)))
      expect([column, own]).toEqual([column, all]);
    expect(await columnsWith(secrets.first)).toEqual([]);
    expect(unseal(await textOf(mail), "mail")).toBe("Thank you");
    expect(await resealAll()).toEqual({ resealed: 0, busy: 0, unopenable: {} });
    expect(heard.said.join("")).toMatch(/mails: \d+ rows sealed anew/);
    expect(heard.noted.join("")).toMatch(/backups made before: they need it/);
  }, 60_000);

  test("reads a table some rows at a time, however many are sealed anew already", async () => {
    const old = seal("Last", "mail");
    await rotate();
    let last = "";
    for (let at = 0; at < 7; at++) last = await someMail("Pay");
    await pool().query("update mails set text = $1 where id = $2", [old, last]);
    const query = vi.spyOn(pool(), "query");
    expect(await resealAll(undefined, 3)).toEqual({ resealed: 1, busy: 0, unopenable: {} });
    const read: number[] = [];
    for (const [at, [asked]] of query.mock.calls.entries()) {
      if (!/select[\s\S]*from "mails"/.test((asked as unknown as { text: string }).text)) continue;
      const found = (await query.mock.results[at]?.value) as { rows: unknown[] } | undefined;
      read.push(found?.rows.length ?? 0);
    }
    query.mockRestore();
    expect(read).toEqual([3, 3, 1]);
    expect(unseal(await textOf(last), "mail")).toBe("Last");
  });

  test("seals values anew that named no secret, and leaves those that nothing opens, counted by column", async () => {
    const [unnamed, broken] = [await someMail("Unnamed"), await someMail("Broken")];
    await db.execute(sql`update mails set text = split_part(text, '.', 2) where id = ${unnamed}`);
    await db.execute(sql`update mails set text = 'AAAA' where id = ${broken}`);
    await rotate();
    await restartedWith(secrets.second);
    expect(unseal(await textOf(unnamed), "mail")).toBe("Unnamed");
    expect(await textOf(broken)).toBe("AAAA");
    expect(heard.noted.join("")).toContain("1 values of mails.text cannot be opened");
  });

  test("is asked for where there is none", async () => {
    await restartedWith(secrets.first);
    await expect(rotateSecret(undefined, QUICK)).rejects.toThrow(/KUTIP_SECRET_PREVIOUS/);
  });
});

describe("a rotation that ended half way", () => {
  const halfWay = async () => {
    const mail = await someMail("Pay");
    await fullOffice();
    await restartedWith(secrets.second, secrets.first);
    const [to, from] = knownKeys();
    await activateSecret(from ?? to, to, async () => undefined);
    await verifySecret("a test");
    const crash = (table: string) => {
      if (table === "webhook_endpoints") throw new Error("killed");
    };
    await expect(resealAll(crash)).rejects.toThrow("killed");
    return mail;
  };

  test("refuses processes that lack either secret, and copies that two secrets would open", async () => {
    const mail = await halfWay();
    expect(unseal(await textOf(mail), "mail")).toBe("Pay");
    await expect(secretOfCopy()).rejects.toThrow(/two secrets/);
    await expect(restartedWith(secrets.second)).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/values of the previous secret remain.*KUTIP_SECRET_PREVIOUS/),
    });
    await expect(restartedWith(secrets.first)).rejects.toThrow(/another KUTIP_SECRET/);
    await expect(restartedWith("x".repeat(32), "y".repeat(32))).rejects.toThrow(
      /another KUTIP_SECRET/,
    );
  });

  test("is taken up again and ends like any other", async () => {
    const mail = await halfWay();
    await rotate();
    await restartedWith(secrets.second);
    expect(unseal(await textOf(mail), "mail")).toBe("Pay");
    for (const [column, { all, own }] of Object.entries(await valuesBy(secrets.second)))
      expect([column, own]).toEqual([column, all]);
    expect(await secretOfCopy()).toBe(secrets.second);
  });

  test("does not begin another one", async () => {
    await halfWay();
    await restartedWith(secrets.first, secrets.second);
    await expect(rotateSecret(undefined, QUICK)).rejects.toThrow(/under way: exchange/);
  });
});

test("a change by others between reading and writing wins, and is sealed anew in its turn", async () => {
  const mail = await someMail("Before");
  const changed = seal("After", "mail");
  const other = await pool().connect();
  await other.query("begin");
  await other.query("update mails set text = $1 where id = $2", [changed, mail]);
  const rotating = rotate();
  await expect.poll(waitingForLock).toBe(1);
  await other.query("commit");
  other.release();
  await rotating;
  await restartedWith(secrets.second);
  expect(unseal(await textOf(mail), "mail")).toBe("After");
});

describe("an erasure that sealed with the old secret", () => {
  /** An erasure that has sealed, and waits for a lock of this test before it writes any mail. */
  const underWay = async () => {
    // How long it waits for our lock.
    provideLimits({ requestMs: 60_000 });
    await closePool();
    const { shop, businessId } = await newOffice();
    const recipient = "erased@example.com";
    // As of a payer from before 1.0.0-rc.1: no record has the address, so nothing is written before the mail.
    await someMail("Pay", { businessId, mode: "test", recipient });
    const other = await pool().connect();
    await other.query(
      "begin; set local idle_in_transaction_session_timeout = 0; lock gateway_events in exclusive mode",
    );
    const erasing = erasePayer(shop.ctx, recipient);
    await expect.poll(waitingForLock, { timeout: 15_000 }).toBe(1);
    return async () => {
      await other.query("commit");
      other.release();
      await erasing;
    };
  };

  test("is waited for, and leaves nothing that the new one does not open", async () => {
    const end = await underWay();
    let isOver = false;
    const rotating = rotate().finally(() => (isOver = true));
    await expect
      .poll(() => isOver || heard.said.join("").includes("Waiting for transactions"), {
        timeout: 30_000,
      })
      .toBe(true);
    await end();
    await rotating;
    await restartedWith(secrets.second);
    expect(await columnsWith(secrets.first)).toEqual([]);
    expect(heard.said.join("")).toMatch(/Waiting for transactions.*process \d+/);
  }, 60_000);

  test("and does not end in time is named, and the rotation is taken up again", async () => {
    const end = await underWay();
    await restartedWith(secrets.second, secrets.first);
    await expect(rotateSecret(undefined, { ...QUICK, olderMs: 0 })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/still open.*process \d+/),
    });
    expect((await readSecretState()).rotation).toBeDefined();
    await end();
    await rotate();
    expect(await columnsWith(secrets.first)).toEqual([]);
  }, 60_000);
});

describe("a running process", () => {
  const registered = async () => {
    const leave = await registerProcess("web", "a test");
    leaving.push(leave);
    return leave;
  };

  test("that knows both secrets seals with the new one soon after it is active, and the rotation waits for that", async () => {
    provideLimits({ confirmMs: 20 });
    await restartedWith(secrets.second, secrets.first);
    await registered();
    expect(sealsWith()).toBe(idOf(secrets.first));
    await rotateSecret(undefined, QUICK);
    await expect.poll(sealsWith).toBe(idOf(secrets.second));
    const { rows } = await pool().query("select seals_with from processes");
    expect(rows).toEqual([{ seals_with: idOf(secrets.second) }]);
  });

  test("that does not know the active secret ends with the sentence, and makes no further call", async () => {
    provideLimits({ confirmMs: 20 });
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const kill = vi.spyOn(process, "kill").mockImplementation(() => true);
    await registered();
    await db.execute(sql`update settings set value = 'another' where key = 'secret_check'`);
    await expect.poll(() => kill.mock.calls).toEqual([[process.pid, "SIGTERM"]]);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/another KUTIP_SECRET/));
    expect(() => pool("request")).toThrow(/has not joined/);
  });

  test("confirms its secret again soon after the database was away, not at the next interval", async () => {
    provideLimits({ confirmMs: 3_000, confirmRetryMs: 20 });
    const warn = vi.spyOn(log, "warn").mockImplementation(() => undefined);
    await registered();
    await db.execute(sql`alter table settings rename to settings_away`);
    await expect
      .poll(() => warn.mock.calls.map(([, text]) => text), { timeout: 10_000 })
      .toEqual(["the active secret could not be confirmed"]);
    await db.execute(sql`alter table settings_away rename to settings`);
    await db.execute(sql`delete from processes`);
    const processes = async () => (await pool().query("select from processes")).rowCount;
    await expect.poll(processes, { timeout: 1_500 }).toBe(1);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("cannot join with the old secret while the new one is being activated", async () => {
    await restartedWith(secrets.second, secrets.first);
    const [to, from] = knownKeys();
    const [locked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const activating = activateSecret(from ?? to, to, async () => {
      locked.resolve();
      await mayEnd.promise;
    });
    await locked.promise;
    knows(secrets.first);
    const joining = registerProcess("web", "a test").catch((error: unknown) => error);
    await expect.poll(waitingForLock).toBe(1);
    mayEnd.resolve();
    await activating;
    expect(await joining).toMatchObject({ name: "Refusal" });
    expect((await pool().query("select from processes")).rowCount).toBe(0);
  });

  test("is not ended by what it hears of the secret after it has left", async () => {
    provideLimits({ confirmMs: 20 });
    const kill = vi.spyOn(process, "kill").mockImplementation(() => true);
    const leave = await registered();
    await withTransaction(async (tx) => {
      await tx.execute(sql`lock table settings in access exclusive mode`);
      await expect.poll(waitingForLock).toBe(1);
      await leave();
      await tx.execute(sql`update settings set value = 'another' where key = 'secret_check'`);
    });
    // Waits for the answer that the first one did not wait for.
    await leave();
    expect(kill).not.toHaveBeenCalled();
  });

  test("leaves no row when it ends in order", async () => {
    const leave = await registered();
    expect((await pool().query("select from processes")).rowCount).toBe(1);
    await leave();
    expect((await pool().query("select from processes")).rowCount).toBe(0);
  });
});

test("a copy is refused where another secret became active between its start and its moment, and leaves no file", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-rotation-"));
  await newBusiness();
  await restartedWith(secrets.second, secrets.first);
  const [to, from] = knownKeys();
  const activated = () =>
    vi.mocked(secretOfCopy).mockImplementationOnce(async () => {
      await activateSecret(from ?? to, to, async () => undefined);
      return secrets.first;
    });
  try {
    provideEnv({ KUTIP_DATA_DIR: folder, BACKUP_TO: folder, BACKUP_KEY: "a passphrase for tests" });
    activated();
    await expect(exportInstall([path.join(folder, "export")])).rejects.toThrow(
      /secret was replaced/,
    );
    await planBackup((await readSchedule()).now);
    activated();
    await runOnce(backups);
    expect((await readSchedule()).schedule?.problem).toMatch(/secret was replaced/);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    provideEnv({ KUTIP_DATA_DIR: "", BACKUP_TO: "", BACKUP_KEY: "" });
    rmSync(folder, { recursive: true, force: true });
  }
});

test("where the secret is kept in the data folder one command replaces it, beside a running process, and keeps the old one", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-rotation-"));
  const { secret: file } = placesIn(folder);
  provideLimits({ confirmMs: 20 });
  try {
    provideEnv({ KUTIP_SECRET: "", KUTIP_DATA_DIR: folder });
    await closePool();
    await db.execute(sql`delete from settings where key = 'secret_check'`);
    await db.execute(sql`delete from audit_keys`);
    await completeInstall({ places: placesIn(folder), embedded: false, startedHere: false });
    const old = readFileSync(file, "utf8").trim();
    const mail = await someMail("Pay");
    const leave = await registerProcess("web", file);
    leaving.push(leave);
    await rotateSecret(file, { ...QUICK, followMs: 5_000 });
    const present = readFileSync(file, "utf8").trim();
    expect(present).not.toBe(old);
    const [aside = "", ...others] = readdirSync(folder).filter((name) =>
      name.startsWith("secret."),
    );
    expect(others).toEqual([]);
    expect(readFileSync(path.join(folder, aside), "utf8").trim()).toBe(old);
    expect(heard.noted.join("")).toContain(aside);
    await leave();
    await restartedWith(present);
    expect(unseal(await textOf(mail), "mail")).toBe("Pay");
    expect(existsSync(`${file}.previous`)).toBe(false);
  } finally {
    provideEnv({ KUTIP_DATA_DIR: "" });
    rmSync(folder, { recursive: true, force: true });
  }
});
