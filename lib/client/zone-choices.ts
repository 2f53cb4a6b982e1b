import type { Choice } from "./choices";
import { zoneName } from "./use-zone";

const knownZones = new Map<string, Choice[]>();

/** Every zone that is known here, and the business's own, which may be one that is not listed. By city. */
export function zoneChoices(own: string): Choice[] {
  let known = knownZones.get(own);
  if (known) return known;
  known = [...new Set([own, "UTC", ...Intl.supportedValuesOf("timeZone")])]
    .map((zone) => {
      const [area] = zone.split("/");
      return { value: zone, label: `${zoneName(zone)}${area === zone ? "" : `, ${area}`}` };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
  knownZones.set(own, known);
  return known;
}
