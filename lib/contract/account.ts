import * as z from "zod";
import { endpoint } from "./endpoint";
import { AccountEmail, Currency, Timestamp } from "./fields";
import { BusinessName, PersonName, RoleName, TimeZone } from "./names";
import { notMadeOf, Password } from "./password";
import { signUpModes } from "./values";

/** A business and the person who will own it. */
export const NewBusiness = z.object({
  business_name: BusinessName,
  name: PersonName,
  email: AccountEmail,
  time_zone: TimeZone.optional(),
  default_currency: Currency.optional(),
});

const Secret = z.string().min(1, { abort: true }).max(200);

/** A new owner with their password, which must not be made of the rest. */
export const NewOwner = NewBusiness.extend({ password: Password });
const known = ["business_name", "name", "email"];

export const SetupInput = notMadeOf(NewOwner.extend({ code: Secret }), known).meta({
  id: "SetupInput",
});
export const SignUpRequest = z.object({ email: AccountEmail }).meta({ id: "SignUpRequest" });
export const SignUpInput = notMadeOf(
  NewOwner.extend({
    invitation: Secret.meta({ description: "The token of the mail, which proves the address." }),
  }),
  known,
).meta({ id: "SignUpInput" });
export const AcceptInput = z
  .object({ token: Secret, name: PersonName.optional(), password: Password.optional() })
  .meta({ id: "AcceptInput" });
export const InvitationLookup = z.object({ token: Secret }).meta({ id: "InvitationLookup" });

export const Install = z.object({
  empty: z.boolean().meta({
    description:
      "No business yet: the first-run page makes one with the setup code, or names the command.",
  }),
  has_setup_code: z.boolean().meta({
    description:
      "The install is empty, and `npm start` has printed a setup code. Without one, the operator's command `business:create` makes the first business.",
  }),
  sign_up: z.enum(signUpModes),
  sends_mail: z.boolean().meta({
    description: "False while no mail server is set: then no mail leads to a new password.",
  }),
  operator_contacts: z
    .array(z.string())
    .meta({ description: "Whom to ask for help: `mailto:` and `https:` addresses." }),
});
export const Entered = z.object({
  business_id: z.int(),
  email: z.string(),
  two_factor: z
    .boolean()
    .meta({ description: "The code of the authenticator app is still to be asked for." }),
});
export const Offer = z.object({
  business_id: z.int().nullable(),
  business_name: z.string().nullable(),
  email: z.string(),
  role: RoleName,
  expires_at: Timestamp,
  known: z.boolean().meta({
    description:
      "True: accept as the signed-in account. False: accept with a name and a password. With a copied link, true requires a session with the invited address.",
  }),
  resets: z.boolean().meta({
    description:
      "Accepting resets the signed-in account, since its address is not confirmed and a copied link proves nothing. It then opens this business alone until its address is confirmed.",
  }),
});

export type NewBusiness = z.output<typeof NewBusiness>;
export type SetupInput = z.output<typeof SetupInput>;
export type SignUpRequest = z.output<typeof SignUpRequest>;
export type SignUpInput = z.output<typeof SignUpInput>;
export type AcceptInput = z.output<typeof AcceptInput>;
export type Install = z.output<typeof Install>;
export type Entered = z.output<typeof Entered>;
export type Offer = z.output<typeof Offer>;

const tag = "Account";
const open = { tag, access: "public" } as const;
const ended = "The invitation is used, revoked or too old.";

export const getInstall = endpoint({
  ...open,
  id: "getInstall",
  method: "GET",
  path: "/setup",
  summary: "What this install lets strangers do",
  response: Install,
});
export const setUpInstall = endpoint({
  ...open,
  id: "setUpInstall",
  method: "POST",
  path: "/setup",
  summary: "Create the first business",
  body: SetupInput,
  response: Entered,
  closed: "The install is already set up.",
});
export const requestSignUp = endpoint({
  ...open,
  id: "requestSignUp",
  method: "POST",
  path: "/sign-up/requests",
  summary: "Ask for an e-mail to create a business",
  body: SignUpRequest,
  response: SignUpRequest,
  description:
    "Where the install is open. The answer is the same for an address that has an account.",
  closed: "The install is not open for sign-up.",
});
export const signUp = endpoint({
  ...open,
  id: "signUp",
  method: "POST",
  path: "/sign-up",
  summary: "Create a business",
  body: SignUpInput,
  response: Entered,
  closed:
    "The install takes no new businesses, or the link is used, too old or of another address.",
});
export const lookUpInvitation = endpoint({
  ...open,
  id: "lookUpInvitation",
  method: "POST",
  path: "/invitations/look-up",
  summary: "Read an invitation",
  body: InvitationLookup,
  response: Offer,
  missing: ended,
});
export const acceptInvitation = endpoint({
  ...open,
  id: "acceptInvitation",
  method: "POST",
  path: "/invitations/accept",
  summary: "Accept an invitation",
  body: AcceptInput,
  response: Entered,
  missing: ended,
  signedOut: "The invited address has an account: sign in with it first.",
  conflict: "You are already a member of the business.",
});
