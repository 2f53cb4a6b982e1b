-- The simulator's journal is the external truth that tests compare with ours: nobody may rewrite it.
CREATE FUNCTION simulator.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on %.% is not allowed: it is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON simulator.journal
  FOR EACH STATEMENT EXECUTE FUNCTION simulator.refuse_change();
