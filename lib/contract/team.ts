import * as z from "zod";
import { RoleName } from "./names";
import { ApiKey } from "./api-keys";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AccountEmail, exampleOrigin, Flag, Id, Mode, Timestamp, UrlOut } from "./fields";
import { MemberIntegration } from "./integrations";
import { listQuery } from "./lists";
import { invitationStatuses, mailStatuses } from "./values";
import { WebhookEndpoint, webhookEndpointExample } from "./webhook-endpoint";

const memberExample = {
  _id: "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11",
  name: "Ana Costa",
  email: "ana@example.com",
  role: "owner",
  email_verified: true,
  two_factor_enabled: false,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;
const invitationExample = {
  _id: "6740f5d81b2c9e7a04f3d519",
  email: "ben@example.com",
  role: "staff",
  status: "pending",
  invited_by: "Ana Costa",
  mail_status: "sent",
  mail_error: null,
  expires_at: "2026-11-27T13:34:45.423258Z",
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const Member = z
  .object({
    _id: z.string(),
    name: z.string(),
    email: z.string(),
    role: RoleName,
    email_verified: z.boolean(),
    two_factor_enabled: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Member", examples: [memberExample] });

export const Invitation = z
  .object({
    _id: Id,
    email: z.string(),
    role: RoleName,
    status: z.enum(invitationStatuses),
    invited_by: z.string().nullable(),
    mail_status: z.enum(mailStatuses).nullable().meta({
      description:
        "What became of its mail, as of other mails; null when no mail is on record, as for an address that has had 10 invitations within a day. Then hand its link over.",
    }),
    mail_error: z.string().nullable().meta({
      description:
        "Why its mail was not sent, or not at the last try: what the mail server said, or that this install has no mail server.",
    }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Invitation", examples: [invitationExample] });

export const InvitationLink = z
  .object({
    _id: Id,
    url: UrlOut.describe(
      "Its holder joins this one business as the invited address. It proves no address.",
    ),
  })
  .meta({
    id: "InvitationLink",
    examples: [{ _id: invitationExample._id, url: `${exampleOrigin}/invitation#0a1b2c3d` }],
  });

export const RoleInput = z
  .object({ role: RoleName })
  .meta({ id: "RoleInput", examples: [{ role: "admin" }] });
export const InvitationInput = z
  .object({ email: AccountEmail, role: RoleName })
  .meta({ id: "InvitationInput", examples: [{ email: "ben@example.com", role: "staff" }] });

export const MemberWebhookEndpoint = WebhookEndpoint.pick({
  _id: true,
  url: true,
  enabled: true,
}).extend({
  mode: Mode,
  address_chosen: z.boolean().meta({
    description:
      "The member may have chosen its address: what is sent there may reach them. An edit of anything by an earlier version counts.",
  }),
  secret_shown: z.boolean().meta({
    description:
      "The member was the last who was shown its secret. With it, someone can send events that look like Kutip's.",
  }),
});
const webhookExample = {
  _id: webhookEndpointExample._id,
  url: webhookEndpointExample.url,
  mode: "live",
  enabled: true,
  address_chosen: true,
  secret_shown: true,
} as const;
export const MemberSecrets = z
  .object({
    webhook_endpoints: z.array(MemberWebhookEndpoint),
    signing_secrets: z.array(Mode).meta({
      description: "The modes in which the member has seen the signing secret that signs now.",
    }),
  })
  .meta({
    id: "MemberSecrets",
    examples: [{ webhook_endpoints: [webhookExample], signing_secrets: ["live"] }],
  });

export type Member = z.output<typeof Member>;
export type MemberWebhookEndpoint = z.output<typeof MemberWebhookEndpoint>;
export type MemberSecrets = z.output<typeof MemberSecrets>;
export type Invitation = z.output<typeof Invitation>;
export type InvitationLink = z.output<typeof InvitationLink>;
export type InvitationInput = z.output<typeof InvitationInput>;

export const MemberQuery = listQuery(["email", "created_from", "created_to"], ["active"]).omit({
  status: true,
});
export type MemberQuery = z.output<typeof MemberQuery>;
export const InvitationQuery = listQuery(
  ["email", "created_from", "created_to"],
  invitationStatuses,
);
export type InvitationQuery = z.output<typeof InvitationQuery>;

const memberParams = z.object({ member_id: z.uuid().meta({ examples: [memberExample._id] }) });
/** What a member made or was shown that works without a session. */
const endings = z.object({
  revoke_api_keys: Flag.optional().meta({
    description: "Revokes the API keys that the member made, in both modes.",
  }),
  replace_integration_keys: Flag.optional().meta({
    description:
      "Keys, password and sign-ins of the shop plugins of which the member was shown a password are replaced, in both modes. Each plugin then needs a new password.",
  }),
  roll_signing_secrets: Flag.optional().meta({
    description:
      "Makes a new signing secret in each mode in which the member has seen the present one. The old one signs no more at once.",
  }),
  disable_webhook_endpoints: Flag.optional().meta({
    description:
      "Disables the webhook endpoints with an address that the member chose, in both modes. Events of that time can be redelivered once they are enabled.",
  }),
});
export type Endings = z.output<typeof endings>;
const tag = "Team";
const managed = { tag, access: "staff", roles: ["owner", "admin"] } as const;

export const listMembers = endpoint({
  tag,
  access: "staff",
  id: "listMembers",
  method: "GET",
  path: "/team/members",
  summary: "List members",
  query: MemberQuery,
  response: page(Member),
});
export const changeMember = endpoint({
  ...managed,
  id: "changeMember",
  method: "PUT",
  path: "/team/members/{member_id}",
  summary: "Change a member's role",
  reauthenticate: "always",
  params: memberParams,
  query: endings,
  body: RoleInput,
  response: Member,
  description:
    "Only an owner may make, change or remove an owner. A lower role revokes invitations and copied links as a removal does. API keys, shop plugins, webhook endpoints and signing secrets keep working unless the query says otherwise.",
  conflict: "It is the last owner.",
});
export const removeMember = endpoint({
  ...managed,
  id: "removeMember",
  method: "DELETE",
  path: "/team/members/{member_id}",
  summary: "Remove a member",
  reauthenticate: "always",
  params: memberParams,
  query: endings,
  description:
    "Also revokes the invitations that the member made, and the copied links that they could have copied. API keys, shop plugins, webhook endpoints and signing secrets keep working unless the query says otherwise.",
  response: Member,
  conflict: "It is the last owner.",
});
export const resetSecondFactor = endpoint({
  ...managed,
  id: "resetSecondFactor",
  method: "POST",
  path: "/team/members/{member_id}/second-factor/reset",
  summary: "Reset a member's second factor",
  roles: ["owner"],
  reauthenticate: "always",
  params: memberParams,
  response: Member,
  description:
    "For another member who lost theirs: authenticator app, recovery codes and passkeys go, and all their sessions end. A mail to them is written.",
  conflict:
    "It is your own second factor, or the member also belongs to a business that you do not own: ask the operator.",
});
export const listMemberApiKeys = endpoint({
  ...managed,
  id: "listMemberApiKeys",
  method: "GET",
  path: "/team/members/{member_id}/api-keys",
  summary: "List the API keys that a member made",
  params: memberParams,
  response: z.array(ApiKey),
  description: "Keys of both modes that still work. They outlive the member unless revoked.",
});
export const listMemberIntegrations = endpoint({
  ...managed,
  id: "listMemberIntegrations",
  method: "GET",
  path: "/team/members/{member_id}/integrations",
  summary: "List the shop plugins of which a member saw a password",
  params: memberParams,
  response: z.array(MemberIntegration),
  description:
    "Shop plugins of both modes of which they were shown a password since the keys were last replaced.",
});
export const getMemberSecrets = endpoint({
  ...managed,
  id: "getMemberSecrets",
  method: "GET",
  path: "/team/members/{member_id}/secrets",
  summary: "Get which webhook endpoints and signing secrets a member knows",
  params: memberParams,
  response: MemberSecrets,
  description:
    "Of both modes, by the audit log. What an API key has created is not in it, and what one has changed since still counts as known.",
});
export const listInvitations = endpoint({
  ...managed,
  id: "listInvitations",
  method: "GET",
  path: "/team/invitations",
  summary: "List invitations",
  query: InvitationQuery,
  response: page(Invitation),
});
export const createInvitation = endpoint({
  ...managed,
  id: "createInvitation",
  method: "POST",
  path: "/team/invitations",
  summary: "Invite a teammate",
  reauthenticate: "manages",
  body: InvitationInput,
  response: Invitation,
  description:
    "The invitation holds for 7 days. `mail_status` says what became of its mail. An earlier invitation to the same address is revoked. You must have confirmed your own address.",
  conflict: "The address already belongs to a member.",
});
export const copyInvitationLink = endpoint({
  ...managed,
  id: "copyInvitationLink",
  method: "POST",
  path: "/team/invitations/{invitation_id}/link",
  summary: "Copy an invitation link",
  reauthenticate: "always",
  showsSecret: true,
  params: z.object({ invitation_id: Id }),
  response: InvitationLink,
  description:
    "A link to hand over yourself, for an invitation that is still pending. The mail's link works besides it. The copied link stops working when a member who could have copied it leaves or gets a lower role.",
});
export const revokeInvitation = endpoint({
  ...managed,
  id: "revokeInvitation",
  method: "DELETE",
  path: "/team/invitations/{invitation_id}",
  summary: "Revoke an invitation",
  params: z.object({ invitation_id: Id }),
  response: Invitation,
});
