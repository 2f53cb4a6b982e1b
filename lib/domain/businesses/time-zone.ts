import { db, type Executor } from "@/db/client";
import { type FieldErrors, invalid } from "@/lib/kernel/problem";
import { agreedZones } from "./zone-rows";

/** Zones that Node and Chrome still report by an old name, with the IANA name of today. Some servers have one of the two names only. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** The other name of a renamed zone, old or new. */
function otherNames(given: string): string[] {
  const wanted = given.toLowerCase();
  return Object.entries(RENAMED).flatMap(([old, current]) =>
    old.toLowerCase() === wanted ? [current] : current.toLowerCase() === wanted ? [old] : [],
  );
}

async function findKept(on: Executor, given: string): Promise<string | undefined> {
  const names = [given, ...otherNames(given)];
  const agreed = await agreedZones(on, names);
  return names.find((name) => agreed.has(name.toLowerCase()));
}

const refused: FieldErrors = { time_zone: ["The selected time zone is invalid."] };

/** What speaks against a time zone that is given. */
export const validateZone = async (given: string | undefined): Promise<FieldErrors> =>
  given === undefined || (await findKept(db, given)) !== undefined ? {} : refused;

/** The name under which a business keeps a zone: as it is given, or else the zone's other name. Throws 422 where Postgres would count other days. */
export async function settledZone(on: Executor, given: string): Promise<string> {
  const kept = await findKept(on, given);
  if (kept === undefined) throw invalid(refused);
  return kept;
}
