import * as z from "zod";
import { endpoint } from "./endpoint";
import { Id } from "./fields";
import { rule } from "./messages";
import { recordsReadForPhone, searchKinds, searchMatches } from "./values";

export const SearchQuery = z.object({
  q: rule(
    z.string().min(1, { abort: true }).max(200, { abort: true }),
    "characters",
    (text) => !text.includes("\0"),
  ).meta({
    description:
      "Part of a title, name, phone number, e-mail address or reference, an id, or an amount. Payments are also found by their amount after fees. A whole phone number of eight digits or more finds its customers however it is written.",
  }),
});

export const Found = z.object({
  kind: z.enum(searchKinds),
  _id: Id,
  title: z.string(),
  detail: z.string().nullable(),
  status: z.string().nullable().meta({ description: "Null for a customer." }),
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  matched: z.enum(searchMatches).meta({
    description:
      "How the search found it. Where this is `text`, the list of its kind finds it by the same `q`.",
  }),
});
export type Found = z.output<typeof Found>;

export const search = endpoint({
  id: "search",
  method: "GET",
  path: "/search",
  tag: "Search",
  access: "staff",
  summary: "Find records of any kind",
  query: SearchQuery,
  response: z.array(Found),
  description:
    "Up to five of each kind. Records with the whole text as reference or e-mail address come first, and those with exactly the amount or phone number. The newest records that only hold the text come behind them. " +
    `A phone number is searched in customers, in subscriptions that are not cancelled, and in the newest ${recordsReadForPhone.toLocaleString("en")} payment links and tokens.`,
});
