ALTER TABLE "directory" DROP CONSTRAINT "directory_kind_known";--> statement-breakpoint
ALTER TABLE "directory" ADD CONSTRAINT "directory_kind_known" CHECK ("directory"."kind" in ('api_key', 'gateway_connection', 'integration', 'invitation', 'payment', 'payment_link', 'tokenization')) NOT VALID;
