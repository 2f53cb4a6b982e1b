CREATE TABLE "payment_counts" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"status" text NOT NULL,
	"currency" text NOT NULL,
	"count" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "payment_counts_mode_known" CHECK ("payment_counts"."mode" in ('test', 'live')),
	CONSTRAINT "payment_counts_status_known" CHECK ("payment_counts"."status" in ('submitting', 'requires_action', 'pending', 'unknown', 'succeeded', 'failed', 'cancelled', 'partially_refunded', 'refunded', 'disputed'))
);
--> statement-breakpoint
CREATE TABLE "payment_link_counts" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"status" text NOT NULL,
	"currency" text NOT NULL,
	"count" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "payment_link_counts_mode_known" CHECK ("payment_link_counts"."mode" in ('test', 'live')),
	CONSTRAINT "payment_link_counts_status_known" CHECK ("payment_link_counts"."status" in ('Active', 'Processing', 'Paid', 'Expired', 'Cancelled'))
);
--> statement-breakpoint
CREATE TABLE "payment_sums" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"kind" text NOT NULL,
	"span" text DEFAULT 'quarter' NOT NULL,
	"start" timestamp (6) with time zone NOT NULL,
	"currency" text NOT NULL,
	"count" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "payment_sums_mode_known" CHECK ("payment_sums"."mode" in ('test', 'live')),
	CONSTRAINT "payment_sums_kind_known" CHECK ("payment_sums"."kind" in ('collected', 'failed')),
	CONSTRAINT "payment_sums_span_known" CHECK ("payment_sums"."span" in ('quarter', 'hour', 'day'))
);
--> statement-breakpoint
CREATE INDEX "payment_counts_key" ON "payment_counts" USING btree ("business_id","mode","status","currency");--> statement-breakpoint
CREATE INDEX "payment_counts_unfolded" ON "payment_counts" USING btree ("business_id") WHERE not "payment_counts"."folded";--> statement-breakpoint
CREATE INDEX "payment_link_counts_key" ON "payment_link_counts" USING btree ("business_id","mode","status","currency");--> statement-breakpoint
CREATE INDEX "payment_link_counts_unfolded" ON "payment_link_counts" USING btree ("business_id") WHERE not "payment_link_counts"."folded";--> statement-breakpoint
CREATE INDEX "payment_sums_key" ON "payment_sums" USING btree ("business_id","mode","kind","span","start","currency","count","amount") WHERE "payment_sums"."folded";--> statement-breakpoint
CREATE INDEX "payment_sums_unfolded" ON "payment_sums" USING btree ("business_id","mode","kind","start") WHERE not "payment_sums"."folded";
--> statement-breakpoint
CREATE FUNCTION count_added_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, count(*), sum(amount) FROM added WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_removed_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, -count(*), -sum(amount) FROM removed WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_changed_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, count, amount FROM (VALUES
    (OLD.business_id, OLD.mode, OLD.status, OLD.currency, -1, -OLD.amount, OLD.deleted_at),
    (NEW.business_id, NEW.mode, NEW.status, NEW.currency, 1, NEW.amount, NEW.deleted_at)
  ) changes (business_id, mode, status, currency, count, amount, deleted_at) WHERE deleted_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_added_links AFTER INSERT ON payment_links REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_links();
--> statement-breakpoint
CREATE TRIGGER count_removed_links AFTER DELETE ON payment_links REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_links();
--> statement-breakpoint
CREATE TRIGGER count_changed_link AFTER UPDATE ON payment_links FOR EACH ROW
WHEN ((OLD.business_id, OLD.mode, OLD.status, OLD.currency, OLD.amount, OLD.deleted_at IS NULL) IS DISTINCT FROM (NEW.business_id, NEW.mode, NEW.status, NEW.currency, NEW.amount, NEW.deleted_at IS NULL))
EXECUTE FUNCTION count_changed_link();
