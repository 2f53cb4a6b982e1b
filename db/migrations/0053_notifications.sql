CREATE TABLE "notification_settings" (
	"business_id" integer NOT NULL,
	"user_id" uuid NOT NULL,
	"mail" text[] DEFAULT '{}' NOT NULL,
	"chat" text[] DEFAULT '{}' NOT NULL,
	"chat_url" text,
	"chat_off" boolean DEFAULT false NOT NULL,
	"chat_problem" text,
	"daily_due_at" timestamp (6) with time zone,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_settings_business_id_user_id_pk" PRIMARY KEY("business_id","user_id"),
	CONSTRAINT "notification_settings_kinds_known" CHECK ("notification_settings"."mail" <@ '{payments,failures,daily}'::text[] and "notification_settings"."chat" <@ '{payments,failures,daily}'::text[])
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"business_id" integer NOT NULL,
	"id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"event_ids" text[] DEFAULT '{}' NOT NULL,
	"day" date,
	"status" text DEFAULT 'queued' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"error" text,
	"next_try_at" timestamp (6) with time zone,
	"sent_at" timestamp (6) with time zone,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notifications_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "notifications_channel_known" CHECK ("notifications"."channel" in ('mail', 'chat')),
	CONSTRAINT "notifications_status_known" CHECK ("notifications"."status" in ('queued', 'sent', 'failed', 'dropped'))
);
--> statement-breakpoint
ALTER TABLE "event_queue" DROP CONSTRAINT "event_queue_consumer_known";--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_member" FOREIGN KEY ("business_id","user_id") REFERENCES "public"."memberships"("business_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_settings" FOREIGN KEY ("business_id","user_id") REFERENCES "public"."notification_settings"("business_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notification_settings_daily" ON "notification_settings" USING btree ("business_id","daily_due_at") WHERE "notification_settings"."daily_due_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_due" ON "notifications" USING btree ("business_id","next_try_at") WHERE "notifications"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_newest" ON "notifications" USING btree ("business_id","user_id","channel","created_at");--> statement-breakpoint
CREATE INDEX "notifications_age" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_day" ON "notifications" USING btree ("business_id","user_id","channel","day") WHERE "notifications"."day" is not null;--> statement-breakpoint
ALTER TABLE "event_queue" ADD CONSTRAINT "event_queue_consumer_known" CHECK ("event_queue"."consumer" in ('webhooks', 'mails', 'subscriptions', 'notifications')) NOT VALID;
--> statement-breakpoint
-- Only of events that some member of the business wants to be told of.
CREATE OR REPLACE FUNCTION queue_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_queue (consumer, business_id, event_id)
  SELECT 'webhooks', business_id, id FROM added
  UNION ALL SELECT 'mails', business_id, id FROM added WHERE mail IS NOT NULL
  UNION ALL SELECT 'subscriptions', business_id, id FROM added
    WHERE type IN ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated')
  UNION ALL SELECT 'notifications', business_id, id FROM added
    WHERE mode = 'live' AND type IN ('payment.succeeded', 'payment.failed', 'payment.disputed', 'payment.flagged', 'refund.failed')
    AND EXISTS (SELECT FROM notification_settings s WHERE s.business_id = added.business_id
      AND (s.mail && '{payments,failures}'::text[] OR s.chat && '{payments,failures}'::text[]));
  RETURN NULL;
END $$;
