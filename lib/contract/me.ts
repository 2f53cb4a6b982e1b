import * as z from "zod";
import { PersonName, RoleName } from "./names";
import { endpoint } from "./endpoint";
import { Timestamp, UrlOut } from "./fields";

export const Me = z.object({
  user: z.object({
    _id: z.string(),
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    two_factor_enabled: z.boolean(),
  }),
  session_id: z.string(),
  businesses: z.array(
    z.object({
      business_id: z.int(),
      name: z.string(),
      time_zone: z.string().meta({ description: "The zone of the business's days." }),
      role: RoleName,
      logo: UrlOut.nullable(),
    }),
  ),
  sends_mail: z.boolean().meta({
    description: "False while no mail server is set: then every mail is kept and none is sent.",
  }),
  operator_contacts: z
    .array(z.string())
    .meta({ description: "Whom to ask for help: `mailto:` and `https:` addresses." }),
  kutip_version: z.string().meta({ description: "The version of this install." }),
});

export const SignInSession = z.object({
  _id: z.string(),
  current: z.boolean(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
});

const Secret = z.string().min(1, { abort: true }).max(200);
export const Proof = z
  .object({
    password: z.string().min(1).max(200).optional(),
    code: Secret.optional().meta({ description: "Of the authenticator app, where one is set up." }),
    recovery_code: Secret.optional().meta({ description: "Instead of `code`." }),
    passkey: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Instead of the password: the answer of a passkey, as WebAuthn JSON." }),
  })
  .meta({ id: "Proof", examples: [{ password: "correct horse battery" }] });
export type Proof = z.output<typeof Proof>;

export type Me = z.output<typeof Me>;
export type SignInSession = z.output<typeof SignInSession>;

const tag = "Account";
const own = { tag, access: "person" } as const;

export const getMe = endpoint({
  ...own,
  id: "getMe",
  method: "GET",
  path: "/me",
  summary: "Who is signed in, and for which businesses",
  response: Me,
});
export const updateMe = endpoint({
  ...own,
  id: "updateMe",
  method: "PUT",
  path: "/me",
  summary: "Change your name",
  body: z.object({ name: PersonName }),
  response: Me,
});
export const listMySessions = endpoint({
  ...own,
  id: "listMySessions",
  method: "GET",
  path: "/me/sessions",
  summary: "Where you are signed in",
  response: z.array(SignInSession),
});
export const endMySession = endpoint({
  ...own,
  id: "endMySession",
  method: "DELETE",
  path: "/me/sessions/{session_id}",
  summary: "Sign out elsewhere",
  params: z.object({ session_id: z.uuid() }),
  response: SignInSession,
});
export const endMyOtherSessions = endpoint({
  ...own,
  id: "endMyOtherSessions",
  method: "DELETE",
  path: "/me/sessions",
  summary: "Sign out everywhere else",
  response: z.array(SignInSession),
});
export const reauthenticate = endpoint({
  ...own,
  id: "reauthenticate",
  method: "POST",
  path: "/me/reauthentication",
  summary: "Confirm that it is you",
  body: Proof,
  response: z.object({ proven: z.boolean() }),
  description:
    "By passkey, or by password and second factor. For 10 minutes the session may then make sensitive calls.",
});
