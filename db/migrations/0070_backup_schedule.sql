CREATE TABLE "backup_schedule" (
	"id" text PRIMARY KEY NOT NULL,
	"next_at" timestamp (6) with time zone,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"problem" text,
	"last_name" text,
	"last_bytes" bigint,
	"last_at" timestamp (6) with time zone
);
