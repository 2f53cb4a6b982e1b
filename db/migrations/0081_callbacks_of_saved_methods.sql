ALTER TABLE "gateway_events" DROP CONSTRAINT "gateway_events_about_known";--> statement-breakpoint
ALTER TABLE "gateway_events" ADD CONSTRAINT "gateway_events_about_known" CHECK ("gateway_events"."about" in ('payment', 'refund', 'dispute', 'method', 'nothing')) NOT VALID;
