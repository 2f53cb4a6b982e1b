import { type Role, roles } from "@/lib/contract/values";

const words: Record<Role, { label: string; hint: string }> = {
  owner: { label: "Owner", hint: "Full access. Only owners can add or remove owners." },
  admin: {
    label: "Admin",
    hint: "Everything staff can do, plus refunds, API keys, team and settings.",
  },
  staff: {
    label: "Staff",
    hint: "Creates, cancels and deletes links, tokens, packages and subscriptions. Charges saved methods and records payments by hand. Can’t refund.",
  },
  viewer: { label: "Viewer", hint: "Can view, but not change anything." },
};

export const roleLabel = (role: Role): string => words[role].label;

/** The roles that a member with this role may assign. */
export const rolesFor = (own: Role | undefined): { value: Role; label: string; hint: string }[] =>
  (Object.keys(words) as Role[])
    .filter((role) => role !== "owner" || own === "owner")
    .map((role) => ({ value: role, ...words[role] }));

/** Whether a role may invite people and copy links of invitations. */
export const manages = (role: Role): boolean => role === "owner" || role === "admin";

/** Whether one role may do less than another. */
export const isLess = (role: unknown, than: Role): boolean =>
  roles.indexOf(role as Role) > roles.indexOf(than);

/** What ends with the membership or the role of a member who manages the team. `own`: it is who reads this. */
export const endingWords = (role: Role, own: boolean): string =>
  `Invitations that ${own ? "you" : "they"} sent are revoked. Copied links of other invitations${role === "admin" ? ", but for those of owners," : ""} stop working and must be copied anew. Links in mails keep working.`;
