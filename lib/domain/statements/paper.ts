import type { StatementContent } from "@/lib/compute/tasks";
import type { Ctx } from "../context";
import { wholeList } from "../walk";
import { logoToDraw } from "../businesses/logo";
import { get, monthOf } from "./get";
import { presentLine } from "./present";
import { listLines } from "./rows";

/** A PDF of more would take minutes to draw; the CSV export has every line. */
const MAX_LINES = 500;

/** What the PDF of a statement says. */
export async function paper(ctx: Ctx, month: string): Promise<StatementContent> {
  const { business, bounds } = await monthOf(ctx, month);
  const { currencies, lines: total, from, to } = await get(ctx, month);
  const lines: StatementContent["lines"] = [];
  for await (const rows of wholeList(ctx, "created_at", (walk) => listLines(ctx, bounds, walk))) {
    lines.push(...rows.slice(0, MAX_LINES - lines.length).map(presentLine));
    if (lines.length === MAX_LINES) break;
  }
  return {
    business: {
      name: business.name,
      accent: business.accent,
      supportEmail: business.supportEmail,
      supportPhone: business.supportPhone,
      timeZone: business.timeZone,
    },
    logo: business.logo ? await logoToDraw(ctx) : null,
    test: ctx.mode === "test",
    month,
    from,
    to,
    currencies,
    lines,
    total,
  };
}
