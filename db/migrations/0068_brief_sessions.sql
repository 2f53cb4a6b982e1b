-- A session that its person did not ask to keep ends 12 hours after sign-in, whatever the sign-in library writes later.
CREATE OR REPLACE FUNCTION auth_session_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := least(NEW.expires_at, NEW.created_at + interval '30 days');
  IF TG_OP = 'UPDATE' AND OLD.expires_at <= OLD.created_at + interval '12 hours 1 minute' THEN
    NEW.expires_at := least(NEW.expires_at, OLD.expires_at);
  END IF;
  RETURN NEW;
END
$$;
