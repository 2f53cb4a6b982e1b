import * as z from "zod";
import { documented, Name } from "./fields";
import { rule } from "./messages";
import { roles } from "./values";

/** Subjects of mails contain names, so no name may hold an address for their readers to open. */
const addressless = (name: string) =>
  !/:\/\/|\bwww\.|[\p{L}\p{M}\p{N}]\.[\p{L}\p{M}]{2,}\/|@/iu.test(name);

/** People have no domain in their name; businesses may ("Booking.com"). */
const withoutDomain = (name: string) =>
  addressless(name) && !/[\p{L}\p{M}\p{N}-]\.[\p{L}\p{M}]{2,}/u.test(name);

export const PersonName = rule(Name(100), "format", withoutDomain).meta({
  description: "At most 100 characters, without web or e-mail addresses.",
  examples: ["Ana Costa"],
});
export const BusinessName = rule(Name(100), "format", addressless).meta({
  description: "At most 100 characters, without web or e-mail addresses; payers see it.",
  examples: ["Tide & Co"],
});
export const PasskeyName = Name(60);
export const RoleName = z.enum(roles).meta({
  description:
    "What a member may do: a viewer reads, staff work, an admin also manages, an owner may do all.",
  examples: ["staff"],
});

function isTimeZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

export const TimeZone = rule(
  z.string().min(1, { abort: true }).max(64, { abort: true }),
  "selected",
  isTimeZone,
).meta({
  description: "A zone of the IANA database, such as `Asia/Kuala_Lumpur`.",
  examples: ["Asia/Kuala_Lumpur"],
  ...documented({ type: "string" }),
});
