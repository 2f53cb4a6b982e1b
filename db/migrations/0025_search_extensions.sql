-- Trusted extensions: the owner of the database may create them. They index parts of texts, for one business at a time.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS "btree_gin";
