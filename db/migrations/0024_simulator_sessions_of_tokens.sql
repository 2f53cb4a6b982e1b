ALTER TABLE "simulator"."sessions" ADD COLUMN "tokenization_id" text;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "own_reference" text;