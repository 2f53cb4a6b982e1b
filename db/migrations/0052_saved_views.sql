CREATE TABLE "saved_views" (
	"business_id" integer NOT NULL,
	"id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"filters" jsonb NOT NULL,
	"sort" text,
	"columns" jsonb,
	"shared" boolean NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_views_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "saved_views_list_known" CHECK ("saved_views"."list" in ('payment_links', 'payments', 'customers', 'subscriptions', 'tokenizations', 'packages', 'balance', 'mails', 'events', 'requests', 'audit_log'))
);
--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_views_of_list" ON "saved_views" USING btree ("business_id","list","user_id");