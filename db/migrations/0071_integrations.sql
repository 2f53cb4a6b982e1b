CREATE TABLE "integration_callbacks" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"integration_id" text NOT NULL,
	"hook_id" text NOT NULL,
	"payment_link_id" text NOT NULL,
	"payment_id" text NOT NULL,
	"body" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"history" jsonb DEFAULT '[]' NOT NULL,
	"next_try_at" timestamp (6) with time zone,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integration_callbacks_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "integration_callbacks_mode_known" CHECK ("integration_callbacks"."mode" in ('test', 'live')),
	CONSTRAINT "integration_callbacks_status_known" CHECK ("integration_callbacks"."status" in ('pending', 'delivered', 'refused', 'failed', 'stopped')),
	CONSTRAINT "integration_callbacks_due_while_pending" CHECK (("integration_callbacks"."status" = 'pending') = ("integration_callbacks"."next_try_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "integration_hooks" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"integration_id" text NOT NULL,
	"url" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integration_hooks_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "integration_hooks_mode_known" CHECK ("integration_hooks"."mode" in ('test', 'live'))
);
--> statement-breakpoint
CREATE TABLE "integration_tokens" (
	"business_id" integer NOT NULL,
	"digest" text NOT NULL,
	"integration_id" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integration_tokens_business_id_digest_pk" PRIMARY KEY("business_id","digest")
);
--> statement-breakpoint
CREATE TABLE "integrations" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"number" integer NOT NULL,
	"name" text NOT NULL,
	"plugin" text NOT NULL,
	"password_digest" text NOT NULL,
	"api_key_digest" text NOT NULL,
	"api_key" text NOT NULL,
	"signature_key" text NOT NULL,
	"last_seen_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrations_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "integrations_mode_known" CHECK ("integrations"."mode" in ('test', 'live')),
	CONSTRAINT "integrations_plugin_known" CHECK ("integrations"."plugin" in ('woocommerce', 'gravity-forms', 'givewp', 'opencart', 'payje-woocommerce', 'payje-gravity-forms', 'other')),
	CONSTRAINT "integrations_name_length" CHECK (char_length("integrations"."name") between 1 and 100)
);
--> statement-breakpoint
ALTER TABLE "integration_callbacks" ADD CONSTRAINT "integration_callbacks_hook" FOREIGN KEY ("business_id","hook_id") REFERENCES "public"."integration_hooks"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_callbacks" ADD CONSTRAINT "integration_callbacks_link" FOREIGN KEY ("business_id","payment_link_id") REFERENCES "public"."payment_links"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_callbacks" ADD CONSTRAINT "integration_callbacks_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_hooks" ADD CONSTRAINT "integration_hooks_integration" FOREIGN KEY ("business_id","integration_id") REFERENCES "public"."integrations"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_hooks" ADD CONSTRAINT "integration_hooks_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_tokens" ADD CONSTRAINT "integration_tokens_integration" FOREIGN KEY ("business_id","integration_id") REFERENCES "public"."integrations"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_tokens" ADD CONSTRAINT "integration_tokens_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "integration_callbacks_due" ON "integration_callbacks" USING btree ("business_id","hook_id","next_try_at") WHERE "integration_callbacks"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "integration_callbacks_of" ON "integration_callbacks" USING btree ("business_id","integration_id","created_at","id");--> statement-breakpoint
CREATE INDEX "integration_callbacks_link" ON "integration_callbacks" USING btree ("business_id","payment_link_id");--> statement-breakpoint
CREATE INDEX "integration_callbacks_age" ON "integration_callbacks" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "integration_hooks_of" ON "integration_hooks" USING btree ("business_id","integration_id","created_at","id");--> statement-breakpoint
CREATE INDEX "integration_tokens_of" ON "integration_tokens" USING btree ("business_id","integration_id","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "integrations_number" ON "integrations" USING btree ("business_id","number");--> statement-breakpoint
CREATE INDEX "integrations_newest" ON "integrations" USING btree ("business_id","mode","created_at","id");