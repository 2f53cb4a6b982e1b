CREATE TABLE "payment_link_stages" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"span" text DEFAULT 'quarter' NOT NULL,
	"start" timestamp (6) with time zone NOT NULL,
	"currency" text NOT NULL,
	"created" bigint NOT NULL,
	"mailed" bigint NOT NULL,
	"opened" bigint NOT NULL,
	"tried" bigint NOT NULL,
	"paid" bigint NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "payment_link_stages_mode_known" CHECK ("payment_link_stages"."mode" in ('test', 'live')),
	CONSTRAINT "payment_link_stages_span_known" CHECK ("payment_link_stages"."span" in ('quarter', 'hour', 'day'))
);
--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "tried" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payment_link_stages_key" ON "payment_link_stages" USING btree ("business_id","mode","span","start","currency","created","mailed","opened","tried","paid") WHERE "payment_link_stages"."folded";--> statement-breakpoint
CREATE INDEX "payment_link_stages_unfolded" ON "payment_link_stages" USING btree ("business_id","mode","start") WHERE not "payment_link_stages"."folded";
--> statement-breakpoint
-- Whatever the program that writes: an attempt is marked on its link when it begins, and what is paid was tried.
CREATE FUNCTION mark_tried_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.tried := true;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER mark_tried_link BEFORE INSERT OR UPDATE ON payment_links FOR EACH ROW
WHEN (NOT NEW.tried AND (NEW.open_payment_id IS NOT NULL OR NEW.status = 'Paid'))
EXECUTE FUNCTION mark_tried_link();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_added_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, count(*), sum(amount) FROM added WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  INSERT INTO payment_link_stages (business_id, mode, start, currency, created, mailed, opened, tried, paid)
  SELECT business_id, mode, date_bin('15 minutes', created_at, '2000-01-01Z'), currency, count(*), count(*) FILTER (WHERE mailed), count(first_opened_at),
    count(*) FILTER (WHERE tried), count(*) FILTER (WHERE status = 'Paid')
  FROM added WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_removed_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, -count(*), -sum(amount) FROM removed WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  INSERT INTO payment_link_stages (business_id, mode, start, currency, created, mailed, opened, tried, paid)
  SELECT business_id, mode, date_bin('15 minutes', created_at, '2000-01-01Z'), currency, -count(*), -count(*) FILTER (WHERE mailed), -count(first_opened_at),
    -count(*) FILTER (WHERE tried), -count(*) FILTER (WHERE status = 'Paid')
  FROM removed WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_stages_of_changed_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_link_stages (business_id, mode, start, currency, created, mailed, opened, tried, paid)
  SELECT business_id, mode, date_bin('15 minutes', created_at, '2000-01-01Z'), currency, sum(count), sum(count * mailed::integer),
    sum(count * (first_opened_at IS NOT NULL)::integer), sum(count * tried::integer), sum(count * (status = 'Paid')::integer)
  FROM (VALUES
    (OLD.business_id, OLD.mode, OLD.created_at, OLD.currency, -1, OLD.mailed, OLD.first_opened_at, OLD.tried, OLD.status, OLD.deleted_at),
    (NEW.business_id, NEW.mode, NEW.created_at, NEW.currency, 1, NEW.mailed, NEW.first_opened_at, NEW.tried, NEW.status, NEW.deleted_at)
  ) changes (business_id, mode, created_at, currency, count, mailed, first_opened_at, tried, status, deleted_at)
  WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_stages_of_changed_link AFTER UPDATE ON payment_links FOR EACH ROW
WHEN ((OLD.business_id, OLD.mode, OLD.created_at, OLD.currency, OLD.mailed, OLD.first_opened_at IS NULL, OLD.tried, OLD.status = 'Paid', OLD.deleted_at IS NULL)
  IS DISTINCT FROM (NEW.business_id, NEW.mode, NEW.created_at, NEW.currency, NEW.mailed, NEW.first_opened_at IS NULL, NEW.tried, NEW.status = 'Paid', NEW.deleted_at IS NULL))
EXECUTE FUNCTION count_stages_of_changed_link();
