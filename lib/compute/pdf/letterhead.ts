import { accentFor } from "@/lib/kernel/accent";
import { light, spacing, typeScale } from "@/lib/kernel/tokens";
import type { Letterhead } from "../tasks";
import { paragraph } from "./lines";
import { drawParagraph, type Paper, point, space } from "./paper";

const LOGO_HEIGHT = 32;
const LOGO_WIDTH = 120;

/** The top of a document: the notice of test mode, the logo, the name of the business. `draw` puts it at a place of the current page. */
export async function letterhead(
  paper: Paper,
  { business, logo, test }: Letterhead,
  width: number,
) {
  const accent = accentFor(business.accent).light;
  const pad = space(spacing[2]);
  const notice = test
    ? await paragraph(
        "Test mode: no money moved",
        { size: point(typeScale.body), weight: 400, color: light.warn },
        width - pad * 2,
      )
    : undefined;
  const name = await paragraph(
    business.name,
    { size: point(typeScale.lead), weight: 600, color: accent.text },
    width,
  );
  const noticeHeight = notice ? notice.height + pad * 2 + space(spacing[4]) : 0;
  const logoHeight = logo ? LOGO_HEIGHT + space(spacing[3]) : 0;
  return {
    accent: accent.fill,
    height: noticeHeight + logoHeight + name.height,
    draw: (x: number, top: number) => {
      if (notice) {
        paper
          .roundedRect(x, top, notice.width + pad * 2, notice.height + pad * 2, 5)
          .fill(light.warnSoft);
        drawParagraph(paper, notice, x + pad, top + pad);
      }
      const y = top + noticeHeight;
      if (logo) paper.image(Buffer.from(logo.bytes), x, y, { fit: [LOGO_WIDTH, LOGO_HEIGHT] });
      drawParagraph(paper, name, x, y + logoHeight);
    },
  };
}

/** Where questions go, or undefined when the business gave no contact. */
export function shownContact({ supportEmail, supportPhone }: Letterhead["business"]) {
  const contact = [supportEmail, supportPhone].filter(Boolean).join(" · ");
  return contact === "" ? undefined : `Questions? ${contact}`;
}
