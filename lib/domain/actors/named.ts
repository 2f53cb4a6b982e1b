import type { Actor } from "@/db/columns";
import type { NamedActor } from "@/lib/contract/versions";

const unnamed: Record<Actor["kind"], string> = {
  key: "An API key",
  person: "A former member",
  payer: "Payer",
  gateway: "Payment provider",
  clock: "Kutip (automatic)",
  operator: "Operator",
};

/** An actor as answers name it. `names` holds those of keys and people by id; `payer` is the address of a payer. */
export function named(
  { kind, id }: Actor,
  names: ReadonlyMap<string, string>,
  payer: string | null = null,
): NamedActor {
  const known = kind === "payer" ? payer : kind === "gateway" ? id : id && names.get(id);
  return { kind, name: known || unnamed[kind] };
}
