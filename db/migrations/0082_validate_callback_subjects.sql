ALTER TABLE "gateway_events" VALIDATE CONSTRAINT "gateway_events_about_known";
