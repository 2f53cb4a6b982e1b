DROP TABLE "auth_sign_in_failures" CASCADE;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD COLUMN "proven_at" timestamp (6) with time zone;
--> statement-breakpoint
CREATE FUNCTION auth_session_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := least(NEW.expires_at, NEW.created_at + interval '30 days');
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER auth_sessions_end BEFORE INSERT OR UPDATE ON "auth_sessions" FOR EACH ROW EXECUTE FUNCTION auth_session_end();
--> statement-breakpoint
UPDATE "auth_sessions" SET "expires_at" = "expires_at" WHERE "expires_at" > "created_at" + interval '30 days';
