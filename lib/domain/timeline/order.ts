import type { TimelineEntry } from "@/lib/contract/timeline";

/** What the order of an entry depends on. `seq` is that of an event, `cause` the event that asked for a mail. */
export type Ordered = Pick<TimelineEntry, "at" | "kind" | "event_id" | "payment_id"> & {
  seq?: number;
  cause?: string;
};

/** An opening is written up to two seconds after it, and a transaction has the time of its beginning. */
const MAX_LATE_MS = 10_000;

/** At the same moment: events by their sequence, and the others as they follow from each other. */
const ranks: readonly [RegExp, number][] = [
  [/^opened$/, 1],
  [/^attempt\.begun$/, 2],
  [/^attempt\./, 3],
  [/^mail\./, 4],
];
const rankOf = ({ kind }: Ordered) => ranks.find(([pattern]) => pattern.test(kind))?.[1] ?? 0;

const isEarlier = (a: Ordered, b: Ordered): boolean => {
  if (a.at !== b.at) return a.at < b.at;
  const rank = rankOf(a) - rankOf(b);
  return rank === 0 ? (a.seq ?? 0) < (b.seq ?? 0) : rank < 0;
};

/** The entries that an entry follows from, unless their moments are too far apart. */
function causesOf(entries: readonly Ordered[]): Map<Ordered, Ordered[]> {
  const events = entries
    .filter(({ seq }) => seq !== undefined)
    .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  const before = new Map(events.map((event, index) => [event, events[index - 1]]));
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const opening = entries.find(({ kind }) => kind === "opened");
  const begun = new Map(
    entries.flatMap((entry) => (entry.kind === "attempt.begun" ? [[entry.payment_id, entry]] : [])),
  );
  return new Map(
    entries.map((entry) => {
      const causes = [
        before.get(entry),
        entry.cause === undefined ? undefined : byId.get(entry.cause),
        entry.kind === "attempt.begun" ? opening : begun.get(entry.payment_id),
      ];
      const near = causes.filter(
        (cause) =>
          cause !== undefined &&
          cause !== entry &&
          Date.parse(cause.at) - Date.parse(entry.at) <= MAX_LATE_MS,
      );
      return [entry, near as Ordered[]];
    }),
  );
}

/** Entries with the newest first: by time, and none before what it follows from. */
export function newestFirst<Entry extends Ordered>(entries: readonly Entry[]): Entry[] {
  const left = [...entries].sort((a, b) => (isEarlier(a, b) ? -1 : isEarlier(b, a) ? 1 : 0));
  const causes = causesOf(left);
  const placed = new Set<Ordered>();
  const ordered: Entry[] = [];
  while (left.length > 0) {
    const next = left.findIndex((entry) => causes.get(entry)?.every((cause) => placed.has(cause)));
    const [entry] = left.splice(Math.max(0, next), 1);
    if (!entry) break;
    placed.add(entry);
    ordered.push(entry);
  }
  return ordered.reverse();
}
