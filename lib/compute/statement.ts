import type { StatementLine } from "@/lib/contract/statements";
import { byHand } from "@/lib/contract/payment-methods";
import { cameBefore, statementKindLabels } from "@/lib/contract/statement-kinds";
import { displayAmount } from "@/lib/kernel/money";
import { readableDayIn, readableMonth, readableTime } from "@/lib/kernel/readable-time";
import { light, spacing, typeScale } from "@/lib/kernel/tokens";
import { letterhead } from "./pdf/letterhead";
import { type Paragraph, paragraph, type Style } from "./pdf/lines";
import { bytesOf, drawParagraph, newPaper, type Paper, page, point, space } from "./pdf/paper";
import type { StatementContent } from "./tasks";

const MARGIN = space(spacing[8]);
const WIDTH = page.width - MARGIN * 2;
const FOOT = page.height - MARGIN;
const GAP = 6;

const plain: Style = { size: 7.5, weight: 400, color: light.ink };
const faint: Style = { ...plain, color: light.muted };
const strong: Style = { ...plain, weight: 600 };

const BACK = "Refunds and disputes";

type Column = { width: number; end?: true };
const AMOUNT = 72;
const columns: readonly Column[] = [
  { width: 62 },
  { width: WIDTH - 62 - AMOUNT * 4 },
  ...Array.from({ length: 4 }, () => ({ width: AMOUNT, end: true }) as const),
];
const sumColumns: readonly Column[] = [
  { width: WIDTH - AMOUNT * 6 },
  ...Array.from({ length: 6 }, () => ({ width: AMOUNT, end: true }) as const),
];

/** A month's statement as a PDF: the sums, then the lines, on as many pages as they need. */
export async function statementPdf(content: StatementContent): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await draw(content);
  } catch (error) {
    if (!content.logo) throw error;
    return draw({ ...content, logo: null });
  }
}

async function draw(content: StatementContent): Promise<Uint8Array<ArrayBuffer>> {
  const { business, currencies, otherDays, lines, total } = content;
  const name = `Statement ${readableMonth(content.month)}`;
  const paper = newPaper({ title: name, author: business.name });
  const sheet = newSheet(paper);
  const head = await letterhead(paper, content, WIDTH);
  head.draw(MARGIN, sheet.take(head.height + space(spacing[4])));
  await sheet.text(name, { ...strong, size: point(typeScale.title) });
  const zone = (iso: string) => readableTime(iso, business.timeZone);
  await sheet.text(`${zone(content.from)} to ${zone(content.to)}`, faint);
  sheet.take(space(spacing[4]));

  if (currencies.length === 0) await sheet.text("Nothing was booked.", plain);
  else {
    await sheet.row(sumColumns, ["", "Opening", "Gross", BACK, "Fees", "Net", "Closing"], faint);
    for (const one of currencies) {
      const money = (amount: number) => displayAmount(amount, one.currency);
      const { opening, gross, refunds, disputes, fees, net, closing } = one;
      await sheet.row(
        sumColumns,
        [one.currency, ...[opening, gross, -refunds - disputes, -fees, net, closing].map(money)],
        strong,
      );
      if (one.manual !== 0)
        await sheet.text(`Of the net, ${money(one.manual)} was recorded by hand.`, faint);
      if (one.without_fee !== 0)
        await sheet.text(
          `The payment provider has stated no fee for ${money(one.without_fee)} of the payments.`,
          faint,
        );
    }
  }
  for (const { currency, booked, paid } of otherDays)
    for (const [amount, text] of [
      [booked, "came in this month and was booked in another month."],
      [paid, "was booked in this month and came in another month."],
    ] as const)
      if (amount !== 0) await sheet.text(`${displayAmount(amount, currency)} ${text}`, faint);
  sheet.take(space(spacing[6]));
  if (lines.length > 0) {
    const titles = ["Booked", "Payer and title", "Gross", BACK, "Fees", "Net"];
    await sheet.row(columns, titles, faint);
    sheet.repeat = () => sheet.row(columns, titles, faint);
    for (const line of lines) await sheet.row(columns, cellsOf(line, business.timeZone), plain);
  }
  if (total > lines.length) {
    sheet.take(space(spacing[3]));
    await sheet.text(
      `The first ${lines.length} of ${total} lines. The sums are of all lines. The CSV export has every line.`,
      faint,
    );
  }
  return bytesOf(paper);
}

function cellsOf(line: StatementLine, timeZone: string): string[] {
  const { currency, gross, refunds, disputes, fees, net } = line;
  const { kind, method, email, title, reference } = line;
  const about = [
    kind === "payment" ? "" : statementKindLabels[kind],
    byHand(method),
    cameBefore(line) ? `came ${readableDayIn(cameBefore(line) ?? "", timeZone)}` : "",
    email,
    title,
    reference,
  ].filter(Boolean);
  const money = (amount: number) => (amount === 0 ? "–" : displayAmount(amount, currency));
  return [
    readableDayIn(line.created_at, timeZone),
    about.join(" · "),
    ...[gross, -refunds - disputes, -fees, net].map((amount) => money(amount || 0)),
  ];
}

/** Pages that are filled from the top. `repeat` draws what begins each further page. */
function newSheet(paper: Paper) {
  let y = FOOT;
  const sheet = {
    repeat: async (): Promise<void> => undefined,
    take: (height: number): number => {
      if (y + height > FOOT && height > 0) newPage();
      const at = y;
      y += height;
      return at;
    },
    text: async (text: string, style: Style): Promise<void> => {
      const made = await paragraph(text, style, WIDTH);
      drawParagraph(paper, made, MARGIN, sheet.take(made.height));
    },
    row: async (
      places: readonly Column[],
      cells: readonly string[],
      style: Style,
    ): Promise<void> => {
      const made: Paragraph[] = [];
      for (const [index, cell] of cells.entries())
        made.push(await paragraph(cell, style, (places[index]?.width ?? 0) - GAP));
      const height = Math.max(...made.map((cell) => cell.height)) + GAP;
      if (y + height > FOOT) {
        newPage();
        await sheet.repeat();
      }
      const top = sheet.take(height);
      paper.rect(MARGIN, top + height - 1, WIDTH, 0.5).fill(light.line);
      let x = MARGIN;
      for (const [index, cell] of made.entries()) {
        const { width = 0, end } = places[index] ?? {};
        drawParagraph(paper, cell, end ? x + width - cell.width : x, top + GAP / 3);
        x += width;
      }
    },
  };
  function newPage(): void {
    paper.addPage({ size: "A4", margin: 0 });
    y = MARGIN;
  }
  return sheet;
}
