-- A version that keeps no `password_shown_to` writes who was shown a plugin's password into the audit log alone.
CREATE FUNCTION note_password_shown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE integrations SET password_shown_to = array_append(password_shown_to, NEW.actor_id)
  WHERE business_id = NEW.business_id AND id = NEW.object_id AND NOT NEW.actor_id = ANY (password_shown_to);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_password_shown AFTER INSERT ON audit_entries FOR EACH ROW
WHEN (NEW.action IN ('createIntegration', 'renewIntegrationPassword') AND NEW.actor_kind = 'person') EXECUTE FUNCTION note_password_shown();
