import type { Event } from "@/lib/contract/events";

const places: Record<string, string> = {
  payment_link: "/payment-links",
  payment: "/payments",
  tokenization: "/tokens",
  package: "/packages",
  customer: "/customers",
  // Its data is the link.
  "customer.link_moved": "/payment-links",
  subscription: "/subscriptions",
};

/** The page of what an event is about; null for its deletion. */
export function pageOf({ type, data }: Pick<Event, "type" | "data">): string | null {
  const [noun = "", what] = type.split(".");
  const place = places[type] ?? places[noun];
  return place && what !== "deleted" && typeof data._id === "string"
    ? `${place}/${data._id}`
    : null;
}

/** What an event is about, in the words its owner gave it. */
export function aboutOf({ data }: Pick<Event, "data">): string {
  const named = [data.title, data.name, data.reference, data.email, data._id].find(
    (value) => typeof value === "string" && value !== "",
  );
  return typeof named === "string" ? named : "–";
}
