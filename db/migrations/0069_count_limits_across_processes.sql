CREATE UNLOGGED TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"taken" integer NOT NULL,
	"ends_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
