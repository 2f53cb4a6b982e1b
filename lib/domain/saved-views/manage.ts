import type { Tx } from "@/db/client";
import type { SavedView, SavedViewInput, SavedViewUpdate } from "@/lib/contract/saved-views";
import { savedViewLimits } from "@/lib/contract/values";
import { conflict, notFound, Problem } from "@/lib/kernel/problem";
import { lockBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import {
  changeView,
  countViews,
  dropView,
  insertView,
  listViewRows,
  lockView,
  type ShownView,
  showView,
  type ViewTerms,
} from "./rows";

function personOf(ctx: Ctx): string {
  if (ctx.actor.kind !== "person" || !ctx.actor.id) throw new Error("views belong to people");
  return ctx.actor.id;
}

const forbidden = (message: string) => new Problem(403, "forbidden", message);

function present(row: ShownView, person: string): SavedView {
  return {
    _id: row.id,
    list: row.list,
    name: row.name,
    filters: row.filters,
    sort: row.sort,
    columns: row.columns,
    shared: row.shared,
    mine: row.userId === person,
    saved_by: row.savedBy,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

async function shown(ctx: Ctx, tx: Tx, id: string): Promise<SavedView> {
  const row = await showView(ctx, tx, id);
  if (!row) throw notFound();
  return present(row, personOf(ctx));
}

const termsOf = ({ name, filters, sort, columns, shared }: SavedViewUpdate): ViewTerms => ({
  name,
  filters,
  sort: sort ?? null,
  columns: columns ?? null,
  shared: shared ?? false,
});

/** A view of the team needs a role that works. Throws 403. */
function assertMaySave(ctx: Ctx, shared: boolean): void {
  if (shared && ctx.role === "viewer")
    throw forbidden("Your role saves views for yourself, not for the team.");
}

/** There is a limit of each kind, which the lock keeps when two are saved at once. Throws 409. */
async function assertRoom(ctx: Ctx, tx: Tx, shared: boolean): Promise<void> {
  await lockBusiness(tx, ctx.businessId);
  const count = await countViews(ctx, tx, shared ? "team" : personOf(ctx));
  if (count >= savedViewLimits.views)
    throw conflict(
      `There are already ${savedViewLimits.views} ${shared ? "views of the team" : "views of yours"}. Delete one first.`,
    );
}

/** The caller's own views of a list and the team's, by name. */
export async function list(ctx: Ctx, which: SavedView["list"] | undefined): Promise<SavedView[]> {
  const person = personOf(ctx);
  return (await listViewRows(ctx, person, which)).map((row) => present(row, person));
}

/** Saves a view for the caller, or for the team. Throws 403 for a viewer's view of the team, 409 at the limit. */
export async function create(ctx: Ctx, input: SavedViewInput): Promise<SavedView> {
  return commit(ctx, async (tx) => {
    const terms = termsOf(input);
    assertMaySave(ctx, terms.shared);
    await assertRoom(ctx, tx, terms.shared);
    const row = { ...terms, userId: personOf(ctx), list: input.list };
    return shown(ctx, tx, await insertView(ctx, tx, row));
  });
}

/** Replaces what a view of the caller's shows. Throws 404, 403 where another saved it or for a viewer's view of the team, 409 at the limit. */
export async function update(ctx: Ctx, id: string, input: SavedViewUpdate): Promise<SavedView> {
  return commit(ctx, async (tx) => {
    const before = await lockView(ctx, tx, personOf(ctx), id);
    if (!before) throw notFound();
    if (before.userId !== personOf(ctx))
      throw forbidden("Only who saved a view can change it. Save one of your own.");
    const terms = termsOf(input);
    assertMaySave(ctx, terms.shared || before.shared);
    if (terms.shared !== before.shared) await assertRoom(ctx, tx, terms.shared);
    await changeView(ctx, tx, id, terms);
    return shown(ctx, tx, id);
  });
}

/** Deletes a view of the caller's; owners and admins delete the team's too. Throws 404, 403. */
export async function remove(ctx: Ctx, id: string): Promise<SavedView> {
  return commit(ctx, async (tx) => {
    const before = await lockView(ctx, tx, personOf(ctx), id);
    if (!before) throw notFound();
    const manages = ctx.role === "owner" || ctx.role === "admin";
    if (before.userId !== personOf(ctx) && !manages)
      throw forbidden("Only who saved a view, an admin or an owner can delete it.");
    const data = await shown(ctx, tx, id);
    await dropView(ctx, tx, id);
    return data;
  });
}
