CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"pid" integer NOT NULL,
	"host" text NOT NULL,
	"keys" text[] NOT NULL,
	"seals_with" text NOT NULL,
	"started_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_keys" (
	"id" integer PRIMARY KEY NOT NULL,
	"key" text NOT NULL
);
