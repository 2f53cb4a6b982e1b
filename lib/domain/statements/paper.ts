import { heavyRead } from "@/db/heavy-reads";
import type { StatementContent } from "@/lib/compute/tasks";
import { businessTime } from "../business-time";
import { logoToDraw } from "../businesses/logo";
import type { Ctx } from "../context";
import { get, monthOf } from "./get";
import { presentLine } from "./present";
import { listLines } from "./rows";

/** A PDF of more would take minutes to draw; the CSV export has every line. */
const MAX_LINES = 500;

/** What the PDF of a statement says. */
export async function paper(ctx: Ctx, month: string): Promise<StatementContent> {
  const { business, statement, lines } = await businessTime.run(
    String(ctx.businessId),
    () => heavyRead(ctx, "export", () => read(ctx, month)),
    ctx.disconnected,
  );
  const { currencies, other_days: otherDays, lines: total, from, to } = statement;
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
    otherDays,
    lines: lines.map(presentLine),
    total,
  };
}

/** The sums and the first lines; on one snapshot they agree. */
async function read(ctx: Ctx, month: string) {
  const { business, bounds } = await monthOf(ctx, month);
  const walk = { sort: "created_at", limit: MAX_LINES, offset: 0, back: false } as const;
  return {
    business,
    statement: await get(ctx, month),
    lines: await listLines(ctx, bounds, walk),
  };
}
