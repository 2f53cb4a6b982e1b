import { onDemand } from "@/lib/kernel/on-demand";
import type { Choice } from "./choices";
import { cityOf, zoneName } from "./use-zone";

const knownZones = new Map<string, Choice[]>();

/**
 * Every zone of a place that is known here, and the business's own, which may be one that is not listed. By city. Some browsers list names without
 * a place too, such as CET, which the API refuses.
 */
export function zoneChoices(own: string): Choice[] {
  let known = knownZones.get(own);
  if (known) return known;
  const places = Intl.supportedValuesOf("timeZone").filter((zone) => zone.includes("/"));
  known = [...new Set([own, "UTC", ...places])]
    .sort((a, b) => (cityOf(a) < cityOf(b) ? -1 : 1))
    .map(choiceOf);
  knownZones.set(own, known);
  return known;
}

/** Its label is made when it is shown: the differences of all zones take a phone a quarter of a second. */
function choiceOf(zone: string): Choice {
  const [area] = zone.split("/");
  const label = onDemand(() => `${zoneName(zone)}${area === zone ? "" : `, ${area}`}`);
  return {
    value: zone,
    get label() {
      return label();
    },
  };
}
