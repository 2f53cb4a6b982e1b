CREATE TABLE "batch_items" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"batch_id" text NOT NULL,
	"position" integer NOT NULL,
	"payment_link_id" text NOT NULL,
	"outcome" text,
	"reason" text,
	"previous_status" text,
	"previous_expires_at" timestamp (6) with time zone,
	"link_updated_at" timestamp (6) with time zone,
	CONSTRAINT "batch_items_business_id_batch_id_position_pk" PRIMARY KEY("business_id","batch_id","position"),
	CONSTRAINT "batch_items_mode_known" CHECK ("batch_items"."mode" in ('test', 'live')),
	CONSTRAINT "batch_items_outcome_known" CHECK ("batch_items"."outcome" in ('changed', 'skipped')),
	CONSTRAINT "batch_items_reason_known" CHECK ("batch_items"."reason" in ('paid', 'processing', 'payer_at_gateway', 'of_subscription', 'cancelled', 'expired', 'deleted', 'mailed_often', 'unchanged', 'changed_since')),
	CONSTRAINT "batch_items_previous_status_known" CHECK ("batch_items"."previous_status" in ('Active', 'Processing', 'Paid', 'Expired', 'Cancelled'))
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"action" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (6) with time zone,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"starts_at" timestamp (6) with time zone NOT NULL,
	"started_by" jsonb NOT NULL,
	"undo_of" text,
	"undone_by" text,
	"import_id" text,
	"finished_at" timestamp (6) with time zone,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "batches_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "batches_mode_known" CHECK ("batches"."mode" in ('test', 'live')),
	CONSTRAINT "batches_action_known" CHECK ("batches"."action" in ('cancel', 'extend', 'remind', 'send', 'import', 'undo')),
	CONSTRAINT "batches_status_known" CHECK ("batches"."status" in ('waiting', 'running', 'done', 'stopped'))
);
--> statement-breakpoint
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_business_id_batch_id_batches_business_id_id_fk" FOREIGN KEY ("business_id","batch_id") REFERENCES "public"."batches"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_payment_link_fk" FOREIGN KEY ("business_id","payment_link_id") REFERENCES "public"."payment_links"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batch_items_open" ON "batch_items" USING btree ("business_id","batch_id","position") WHERE "batch_items"."outcome" is null;--> statement-breakpoint
CREATE INDEX "batch_items_skipped" ON "batch_items" USING btree ("business_id","batch_id","position") WHERE "batch_items"."outcome" = 'skipped';--> statement-breakpoint
CREATE INDEX "batches_newest" ON "batches" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("business_id","starts_at") WHERE "batches"."status" in ('waiting', 'running');