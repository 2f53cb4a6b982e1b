import * as z from "zod";
import { BusinessName, TimeZone } from "./names";
import { endpoint } from "./endpoint";
import {
  Currency,
  documented,
  Email,
  exampleOrigin,
  Mode,
  Name,
  Timestamp,
  UrlOut,
} from "./fields";
import { page } from "./envelope";
import { filterText, listQuery, searchOf } from "./lists";
import { rule } from "./messages";
import { Reminder, Reminders } from "./reminders";
import { SeenVersion, VersionOut } from "./versions";

const Accent = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/)
  .transform((color) => color.toLowerCase())
  .meta({
    description: "A colour, `#rrggbb`.",
    examples: ["#0f766e"],
    ...documented({ type: "string", pattern: "^#[0-9a-fA-F]{6}$" }),
  });

const ascending = (days: number[]) =>
  days.every((day, index) => index === 0 || day > (days[index - 1] ?? 0));

const RetryDays = rule(z.array(z.int().min(1).max(60)).max(10), "numeric_order", ascending).meta({
  description:
    "Days after a subscription's first failed charge at which its saved method is tried again, ascending, at most ten; after the last it is halted.",
  examples: [[1, 3, 5, 7]],
});

export const BusinessInput = z
  .object({
    name: BusinessName,
    time_zone: TimeZone,
    default_currency: Currency,
    accent: Accent.optional(),
    support_email: Email.optional(),
    support_phone: Name(32).optional(),
    retry_days: RetryDays.optional().describe("Unchanged when absent."),
    reminders: Reminders.optional().describe(
      "When payers of payment links without `reminders` of their own are reminded; `[]`: never. Unchanged when absent.",
    ),
    version: SeenVersion,
  })
  .meta({
    id: "BusinessInput",
    examples: [
      {
        name: "Tide & Co",
        time_zone: "Asia/Kuala_Lumpur",
        default_currency: "MYR",
        accent: "#0f766e",
        support_email: "help@tide.example",
      },
    ],
  });

export const LogoInput = z
  .object({
    image: z.base64().meta({
      description:
        "The file in base64: PNG, JPEG or WebP, at most 256 KiB, 16 to 2,048 pixels a side.",
    }),
  })
  .meta({ id: "LogoInput", examples: [{ image: "iVBORw0KGgo…" }] });

const Logo = z.object({ url: UrlOut, width: z.int(), height: z.int() });

export const Business = z
  .object({
    business_id: z.int(),
    name: z.string(),
    time_zone: z.string(),
    default_currency: z.string(),
    accent: z.string().nullable(),
    logo: Logo.nullable(),
    support_email: z.string().nullable(),
    support_phone: z.string().nullable(),
    retry_days: z.array(z.int()).meta({ description: "Days after the first failed charge." }),
    reminders: z.array(Reminder).meta({
      description:
        "The default of payment links that are created with `send_email`. A change counts for links that are created after it.",
    }),
    reminders_since: Timestamp.nullable().describe(
      "When the default was switched on. Links from before have none.",
    ),
    live_gateway: z.boolean().meta({ description: "A gateway is connected for live mode." }),
    version: VersionOut,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: "Business",
    examples: [
      {
        business_id: 1001,
        name: "Tide & Co",
        time_zone: "Asia/Kuala_Lumpur",
        default_currency: "MYR",
        accent: "#0f766e",
        logo: { url: `${exampleOrigin}/logo/9f2c…`, width: 320, height: 96 },
        support_email: "help@tide.example",
        support_phone: null,
        retry_days: [1, 3, 5, 7],
        reminders: [],
        reminders_since: null,
        live_gateway: false,
        version: 1,
        created_at: "2026-11-20T13:34:45.423258Z",
        updated_at: "2026-11-20T13:34:45.423258Z",
      },
    ],
  });

export const SigningSecret = z
  .object({ mode: Mode, secret: z.string() })
  .meta({ id: "SigningSecret", examples: [{ mode: "test", secret: "9f2c…" }] });

export const AuditEntry = z
  .object({
    _id: z.string(),
    action: z
      .string()
      .meta({ description: "The endpoint that was called, or `signed_in` and the like." }),
    actor: z.object({
      kind: z.string(),
      id: z.string().nullable(),
      name: z.string().nullable(),
      email: z.string().nullable(),
    }),
    mode: Mode.nullable(),
    object_id: z.string().nullable(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
  })
  .meta({
    id: "AuditEntry",
    examples: [
      {
        _id: "6740f5d81b2c9e7a04f3d51a",
        action: "createApiKey",
        actor: {
          kind: "person",
          id: "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11",
          name: "Ana Costa",
          email: "ana@example.com",
        },
        mode: "test",
        object_id: "6740f5d81b2c9e7a04f3d518",
        address: "203.0.113.7",
        request_id: "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a12",
        details: { fields: ["name"] },
        created_at: "2026-11-20T13:34:45.423258Z",
      },
    ],
  });

export type BusinessInput = z.output<typeof BusinessInput>;
export type Business = z.output<typeof Business>;
export type SigningSecret = z.output<typeof SigningSecret>;
export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditQuery = listQuery(["created_from", "created_to"], ["active"])
  .omit({ status: true })
  .extend({
    action: filterText(100).optional().meta({ description: "Exactly this action." }),
    actor_id: filterText(100).optional().meta({ description: "Of this person." }),
    q: searchOf("Part of a person's name or e-mail address, of an action, an address or an id."),
  });
export type AuditQuery = z.output<typeof AuditQuery>;

const tag = "Business";
const managed = { tag, access: "staff", roles: ["owner", "admin"] } as const;

export const getBusiness = endpoint({
  tag,
  access: "staff",
  id: "getBusiness",
  method: "GET",
  path: "/business",
  summary: "Get the business",
  response: Business,
});
export const updateBusiness = endpoint({
  ...managed,
  id: "updateBusiness",
  method: "PUT",
  path: "/business",
  summary: "Change the business",
  versioned: true,
  body: BusinessInput,
  response: Business,
  description: "Replaces. Its `version` does not count logos and signing secrets.",
});
export const putLogo = endpoint({
  ...managed,
  id: "putLogo",
  cost: 5,
  method: "PUT",
  path: "/business/logo",
  summary: "Set the business's logo",
  body: LogoInput,
  response: Business,
  maxBytes: 512 * 1024,
  description:
    "Payers see it on pages, mails and receipts from now on. It is scaled to at most 512 pixels a side and loses its metadata; `width` and `height` are those of the result.",
});
export const deleteLogo = endpoint({
  ...managed,
  id: "deleteLogo",
  method: "DELETE",
  path: "/business/logo",
  summary: "Remove the business's logo",
  response: Business,
});
export const getSigningSecret = endpoint({
  ...managed,
  id: "getSigningSecret",
  method: "GET",
  path: "/business/signing-secret",
  summary: "Show the signing secret of this mode",
  reauthenticate: "always",
  response: SigningSecret,
  showsSecret: true,
});
export const rollSigningSecret = endpoint({
  ...managed,
  id: "rollSigningSecret",
  method: "POST",
  path: "/business/signing-secret/roll",
  summary: "Make a new signing secret for this mode",
  reauthenticate: "always",
  response: SigningSecret,
  showsSecret: true,
  description: "The old one signs no more at once.",
});
export const listAuditLog = endpoint({
  ...managed,
  id: "listAuditLog",
  method: "GET",
  path: "/audit-log",
  summary: "What staff did",
  query: AuditQuery,
  response: page(AuditEntry),
});
