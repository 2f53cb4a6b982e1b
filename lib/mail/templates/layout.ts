import { accentFor } from "@/lib/kernel/accent";
import { dark, fontMono, fontSans, light, radii } from "@/lib/kernel/tokens";
import { html, lines, Markup } from "./markup";

/** At its public address; sides in pixels, as the file has them. */
type MailLogo = { url: string; width: number; height: number };

/** The sending business; `null` in the layout means Kutip's own account mails. */
export type MailBusiness = {
  name: string;
  accent?: string | null;
  logo?: MailLogo | null;
  supportEmail?: string | null;
  supportPhone?: string | null;
};

export type MailFact = { label: string; value: string; mono?: boolean };

/** One mail in parts. Every part is plain text, escaped here; the text version says the same in the same order. */
export type MailParts = {
  business: MailBusiness | null;
  test: boolean;
  subject: string;
  /** What a mailbox shows beside the subject. */
  preview: string;
  heading: string;
  /** From `displayAmount`. */
  amount?: string | null;
  title?: string | null;
  /** What the business wrote, in its own language. */
  description?: string | null;
  paragraphs: readonly string[];
  facts: readonly MailFact[];
  button?: { label: string; address: string; note: string } | null;
  /** Why this mail came. */
  reason: string;
};

export type RenderedMail = { subject: string; html: string; text: string };

// A family of several words needs no quotes, and a style attribute is better off without them.
const font = fontSans.replaceAll('"', "");
const mono = fontMono.replaceAll('"', "");

const { page, surface, ink, muted, line, warn, warnSoft } = light;

const logoSize = { width: 144, height: 40 };

/** Every style inline, since many mail clients drop style blocks. */
const css = {
  page: `margin:0;padding:0;background:${page};-webkit-text-size-adjust:100%`,
  frame: `max-width:520px;font-family:${font};text-align:left`,
  hidden: "display:none;max-height:0;overflow:hidden",
  gap: "height:16px;font-size:0;line-height:16px",
  test: `padding:10px 16px;background:${warnSoft};color:${warn};font-size:14px;line-height:20px;text-align:center`,
  who: `padding:0 6px 14px;color:${ink};font-size:16px;line-height:22px;font-weight:600`,
  logo: "display:inline-block;margin:0 12px 0 0;padding:4px;background:#ffffff;border:0;border-radius:8px;vertical-align:middle",
  sheet: `background:${surface};border-radius:${radii.sheet}px`,
  face: "padding:30px 26px 26px",
  heading: `margin:0;color:${ink};font-size:22px;line-height:28px;font-weight:600;letter-spacing:-.3px`,
  amount: `margin:14px 0 0;color:${ink};font-size:44px;line-height:48px;font-weight:600;letter-spacing:-1.5px`,
  longAmount: `margin:14px 0 0;color:${ink};font-size:34px;line-height:40px;font-weight:600;letter-spacing:-1px`,
  code: `color:${muted};font-size:17px;line-height:20px;letter-spacing:0;vertical-align:19px`,
  longCode: `color:${muted};font-size:15px;line-height:18px;letter-spacing:0;vertical-align:12px`,
  title: `margin:14px 0 0;color:${ink};font-size:17px;line-height:24px;font-weight:500;word-break:break-word`,
  paragraph: `margin:12px 0 0;color:${muted};font-size:16px;line-height:24px;word-break:break-word`,
  cut: `border-top:2px dashed ${line};font-size:0;line-height:0`,
  stub: "padding:22px 26px 28px",
  label: `width:112px;padding:4px 12px 4px 0;color:${muted};font-size:14px;line-height:22px`,
  value: `padding:4px 0;color:${ink};font-size:15px;line-height:22px;font-weight:500;word-break:break-word`,
  monoValue: `padding:4px 0;color:${ink};font-family:${mono};font-size:14px;line-height:22px;word-break:break-all`,
  note: `margin:16px 0 0;color:${muted};font-size:13px;line-height:20px`,
  foot: `padding:18px 6px 0;color:${muted};font-size:13px;line-height:20px`,
} as const;

const table = new Markup(
  `role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`,
);

const support = (business: MailBusiness | null) =>
  [business?.supportEmail, business?.supportPhone].filter((contact) => !!contact).join(" or ");

/** Where a style block is kept and dark mode known, the same classes turn dark. */
function darkStyles(business: MailBusiness | null): Markup {
  const accent = accentFor(business?.accent).dark;
  const rules: readonly (readonly [string, string])[] = [
    [".k-page", `background:${dark.page}!important`],
    [".k-sheet", `background:${dark.surface}!important`],
    [".k-ink", `color:${dark.ink}!important`],
    [".k-muted", `color:${dark.muted}!important`],
    [".k-line", `border-color:${dark.line}!important`],
    [".k-link", `color:${accent.text}!important`],
    [".k-button", `border-color:${accent.border}!important`],
    [".k-test", `background:${dark.warnSoft}!important;color:${dark.warn}!important`],
  ];
  return new Markup(
    `@media (prefers-color-scheme:dark){${rules.map(([selector, rule]) => `${selector}{${rule}}`).join("")}}`,
  );
}

/** As large as on the payer's page. The name is beside it, so its alternative text is empty. */
function logoImage({ url, width, height }: MailLogo): Markup {
  const scale = Math.min(logoSize.height / height, logoSize.width / width);
  const [wide, high] = [width, height].map((side) => String(Math.max(1, Math.round(side * scale))));
  return html`<img src="${url}" width="${wide}" height="${high}" alt="" style="${css.logo}">`;
}

function amountRow(amount: string): Markup {
  const blank = amount.indexOf(" ");
  const long = amount.length - blank > 9;
  return html`<p class="k-ink" style="${long ? css.longAmount : css.amount}">
<span class="k-muted" style="${long ? css.longCode : css.code}">${amount.slice(0, blank)}</span> ${amount.slice(blank + 1)}</p>`;
}

function factRows(facts: readonly MailFact[]): Markup | null {
  if (facts.length === 0) return null;
  const rows = facts.map(
    (fact) => html`<tr>
<td class="k-muted" width="112" valign="top" style="${css.label}">${fact.label}</td>
<td class="k-ink" valign="top" dir="auto" lang="" style="${fact.mono ? css.monoValue : css.value}">${fact.value}</td>
</tr>`,
  );
  return html`<table ${table}>${rows}</table>`;
}

function buttonRows(
  { label, address, note }: NonNullable<MailParts["button"]>,
  business: MailBusiness | null,
): Markup {
  const { fill, onFill, border, text } = accentFor(business?.accent).light;
  const box = `background:${fill};border:2px solid ${border};border-radius:${radii.control}px`;
  const link = `display:block;padding:14px 20px;color:${onFill};font-size:17px;line-height:22px;font-weight:600;text-decoration:none`;
  return html`<table ${table}><tr>
<td class="k-button" align="center" bgcolor="${fill}" style="${box}"><a href="${address}" style="${link}">${label}</a></td>
</tr></table>
<p class="k-muted" style="${css.note}">${note}<br>
<a class="k-link" href="${address}" style="color:${text};word-break:break-all">${address}</a></p>`;
}

function sheetRows({
  business,
  heading,
  amount,
  title,
  description,
  paragraphs,
  facts,
  button,
}: MailParts): Markup {
  const face = html`<tr><td style="${css.face}">
<h1 class="k-ink" style="${css.heading}">${heading}</h1>
${amount ? amountRow(amount) : null}
${title ? html`<p class="k-ink" dir="auto" lang="" style="${css.title}">${title}</p>` : null}
${paragraphs.map((paragraph) => html`<p class="k-muted" style="${css.paragraph}">${lines(paragraph)}</p>`)}
${description ? html`<p class="k-muted" dir="auto" lang="" style="${css.paragraph}">${lines(description)}</p>` : null}
</td></tr>`;
  if (facts.length === 0 && !button) return face;
  return html`${face}
<tr><td class="k-line" height="1" style="${css.cut}">&nbsp;</td></tr>
<tr><td style="${css.stub}">
${factRows(facts)}
${facts.length > 0 && button ? html`<div style="${css.gap}">&nbsp;</div>` : null}
${button ? buttonRows(button, business) : null}
</td></tr>`;
}

function htmlOf(parts: MailParts): string {
  const { business, test, subject, preview, reason } = parts;
  const contact = support(business);
  const testRows = html`<tr>
<td class="k-test" style="${css.test};border-radius:${String(radii.control)}px">
<strong>Test mode.</strong> No real money is asked for or moved.</td>
</tr>
<tr><td height="16" style="${css.gap}">&nbsp;</td></tr>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${subject}</title>
<style>:root{color-scheme:light dark}${darkStyles(business)}</style>
</head>
<body class="k-page" style="${css.page}">
<div style="${css.hidden}">${preview}${previewEnd}</div>
<table class="k-page" ${table} style="background:${page}"><tr><td align="center" style="padding:28px 14px 36px">
<table ${table} style="${css.frame}">
${test ? testRows : null}
<tr><td class="k-ink" style="${css.who}">${business?.logo ? logoImage(business.logo) : null}<bdi lang="">${business?.name ?? "Kutip"}</bdi></td></tr>
<tr><td class="k-sheet" style="${css.sheet}"><table ${table}>
${sheetRows(parts)}
</table></td></tr>
<tr><td class="k-muted" style="${css.foot}">
${contact ? html`Questions? Ask ${business?.name}: ${contact}.<br>` : null}
${reason}
${business ? html`<br>Collected with Kutip` : null}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.source;
}

// Blanks that take no room, so that a mailbox does not fill its preview with the rest of the mail.
const previewEnd = new Markup("&#8199;&#847; ".repeat(40));

function textOf({
  business,
  test,
  heading,
  amount,
  title,
  description,
  paragraphs,
  facts,
  button,
  reason,
}: MailParts): string {
  const contact = support(business);
  const blocks = [
    test ? "*** TEST MODE: no real money is asked for or moved. ***" : null,
    heading,
    [amount, title].filter((line) => !!line).join("\n"),
    ...[...paragraphs, description ?? ""].map((text) => text.replace(/\r\n?/g, "\n")),
    facts.map(({ label, value }) => `${label}: ${value}`).join("\n"),
    button ? `${button.label}:\n${button.address}` : null,
    contact ? `Questions? Ask ${business?.name}: ${contact}.` : null,
    `-- \n${reason}${business ? "\nCollected with Kutip" : ""}`,
  ];
  return `${blocks.filter((block) => !!block).join("\n\n")}\n`;
}

/** Puts the parts together, HTML and text. The subject comes out as one line. */
export function renderMail(parts: MailParts): RenderedMail {
  return { subject: parts.subject, html: htmlOf(parts), text: textOf(parts) };
}
