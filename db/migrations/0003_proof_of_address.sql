ALTER TABLE "memberships" ADD COLUMN "joined_by_link" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "link_digest" text;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_link_digest" ON "invitations" USING btree ("link_digest");--> statement-breakpoint
-- Owners whom business:create made: the account and its business come from one transaction, so their times are equal.
-- An account that existed before the command was not made by the operator and stays unproven.
UPDATE "auth_users" u SET "email_verified" = true, "updated_at" = now()
WHERE NOT u."email_verified" AND EXISTS (
  SELECT 1 FROM "memberships" m
  JOIN "businesses" b ON b."id" = m."business_id" AND b."created_at" = u."created_at"
  JOIN "audit_entries" a ON a."business_id" = b."id" AND a."action" = 'business:create'
    AND a."actor_kind" = 'operator' AND a."object_id" = u."id"::text
  WHERE m."user_id" = u."id"
);--> statement-breakpoint
-- Devices trusted to go without the second factor lasted 30 days. All other proofs last a day at most.
DELETE FROM "auth_verifications" WHERE "expires_at" > "created_at" + interval '1 day';
