ALTER TABLE "event_queue" VALIDATE CONSTRAINT "event_queue_consumer_known";
