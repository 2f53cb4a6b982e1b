import type { Role } from "@/lib/contract/values";

const words: Record<Role, { label: string; hint: string }> = {
  owner: { label: "Owner", hint: "May do everything, and alone makes and removes owners." },
  admin: { label: "Admin", hint: "Works, and manages keys, team and settings." },
  staff: { label: "Staff", hint: "Works: links, tokens, packages and subscriptions." },
  viewer: { label: "Viewer", hint: "Looks, and changes nothing." },
};

export const roleLabel = (role: Role): string => words[role].label;

/** The roles that a member with this role may assign. */
export const rolesFor = (own: Role | undefined): { value: Role; label: string; hint: string }[] =>
  (Object.keys(words) as Role[])
    .filter((role) => role !== "owner" || own === "owner")
    .map((role) => ({ value: role, ...words[role] }));
