import * as z from "zod";
import { endpoint } from "./endpoint";
import { Id, Name, Timestamp } from "./fields";
import { rule } from "./messages";
import { roles, savedLists, savedViewLimits } from "./values";

const word = /^[a-z][a-z0-9_]{0,39}$/;

const SavedName = Name(50).meta({
  description: "At most 50 characters.",
  examples: ["Overdue invoices"],
});
const Filters = rule(
  z.record(z.string().regex(word), Name(200)),
  "format",
  (filters: Record<string, string>) => Object.keys(filters).length <= savedViewLimits.filters,
).meta({
  description:
    "The list's filters as its address has them. Both bounds of a range of days may be `@` and its name, such as `@Last 30 days`: then it is counted from the day of use.",
});
const Sort = z
  .string()
  .regex(/^-?[a-z][a-z0-9_]{0,39}$/)
  .meta({ description: "The order of the rows; null for the list's own." });
const Columns = z
  .array(z.string().regex(word))
  .min(1)
  .max(savedViewLimits.columns)
  .meta({ description: "The columns that are shown; null for the list's own." });

const terms = {
  name: SavedName,
  filters: Filters,
  sort: Sort.nullish(),
  columns: Columns.nullish(),
  shared: z
    .boolean()
    .optional()
    .meta({ description: "True for the whole team; else it is the caller's alone." }),
};
const termsExample = {
  name: "Overdue invoices",
  filters: { status: "Active", created_from: "@Last 90 days", created_to: "@Last 90 days" },
  sort: "-amount",
  columns: ["title", "email", "amount"],
  shared: false,
};

const List = z.enum(savedLists);

export const SavedViewUpdate = z
  .object(terms)
  .meta({ id: "SavedViewUpdate", examples: [termsExample] });
export const SavedViewInput = z
  .object({ list: List, ...terms })
  .meta({ id: "SavedViewInput", examples: [{ list: "payment_links", ...termsExample }] });
export const SavedView = z
  .object({
    _id: Id,
    list: List,
    name: z.string(),
    filters: z.record(z.string(), z.string()),
    sort: z.string().nullable(),
    columns: z.array(z.string()).nullable(),
    shared: z.boolean(),
    mine: z.boolean().meta({ description: "Whether the caller saved it, and may change it." }),
    saved_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: "SavedView",
    examples: [
      {
        _id: "6740f5d81b2c9e7a04f3d51a",
        list: "payment_links",
        ...termsExample,
        mine: true,
        saved_by: "Ana Costa",
        created_at: "2026-11-20T13:34:45.423258Z",
        updated_at: "2026-11-20T13:34:45.423258Z",
      },
    ],
  });

export type SavedView = z.output<typeof SavedView>;
export type SavedViewInput = z.output<typeof SavedViewInput>;
export type SavedViewUpdate = z.output<typeof SavedViewUpdate>;

const params = z.object({ saved_view_id: Id });
const SavedViewQuery = z.object({
  list: List.optional().meta({ description: "Of this list; default: of every list." }),
});

const full = `There are ${savedViewLimits.views} views of this kind already.`;

// A view is how one person looks at a list: viewers save theirs too.
const own = { tag: "Saved views", access: "staff", roles, ownOnly: true } as const;

export const listSavedViews = endpoint({
  tag: "Saved views",
  access: "staff",
  id: "listSavedViews",
  method: "GET",
  path: "/saved-views",
  summary: "List saved views",
  query: SavedViewQuery,
  response: z.array(SavedView),
  description: "Your own and the team's, by name.",
});
export const createSavedView = endpoint({
  ...own,
  id: "createSavedView",
  method: "POST",
  path: "/saved-views",
  summary: "Save a view",
  body: SavedViewInput,
  response: SavedView,
  description: "A viewer may save views for themselves, not for the team.",
  conflict: full,
});
export const updateSavedView = endpoint({
  ...own,
  id: "updateSavedView",
  method: "PUT",
  path: "/saved-views/{saved_view_id}",
  summary: "Change a saved view",
  params,
  body: SavedViewUpdate,
  response: SavedView,
  description: "Only who saved it can change it. A viewer changes no view of the team.",
  conflict: full,
});
export const deleteSavedView = endpoint({
  ...own,
  id: "deleteSavedView",
  method: "DELETE",
  path: "/saved-views/{saved_view_id}",
  summary: "Delete a saved view",
  params,
  response: SavedView,
  description: "Who saved it, and for a view of the team an owner or admin too.",
});
