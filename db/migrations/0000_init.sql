CREATE SCHEMA "simulator";
--> statement-breakpoint
CREATE TABLE "auth_accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (6) with time zone,
	"refresh_token_expires_at" timestamp (6) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_passkeys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text,
	"public_key" text NOT NULL,
	"credential_id" text NOT NULL,
	"counter" integer NOT NULL,
	"device_type" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"transports" text,
	"created_at" timestamp (6) with time zone DEFAULT now(),
	"aaguid" text
);
--> statement-breakpoint
CREATE TABLE "auth_sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_sign_in_failures" (
	"account" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_two_factors" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"verified" boolean DEFAULT true,
	"failed_verification_count" integer DEFAULT 0,
	"locked_until" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "auth_used_codes" (
	"user_id" uuid NOT NULL,
	"digest" text NOT NULL,
	"used_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_used_codes_user_id_digest_pk" PRIMARY KEY("user_id","digest")
);
--> statement-breakpoint
CREATE TABLE "auth_users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"two_factor_enabled" boolean DEFAULT false,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_verifications" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"digest" text NOT NULL,
	"name" text NOT NULL,
	"last_four" text NOT NULL,
	"created_by" text,
	"last_used_at" timestamp (6) with time zone,
	"expires_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "business_logos" (
	"business_id" integer PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"type" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "businesses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "businesses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1001 CACHE 1),
	"name" text NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"default_currency" text DEFAULT 'USD' NOT NULL,
	"accent" text,
	"logo" jsonb,
	"support_email" text,
	"support_phone" text,
	"retry_days" integer[] DEFAULT '{1,3,5,7}' NOT NULL,
	"signing_secret_test" text NOT NULL,
	"signing_secret_live" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"business_id" integer NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_business_id_user_id_pk" PRIMARY KEY("business_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "event_cursors" (
	"reader" text PRIMARY KEY NOT NULL,
	"xid" "xid8" NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"seq" bigserial NOT NULL,
	"type" text NOT NULL,
	"object_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"actor" jsonb NOT NULL,
	"mail" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"previous" jsonb,
	CONSTRAINT "events_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"scope" text NOT NULL,
	"body_digest" text NOT NULL,
	"answer" text,
	"status" smallint,
	"begun" text,
	"claim" text NOT NULL,
	"locked_until" timestamp (6) with time zone NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_business_id_mode_scope_pk" PRIMARY KEY("business_id","mode","scope")
);
--> statement-breakpoint
CREATE TABLE "gateway_connections" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"gateway" text NOT NULL,
	"secret" text,
	"callback_secret" text,
	"account" text,
	"account_name" text,
	"last_four" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"checked_at" timestamp (6) with time zone,
	"last_callback_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "gateway_connections_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text NOT NULL,
	"business_id" integer,
	"mode" text,
	"kind" text NOT NULL,
	"cause" text NOT NULL,
	"object_id" text,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"html" text NOT NULL,
	"text" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"error" text,
	"next_try_at" timestamp (6) with time zone,
	"leased_until" timestamp (6) with time zone,
	"sent_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mails_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "packages" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"frequency" text NOT NULL,
	"date_charge_start" date NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"subscribed_count" integer DEFAULT 0 NOT NULL,
	"live_count" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "packages_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "packages_amount_range" CHECK ("packages"."amount" between 500 and 3000000),
	CONSTRAINT "packages_name_length" CHECK (char_length("packages"."name") between 1 and 100),
	CONSTRAINT "packages_live_count" CHECK ("packages"."live_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "payment_links" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"email" text NOT NULL,
	"currency" text NOT NULL,
	"amount" integer NOT NULL,
	"title" text NOT NULL,
	"phone_no" text,
	"description" text,
	"redirect_url" text,
	"reference" text,
	"reference_2" text,
	"send_email" boolean DEFAULT true NOT NULL,
	"status" text DEFAULT 'Active' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp (6) with time zone,
	"open_payment_id" text,
	"subscription_id" text,
	"period_start" text,
	"period_end" text,
	"test_clock_id" text,
	"first_opened_at" timestamp (6) with time zone,
	"paid_at" timestamp (6) with time zone,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_links_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "payment_links_amount_range" CHECK ("payment_links"."amount" between 500 and 3000000),
	CONSTRAINT "payment_links_title_length" CHECK (char_length("payment_links"."title") between 1 and 50),
	CONSTRAINT "payment_links_reference_length" CHECK (char_length("payment_links"."reference") <= 50 and char_length("payment_links"."reference_2") <= 50),
	CONSTRAINT "payment_links_currency_shape" CHECK ("payment_links"."currency" ~ '^[A-Z]{3}$')
);
--> statement-breakpoint
CREATE TABLE "gateway_events" (
	"business_id" integer NOT NULL,
	"connection_id" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"reference" text NOT NULL,
	"gateway_id" text,
	"amount" bigint,
	"currency" text,
	"problem" text,
	"state" text DEFAULT 'new' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "gateway_events_business_id_connection_id_event_id_pk" PRIMARY KEY("business_id","connection_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "ledger_entries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"posting_id" text NOT NULL,
	"payment_id" text NOT NULL,
	"refund_id" text,
	"kind" text NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entries_business_id_seq_pk" PRIMARY KEY("business_id","seq"),
	CONSTRAINT "ledger_entries_refund" CHECK (("ledger_entries"."kind" = 'refund') = ("ledger_entries"."refund_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"status" text DEFAULT 'submitting' NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"refunded_amount" integer DEFAULT 0 NOT NULL,
	"disputed_amount" integer DEFAULT 0 NOT NULL,
	"title" text NOT NULL,
	"reference" text,
	"gateway" text NOT NULL,
	"connection_id" text,
	"gateway_id" text,
	"checkout_url" text,
	"payment_link_id" text,
	"link_version" integer,
	"tokenization_id" text,
	"subscription_id" text,
	"period_start" text,
	"test_clock_id" text,
	"withdrawn_at" timestamp (6) with time zone,
	"started_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"message" text,
	"decline" text,
	"method" text,
	"note" text,
	"received_at" timestamp (6) with time zone,
	"flags" text[] DEFAULT '{}' NOT NULL,
	"succeeded_at" timestamp (6) with time zone,
	"next_check_at" timestamp (6) with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payments_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "payments_amount_positive" CHECK ("payments"."amount" > 0),
	CONSTRAINT "payments_refunded_range" CHECK ("payments"."refunded_amount" between 0 and "payments"."amount"),
	CONSTRAINT "payments_disputed_range" CHECK ("payments"."disputed_amount" between 0 and "payments"."amount"),
	CONSTRAINT "payments_by_hand" CHECK (("payments"."gateway" = 'by_hand') = ("payments"."method" is not null))
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"payment_id" text NOT NULL,
	"status" text DEFAULT 'submitting' NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"reason" text,
	"gateway" text NOT NULL,
	"connection_id" text,
	"gateway_id" text,
	"actor" jsonb NOT NULL,
	"message" text,
	"test_clock_id" text,
	"started_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"succeeded_at" timestamp (6) with time zone,
	"next_check_at" timestamp (6) with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refunds_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "refunds_amount_positive" CHECK ("refunds"."amount" > 0),
	CONSTRAINT "refunds_over" CHECK (("refunds"."next_check_at" is null) = ("refunds"."status" in ('succeeded', 'failed')))
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" uuid NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"query" text,
	"status" smallint NOT NULL,
	"duration" real NOT NULL,
	"key_id" text,
	"user_id" text,
	"ip_address" text NOT NULL,
	"user_agent" text,
	"idempotency_key" text,
	"request_headers" text NOT NULL,
	"request_body" text,
	"response_body" text,
	"created_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "request_log_business_id_mode_id_pk" PRIMARY KEY("business_id","mode","id")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "simulator"."accounts" (
	"connection_id" text PRIMARY KEY NOT NULL,
	"secret_sealed" text NOT NULL,
	"secret_digest" text NOT NULL,
	"answer_limit_ms" integer DEFAULT 10000 NOT NULL,
	"approve_after_ms" integer DEFAULT 3000 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_times" CHECK ("simulator"."accounts"."answer_limit_ms" between 1 and 60000 and "simulator"."accounts"."approve_after_ms" >= 0)
);
--> statement-breakpoint
CREATE TABLE "simulator"."callbacks" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"reference" text NOT NULL,
	"body" text NOT NULL,
	"due_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "callbacks_connection_id_id_pk" PRIMARY KEY("connection_id","id")
);
--> statement-breakpoint
CREATE TABLE "simulator"."journal" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"session_id" text NOT NULL,
	"reference" text NOT NULL,
	"type" text NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"fee" bigint NOT NULL,
	"decline" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "journal_connection_id_id_pk" PRIMARY KEY("connection_id","id"),
	CONSTRAINT "journal_money" CHECK ("simulator"."journal"."amount" > 0 and "simulator"."journal"."fee" >= 0 and ("simulator"."journal"."type" = 'decline') = ("simulator"."journal"."decline" is not null))
);
--> statement-breakpoint
CREATE TABLE "simulator"."methods" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"brand" text NOT NULL,
	"last4" text NOT NULL,
	"exp" text NOT NULL,
	"behaviour" text DEFAULT 'works' NOT NULL,
	"declines_left" integer DEFAULT 0 NOT NULL,
	"late_ms" integer DEFAULT 2000 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "methods_connection_id_id_pk" PRIMARY KEY("connection_id","id"),
	CONSTRAINT "methods_counts" CHECK ("simulator"."methods"."declines_left" >= 0 and "simulator"."methods"."late_ms" >= 0)
);
--> statement-breakpoint
CREATE TABLE "simulator"."refunds" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"session_id" text,
	"reference" text NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"refused_because" text,
	"settles_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refunds_connection_id_id_pk" PRIMARY KEY("connection_id","id")
);
--> statement-breakpoint
CREATE TABLE "simulator"."requests" (
	"connection_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" text NOT NULL,
	"subject_id" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "requests_connection_id_key_pk" PRIMARY KEY("connection_id","key")
);
--> statement-breakpoint
CREATE TABLE "simulator"."scripts" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"reference" text,
	"verb" text NOT NULL,
	"effect" text NOT NULL,
	"delay_ms" integer DEFAULT 0 NOT NULL,
	"remaining" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "scripts_connection_id_id_pk" PRIMARY KEY("connection_id","id"),
	CONSTRAINT "scripts_counts" CHECK ("simulator"."scripts"."remaining" >= 0 and "simulator"."scripts"."delay_ms" >= 0)
);
--> statement-breakpoint
CREATE TABLE "simulator"."sessions" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"page" text,
	"kind" text NOT NULL,
	"reference" text NOT NULL,
	"state" text NOT NULL,
	"amount" bigint,
	"currency" text,
	"title" text NOT NULL,
	"return_url" text,
	"cancel_url" text,
	"method_id" text,
	"decline" text,
	"reason" text,
	"hidden_looks" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (6) with time zone,
	"settles_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_connection_id_id_pk" PRIMARY KEY("connection_id","id"),
	CONSTRAINT "sessions_money" CHECK (("simulator"."sessions"."kind" = 'save') = ("simulator"."sessions"."amount" is null) and ("simulator"."sessions"."amount" is null) = ("simulator"."sessions"."currency" is null) and "simulator"."sessions"."amount" > 0),
	CONSTRAINT "sessions_page_kind" CHECK (("simulator"."sessions"."kind" = 'charge') = ("simulator"."sessions"."page" is null)),
	CONSTRAINT "sessions_failed" CHECK (("simulator"."sessions"."state" = 'failed') = ("simulator"."sessions"."decline" is not null)),
	CONSTRAINT "sessions_pending" CHECK (("simulator"."sessions"."state" = 'pending') = ("simulator"."sessions"."settles_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "subscription_periods" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"subscription_id" text NOT NULL,
	"period_start" text NOT NULL,
	"period_end" text NOT NULL,
	"number" integer NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"first_failed_at" timestamp (6) with time zone,
	"retry_at" timestamp (6) with time zone,
	"overdue_at" timestamp (6) with time zone,
	"payment_id" text,
	"payment_link_id" text,
	"due_at" timestamp (6) with time zone,
	"next_attempt_at" timestamp (6) with time zone,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"test_clock_id" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_periods_business_id_subscription_id_period_start_pk" PRIMARY KEY("business_id","subscription_id","period_start"),
	CONSTRAINT "subscription_periods_over" CHECK ("subscription_periods"."state" not in ('paid', 'void') or "subscription_periods"."next_attempt_at" is null),
	CONSTRAINT "subscription_periods_days" CHECK ("subscription_periods"."period_start" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and "subscription_periods"."period_end" >= "subscription_periods"."period_start")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"package_id" text NOT NULL,
	"email" text NOT NULL,
	"phone_no" text,
	"status" text DEFAULT 'created' NOT NULL,
	"tokenization_id" text,
	"anchor" date NOT NULL,
	"current_period_start" text,
	"current_period_end" text,
	"next_charge_at" timestamp (6) with time zone,
	"test_clock_id" text,
	"cancelled_at" timestamp (6) with time zone,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"business_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"id" text NOT NULL,
	"mode" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"action" text NOT NULL,
	"object_id" text,
	"address" text,
	"request_id" text,
	"details" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "audit_entries_business_id_seq_pk" PRIMARY KEY("business_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"business_id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"business_id" integer,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"digest" text NOT NULL,
	"invited_by" uuid,
	"expires_at" timestamp (6) with time zone DEFAULT now() + interval '7 days' NOT NULL,
	"accepted_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "test_clocks" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"time" timestamp (6) with time zone NOT NULL,
	"advancing_to" timestamp (6) with time zone,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "test_clocks_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "tokenizations" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"token_digest" text NOT NULL,
	"token" text NOT NULL,
	"email" text NOT NULL,
	"phone_no" text,
	"redirect_url" text,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"activated_at" timestamp (6) with time zone,
	"gateway" text,
	"connection_id" text,
	"method_id" text,
	"brand" text,
	"last4" text,
	"exp" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"attempt_at" timestamp (6) with time zone,
	"attempt_url" text,
	"attempt_gateway_id" text,
	"notice" jsonb,
	"next_check_at" timestamp (6) with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tokenizations_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "tokenizations_open_attempt" CHECK (("tokenizations"."attempt_at" is null) = ("tokenizations"."next_check_at" is null)),
	CONSTRAINT "tokenizations_active_method" CHECK ("tokenizations"."status" <> 'active' or ("tokenizations"."method_id" is not null and "tokenizations"."connection_id" is not null and "tokenizations"."activated_at" is not null)),
	CONSTRAINT "tokenizations_title_length" CHECK (char_length("tokenizations"."title") between 1 and 50)
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"business_id" integer NOT NULL,
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"status_code" smallint,
	"error" text,
	"response" text,
	"duration_ms" integer NOT NULL,
	"started_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_business_id_delivery_id_number_pk" PRIMARY KEY("business_id","delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"event_type" text NOT NULL,
	"test_event" jsonb,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_status_code" smallint,
	"last_error" text,
	"next_try_at" timestamp (6) with time zone,
	"leased_until" timestamp (6) with time zone,
	"fence" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "webhook_deliveries_due_while_pending" CHECK (("webhook_deliveries"."status" = 'pending') = ("webhook_deliveries"."next_try_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"business_id" integer NOT NULL,
	"mode" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"events" text[],
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp (6) with time zone,
	"since" "pg_snapshot" DEFAULT pg_current_snapshot() NOT NULL,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"deleted_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoints_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" text PRIMARY KEY NOT NULL,
	"pid" integer NOT NULL,
	"started_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_accounts" ADD CONSTRAINT "auth_accounts_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_passkeys" ADD CONSTRAINT "auth_passkeys_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_two_factors" ADD CONSTRAINT "auth_two_factors_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_used_codes" ADD CONSTRAINT "auth_used_codes_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "business_logos" ADD CONSTRAINT "business_logos_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_connections" ADD CONSTRAINT "gateway_connections_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_business_id_payment_id_payments_business_id_id_fk" FOREIGN KEY ("business_id","payment_id") REFERENCES "public"."payments"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_business_id_refund_id_refunds_business_id_id_fk" FOREIGN KEY ("business_id","refund_id") REFERENCES "public"."refunds"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_business_id_payment_link_id_payment_links_business_id_id_fk" FOREIGN KEY ("business_id","payment_link_id") REFERENCES "public"."payment_links"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_business_id_tokenization_id_tokenizations_business_id_id_fk" FOREIGN KEY ("business_id","tokenization_id") REFERENCES "public"."tokenizations"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_business_id_payment_id_payments_business_id_id_fk" FOREIGN KEY ("business_id","payment_id") REFERENCES "public"."payments"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator"."journal" ADD CONSTRAINT "journal_session" FOREIGN KEY ("connection_id","session_id") REFERENCES "simulator"."sessions"("connection_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator"."refunds" ADD CONSTRAINT "refunds_session_fk" FOREIGN KEY ("connection_id","session_id") REFERENCES "simulator"."sessions"("connection_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD CONSTRAINT "sessions_method" FOREIGN KEY ("connection_id","method_id") REFERENCES "simulator"."methods"("connection_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_periods" ADD CONSTRAINT "subscription_periods_business_id_subscription_id_subscriptions_business_id_id_fk" FOREIGN KEY ("business_id","subscription_id") REFERENCES "public"."subscriptions"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_business_id_package_id_packages_business_id_id_fk" FOREIGN KEY ("business_id","package_id") REFERENCES "public"."packages"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_business_id_test_clock_id_test_clocks_business_id_id_fk" FOREIGN KEY ("business_id","test_clock_id") REFERENCES "public"."test_clocks"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_business_id_tokenization_id_tokenizations_business_id_id_fk" FOREIGN KEY ("business_id","tokenization_id") REFERENCES "public"."tokenizations"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_auth_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."auth_users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery" FOREIGN KEY ("business_id","delivery_id") REFERENCES "public"."webhook_deliveries"("business_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint" FOREIGN KEY ("business_id","endpoint_id") REFERENCES "public"."webhook_endpoints"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_accounts_one" ON "auth_accounts" USING btree ("user_id","provider_id");--> statement-breakpoint
CREATE INDEX "auth_passkeys_user" ON "auth_passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_passkeys_credential" ON "auth_passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_sessions_token" ON "auth_sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "auth_sessions_user" ON "auth_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_sessions_age" ON "auth_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_two_factors_user" ON "auth_two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_users_email" ON "auth_users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "auth_verifications_identifier" ON "auth_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "auth_verifications_age" ON "auth_verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_digest" ON "api_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "business_logos_digest" ON "business_logos" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "memberships_user" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "events_order" ON "events" USING btree ("business_id","mode","xid","seq");--> statement-breakpoint
CREATE INDEX "events_newest" ON "events" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "events_object" ON "events" USING btree ("business_id","object_id","seq");--> statement-breakpoint
CREATE INDEX "events_followed" ON "events" USING btree ("xid","seq") WHERE "events"."type" in ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated');--> statement-breakpoint
CREATE INDEX "events_log" ON "events" USING btree ("xid","seq");--> statement-breakpoint
CREATE INDEX "events_outbox" ON "events" USING btree ("xid","seq") WHERE "events"."mail" is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_connections_one" ON "gateway_connections" USING btree ("business_id","mode","gateway") WHERE "gateway_connections"."enabled";--> statement-breakpoint
CREATE INDEX "gateway_connections_id" ON "gateway_connections" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "mails_once" ON "mails" USING btree ("cause","kind");--> statement-breakpoint
CREATE INDEX "mails_business" ON "mails" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "mails_failed" ON "mails" USING btree ("business_id","mode","created_at") WHERE "mails"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "mails_object" ON "mails" USING btree ("business_id","object_id");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_try_at") WHERE "mails"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "packages_newest" ON "packages" USING btree ("business_id","mode","created_at","id") WHERE "packages"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_id" ON "payment_links" USING btree ("id");--> statement-breakpoint
CREATE INDEX "payment_links_newest" ON "payment_links" USING btree ("business_id","mode","created_at","id") WHERE "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_amount" ON "payment_links" USING btree ("business_id","mode","amount","id") WHERE "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_status" ON "payment_links" USING btree ("business_id","mode","status","created_at","id") WHERE "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_email" ON "payment_links" USING btree ("business_id","mode",lower("email"),"created_at") WHERE "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_reference" ON "payment_links" USING btree ("business_id","mode","reference") WHERE "payment_links"."reference" is not null;--> statement-breakpoint
CREATE INDEX "payment_links_expiry" ON "payment_links" USING btree ("expires_at") WHERE "payment_links"."status" = 'Active' and "payment_links"."expires_at" is not null and "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "payment_links_subscription" ON "payment_links" USING btree ("business_id","subscription_id","period_start") WHERE "payment_links"."subscription_id" is not null;--> statement-breakpoint
CREATE INDEX "gateway_events_due" ON "gateway_events" USING btree ("next_try_at") WHERE "gateway_events"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "gateway_events_quarantined" ON "gateway_events" USING btree ("business_id","connection_id","created_at") WHERE "gateway_events"."state" = 'quarantined';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_once" ON "ledger_entries" USING btree ("business_id","posting_id","account");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_id" ON "ledger_entries" USING btree ("business_id","id");--> statement-breakpoint
CREATE INDEX "ledger_entries_newest" ON "ledger_entries" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "ledger_entries_amount" ON "ledger_entries" USING btree ("business_id","mode","amount","id");--> statement-breakpoint
CREATE INDEX "ledger_entries_payment" ON "ledger_entries" USING btree ("business_id","payment_id");--> statement-breakpoint
CREATE INDEX "payments_id" ON "payments" USING btree ("id");--> statement-breakpoint
CREATE INDEX "payments_newest" ON "payments" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_amount" ON "payments" USING btree ("business_id","mode","amount","id");--> statement-breakpoint
CREATE INDEX "payments_status" ON "payments" USING btree ("business_id","mode","status","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_succeeded" ON "payments" USING btree ("business_id","mode","succeeded_at") WHERE "payments"."succeeded_at" is not null;--> statement-breakpoint
CREATE INDEX "payments_flagged" ON "payments" USING btree ("business_id","mode","created_at") WHERE "payments"."flags" <> '{}';--> statement-breakpoint
CREATE INDEX "payments_link" ON "payments" USING btree ("business_id","payment_link_id");--> statement-breakpoint
CREATE INDEX "payments_tokenization" ON "payments" USING btree ("business_id","tokenization_id") WHERE "payments"."tokenization_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_subscription" ON "payments" USING btree ("business_id","subscription_id") WHERE "payments"."subscription_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_gateway_id" ON "payments" USING btree ("business_id","gateway_id") WHERE "payments"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_due" ON "payments" USING btree ("next_check_at") WHERE "payments"."next_check_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_one_live_per_link" ON "payments" USING btree ("business_id","payment_link_id") WHERE "payments"."payment_link_id" is not null and "payments"."status" in ('submitting', 'requires_action', 'pending', 'unknown');--> statement-breakpoint
CREATE UNIQUE INDEX "payments_one_live_per_period" ON "payments" USING btree ("business_id","subscription_id","period_start") WHERE "payments"."subscription_id" is not null and "payments"."status" in ('submitting', 'requires_action', 'pending', 'unknown');--> statement-breakpoint
CREATE INDEX "refunds_failed" ON "refunds" USING btree ("business_id","mode","created_at") WHERE "refunds"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "refunds_payment" ON "refunds" USING btree ("business_id","payment_id","created_at","id");--> statement-breakpoint
CREATE INDEX "refunds_due" ON "refunds" USING btree ("next_check_at") WHERE "refunds"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "request_log_failed" ON "request_log" USING btree ("business_id","mode","id") WHERE "request_log"."status" >= 400;--> statement-breakpoint
CREATE INDEX "request_log_age" ON "request_log" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "callbacks_due" ON "simulator"."callbacks" USING btree ("due_at") WHERE "simulator"."callbacks"."delivered_at" is null;--> statement-breakpoint
CREATE INDEX "callbacks_reference" ON "simulator"."callbacks" USING btree ("connection_id","reference");--> statement-breakpoint
CREATE INDEX "journal_reference" ON "simulator"."journal" USING btree ("connection_id","reference");--> statement-breakpoint
CREATE UNIQUE INDEX "journal_one_charge" ON "simulator"."journal" USING btree ("connection_id","session_id") WHERE "simulator"."journal"."type" <> 'refund';--> statement-breakpoint
CREATE INDEX "refunds_session" ON "simulator"."refunds" USING btree ("connection_id","session_id");--> statement-breakpoint
CREATE INDEX "refunds_settling" ON "simulator"."refunds" USING btree ("settles_at") WHERE "simulator"."refunds"."settles_at" is not null;--> statement-breakpoint
CREATE INDEX "scripts_waiting" ON "simulator"."scripts" USING btree ("connection_id","verb") WHERE "simulator"."scripts"."remaining" > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_page" ON "simulator"."sessions" USING btree ("page");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_reference" ON "simulator"."sessions" USING btree ("connection_id","reference");--> statement-breakpoint
CREATE INDEX "sessions_settling" ON "simulator"."sessions" USING btree ("settles_at") WHERE "simulator"."sessions"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "sessions_expiring" ON "simulator"."sessions" USING btree ("expires_at") WHERE "simulator"."sessions"."state" = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "subscription_periods_one_open" ON "subscription_periods" USING btree ("business_id","subscription_id") WHERE "subscription_periods"."state" in ('due', 'charging', 'open');--> statement-breakpoint
CREATE INDEX "subscription_periods_due" ON "subscription_periods" USING btree ("next_attempt_at") WHERE "subscription_periods"."next_attempt_at" is not null and "subscription_periods"."test_clock_id" is null;--> statement-breakpoint
CREATE INDEX "subscription_periods_clock" ON "subscription_periods" USING btree ("business_id","test_clock_id","next_attempt_at") WHERE "subscription_periods"."next_attempt_at" is not null and "subscription_periods"."test_clock_id" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_newest" ON "subscriptions" USING btree ("business_id","mode","created_at","id") WHERE "subscriptions"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "subscriptions_status" ON "subscriptions" USING btree ("business_id","mode","status") WHERE "subscriptions"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "subscriptions_package" ON "subscriptions" USING btree ("business_id","package_id");--> statement-breakpoint
CREATE INDEX "subscriptions_clock" ON "subscriptions" USING btree ("business_id","test_clock_id") WHERE "subscriptions"."test_clock_id" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_email" ON "subscriptions" USING btree ("business_id","mode",lower("email"));--> statement-breakpoint
CREATE INDEX "audit_entries_newest" ON "audit_entries" USING btree ("business_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_digest" ON "invitations" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "invitations_business" ON "invitations" USING btree ("business_id","created_at","id");--> statement-breakpoint
CREATE INDEX "test_clocks_newest" ON "test_clocks" USING btree ("business_id","mode","created_at","id") WHERE "test_clocks"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tokenizations_digest" ON "tokenizations" USING btree ("token_digest");--> statement-breakpoint
CREATE INDEX "tokenizations_id" ON "tokenizations" USING btree ("id");--> statement-breakpoint
CREATE INDEX "tokenizations_newest" ON "tokenizations" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "tokenizations_email" ON "tokenizations" USING btree ("business_id","mode",lower("email")) WHERE "tokenizations"."status" = 'active';--> statement-breakpoint
CREATE INDEX "tokenizations_expiry" ON "tokenizations" USING btree ("expires_at") WHERE "tokenizations"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "tokenizations_due" ON "tokenizations" USING btree ("next_check_at") WHERE "tokenizations"."next_check_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_once" ON "webhook_deliveries" USING btree ("business_id","endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_newest" ON "webhook_deliveries" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_of" ON "webhook_deliveries" USING btree ("business_id","endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("business_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("business_id","endpoint_id","next_try_at") WHERE "webhook_deliveries"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("business_id","mode","created_at","id") WHERE "webhook_deliveries"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_newest" ON "webhook_endpoints" USING btree ("business_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_served" ON "webhook_endpoints" USING btree ("business_id","id") WHERE "webhook_endpoints"."enabled" and "webhook_endpoints"."deleted_at" is null;
--> statement-breakpoint
-- Whoever listens is told that something happened. Not of what programs make by the thousand: a commit that notifies waits for every other one that does.
CREATE OR REPLACE FUNCTION tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('kutip_changes', json_build_array(NEW.business_id, NEW.mode, NEW.type, NEW.object_id)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER events_told AFTER INSERT ON events FOR EACH ROW WHEN (NEW.type NOT IN ('payment_link.created', 'tokenization.created')) EXECUTE FUNCTION tell_change();

--> statement-breakpoint
-- Sessions behind a pooler cannot be told their zone at the start; the database tells them.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone TO ''UTC''', current_database()); END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE FUNCTION refuse_lopsided_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM fresh GROUP BY business_id, posting_id HAVING sum(amount) <> 0 OR count(DISTINCT (mode, currency)) > 1) THEN
    RAISE EXCEPTION 'a posting must sum to zero in one currency' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION refuse_lopsided_posting();
--> statement-breakpoint
CREATE TRIGGER events_append_only BEFORE DELETE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER events_content_fixed BEFORE UPDATE OF id, business_id, mode, type, data, actor, created_at, previous ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

--> statement-breakpoint
-- The simulator's journal is the external truth that tests compare with ours: nobody may rewrite it.
CREATE FUNCTION simulator.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on %.% is not allowed: it is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON simulator.journal
  FOR EACH STATEMENT EXECUTE FUNCTION simulator.refuse_change();
