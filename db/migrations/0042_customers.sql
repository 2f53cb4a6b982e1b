CREATE TABLE "customers" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"phone_no" text,
	"notes" text,
	"language" text,
	"version" integer DEFAULT 1 NOT NULL,
	"changed_by" jsonb,
	"changed_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "customers_mode_known" CHECK ("customers"."mode" in ('test', 'live')),
	CONSTRAINT "customers_name_length" CHECK (char_length("customers"."name") between 1 and 100),
	CONSTRAINT "customers_notes_length" CHECK (char_length("customers"."notes") between 1 and 5000),
	CONSTRAINT "customers_language_length" CHECK (char_length("customers"."language") between 2 and 35)
);
--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "customers_email" ON "customers" USING btree ("business_id","mode",lower("email"));--> statement-breakpoint
CREATE INDEX "customers_newest" ON "customers" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "customers_texts" ON "customers" USING gin (("email" || E'\n' || coalesce("name", '') || E'\n' || coalesce("phone_no", '')) gin_trgm_ops,"business_id","mode") WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
-- An id as Kutip makes them: four bytes of time and eight of chance.
CREATE FUNCTION customer_id(moment timestamptz) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT lpad(to_hex(floor(extract(epoch FROM moment))::bigint), 8, '0') || right(replace(gen_random_uuid()::text, '-', ''), 16);
$$;
--> statement-breakpoint
-- In the statement that writes the records, and whichever version of Kutip writes them. Addresses are inserted in one order, so that two
-- statements with the same new addresses never wait for each other. A missing number is filled in only while nobody has edited the
-- customer, and a customer that another transaction has locked is left as it is.
CREATE FUNCTION keep_customers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customers (business_id, mode, id, email, phone_no)
  SELECT DISTINCT ON (business_id, mode, lower(email)) business_id, mode, customer_id(now()), email, phone_no
  FROM added WHERE email <> 'erased@payer.invalid' ORDER BY business_id, mode, lower(email), phone_no IS NULL
  ON CONFLICT (business_id, mode, lower(email)) DO NOTHING;
  IF EXISTS (SELECT FROM added WHERE phone_no IS NOT NULL) THEN
    UPDATE customers SET phone_no = found.phone_no FROM (
      SELECT c.business_id, c.id, added.phone_no FROM added
      JOIN customers c ON c.business_id = added.business_id AND c.mode = added.mode AND lower(c.email) = lower(added.email)
      WHERE added.phone_no IS NOT NULL AND c.phone_no IS NULL AND c.version = 1
      FOR NO KEY UPDATE OF c SKIP LOCKED
    ) found WHERE customers.business_id = found.business_id AND customers.id = found.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customers (business_id, mode, id, email, phone_no)
  VALUES (NEW.business_id, NEW.mode, customer_id(now()), NEW.email, NEW.phone_no)
  ON CONFLICT (business_id, mode, lower(email)) DO NOTHING;
  RETURN NULL;
END $$;
