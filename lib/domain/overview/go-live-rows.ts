import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { isoSql, NO_BUSINESS } from "@/db/columns";
import { apiKeys, businesses } from "@/db/schema/businesses";
import { gatewayConnections as connections } from "@/db/schema/gateway-connections";
import { mails } from "@/db/schema/mails";
import { payments } from "@/db/schema/payments";
import { auditEntries } from "@/db/schema/team";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { shownStatus } from "../mails/rows";
import { MANUAL_GATEWAY } from "../payments/rules";
import { testMailsOf } from "./test-mail";

/** The newest test mail. */
type TestMail = {
  mail_status: (typeof mails.$inferSelect)["status"] | null;
  mail_error: string | null;
  mail_to: string | null;
  mail_at: string | null;
};
type BusinessFacts = {
  gateway: string | null;
  account: string | null;
  checked_at: string | null;
  branded: boolean;
  time_zone: string;
  /** The settings were saved once, with the zone that they show. A save that changes nothing is only in the audit log. */
  saved: boolean;
  live_key: boolean;
  /** Of the first payment through a gateway: one that is recorded by hand proves nothing. */
  paid_at: string | null;
};
export type GoLiveFacts = BusinessFacts & TestMail;

/** The facts of live mode, whichever mode asks. */
export async function goLiveFacts({ businessId }: Pick<Ctx, "businessId">): Promise<GoLiveFacts> {
  const { rows } = await db.execute<BusinessFacts>(sql`
    select gateway.gateway, gateway.account_name as account, ${isoSql(sql`gateway.checked_at`)} as checked_at,
      (b.accent is not null or b.logo is not null or b.support_email is not null or b.support_phone is not null) as branded,
      b.time_zone,
      (b.version > 1 or exists (select 1 from ${auditEntries} a where a.business_id = ${businessId} and a.action = 'updateBusiness')) as saved,
      exists (select 1 from ${apiKeys} k where k.business_id = ${businessId} and k.mode = 'live' and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as live_key,
      ${isoSql(sql`(select min(p.succeeded_at) from ${payments} p where p.business_id = ${businessId} and p.mode = 'live' and p.succeeded_at is not null and p.gateway <> ${MANUAL_GATEWAY})`)} as paid_at
    from ${businesses} b
    left join lateral (
      select c.gateway, c.account_name, c.checked_at from ${connections} c
      where c.business_id = ${businessId} and c.mode = 'live' and c.revoked_at is null order by c.created_at desc limit 1
    ) gateway on true
    where b.id = ${businessId}`);
  const [facts] = rows;
  if (!facts) throw notFound();
  return { ...facts, ...(await lastTestMail(businessId)) };
}

/** Such a mail is the install's own, on another server than the business where there are several. */
async function lastTestMail(businessId: number): Promise<TestMail> {
  const { rows } = await db.execute<TestMail>(sql`
    select ${shownStatus} as mail_status, error as mail_error, recipient as mail_to, ${isoSql(sql`coalesce(sent_at, created_at)`)} as mail_at from ${mails}
    where business_id = ${NO_BUSINESS} and object_id = ${testMailsOf(businessId)} order by created_at desc, id desc limit 1`);
  return rows[0] ?? { mail_status: null, mail_error: null, mail_to: null, mail_at: null };
}
