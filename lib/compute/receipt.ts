import { displayAmount } from "@/lib/kernel/money";
import { readableTime } from "@/lib/kernel/readable-time";
import { light, spacing, typeScale } from "@/lib/kernel/tokens";
import { letterhead, shownContact } from "./pdf/letterhead";
import { type Paragraph, paragraph } from "./pdf/lines";
import { bytesOf, drawParagraph, newPaper, page, point, space } from "./pdf/paper";
import type { ReceiptContent } from "./tasks";

const MARGIN = space(spacing[8]);
const INSET = MARGIN * 2;
const WIDTH = page.width - INSET * 2;
const LABEL_WIDTH = WIDTH * 0.3;

const plain = { size: point(typeScale.body), weight: 400, color: light.ink } as const;
const faint = { ...plain, color: light.muted } as const;

/** A receipt as a PDF of one page. A logo that cannot be drawn is left out: the receipt matters more. */
export async function receiptPdf(content: ReceiptContent): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await draw(content);
  } catch (error) {
    if (!content.logo) throw error;
    return draw({ ...content, logo: null });
  }
}

async function draw(content: ReceiptContent): Promise<Uint8Array<ArrayBuffer>> {
  const { business, title, amount, currency, paymentId } = content;
  const paper = newPaper({ title: `Receipt ${paymentId}`, author: business.name });
  paper.addPage({ size: "A4", margin: 0 });
  const head = await letterhead(paper, content, WIDTH);
  const intro: [number, Paragraph][] = [
    [6, await paragraph("Receipt", faint, WIDTH)],
    [
      1,
      await paragraph(
        displayAmount(amount, currency),
        { ...plain, weight: 600, size: point(typeScale.hero * 0.75) },
        WIDTH,
      ),
    ],
    [2, await paragraph(title, { ...plain, size: point(typeScale.title) }, WIDTH)],
  ];
  const facts = await Promise.all(factsOf(content).map(factOf));
  const contact = shownContact(business);
  const end =
    contact && (await paragraph(contact, { ...faint, size: point(typeScale.fine) }, WIDTH));

  const introHeight = intro.reduce(
    (sum, [before, { height }]) => sum + space(before / 4) + height,
    0,
  );
  const factsHeight = facts.reduce((sum, { height }) => sum + height + space(spacing[2]), 0);
  const endHeight = end ? space(spacing[6]) + end.height : 0;
  const height =
    MARGIN * 2 +
    head.height +
    introHeight +
    space(spacing[6]) +
    space(spacing[4]) +
    factsHeight +
    endHeight;

  paper.rect(0, 0, page.width, page.height).fill(light.page);
  paper.roundedRect(MARGIN, MARGIN, page.width - MARGIN * 2, height, 12).fill(light.surface);
  paper.rect(MARGIN, MARGIN, page.width - MARGIN * 2, 4).fill(head.accent);
  let y = INSET;
  head.draw(INSET, y);
  y += head.height;
  for (const [before, part] of intro) {
    y += space(before / 4);
    drawParagraph(paper, part, INSET, y);
    y += part.height;
  }
  y += space(spacing[6]);
  paper.rect(INSET, y, WIDTH, 1).fill(light.line);
  y += space(spacing[4]);
  for (const { label, value, height: row } of facts) {
    drawParagraph(paper, label, INSET, y);
    drawParagraph(paper, value, INSET + LABEL_WIDTH, y);
    y += row + space(spacing[2]);
  }
  if (end) drawParagraph(paper, end, INSET, y + space(spacing[6]));
  return bytesOf(paper);
}

function factsOf(content: ReceiptContent): [string, string][] {
  const { business, payer, method, references, refunds, earlierRefunds, currency } = content;
  const refunded = refunds.reduce((sum, { amount }) => sum + amount, earlierRefunds.amount);
  const time = (iso: string) => readableTime(iso, business.timeZone);
  return [
    ["Paid to", business.name],
    ...payer.map((line, index): [string, string] => [index === 0 ? "Paid by" : "", line]),
    ...(method ? [["Paid with", method] as [string, string]] : []),
    ...references.map((reference, index): [string, string] => [
      index === 0 ? "Reference" : `Reference ${index + 1}`,
      reference,
    ]),
    ["Paid on", time(content.paidAt)],
    ...(refunded > 0 ? [["Refunded", displayAmount(refunded, currency)] as [string, string]] : []),
    ...refunds.map(({ amount, at }): [string, string] => [
      "",
      `${displayAmount(amount, currency)} on ${time(at)}`,
    ]),
    ...earlier(earlierRefunds, currency),
    ["Receipt number", content.paymentId],
  ];
}

function earlier(
  { count, amount }: ReceiptContent["earlierRefunds"],
  currency: string,
): [string, string][] {
  if (count === 0) return [];
  return [
    [
      "",
      `${displayAmount(amount, currency)} in ${count} earlier ${count === 1 ? "refund" : "refunds"}`,
    ],
  ];
}

async function factOf([name, text]: [string, string]) {
  const label = await paragraph(name, faint, LABEL_WIDTH);
  const value = await paragraph(text, plain, WIDTH - LABEL_WIDTH);
  return { label, value, height: Math.max(label.height, value.height) };
}
