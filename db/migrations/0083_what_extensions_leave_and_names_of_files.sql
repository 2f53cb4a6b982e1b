ALTER TABLE "batches" ADD COLUMN "shorten" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "file_name" text;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_file_name_length" CHECK (char_length("batches"."file_name") <= 255) NOT VALID;
