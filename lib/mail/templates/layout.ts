import { accentFor } from "@/lib/kernel/accent";
import { dark, fontMono, fontSans, light, radii } from "@/lib/kernel/tokens";
import { html, lines, Markup } from "./markup";

/** Whose mail it is; `null` in the layout means Kutip's own account mails. */
export type MailBusiness = { name: string; accent?: string | null; supportEmail?: string | null; supportPhone?: string | null };

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
  paragraphs: readonly string[];
  facts: readonly MailFact[];
  button?: { label: string; address: string; note: string } | null;
  /** Why this mail came. */
  reason: string;
};

export type RenderedMail = { subject: string; html: string; text: string };

const FONT = fontSans.replaceAll('"', "'");
const MONO = fontMono.replaceAll('"', "'");

const support = (business: MailBusiness | null) => [business?.supportEmail, business?.supportPhone].filter((contact) => !!contact).join(" or ");

/** Mail clients differ in what they keep: tables and inline styles carry the look, the style block only turns it dark. */
function darkStyles(business: MailBusiness | null): string {
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
  return `@media (prefers-color-scheme:dark){${rules.map(([selector, rule]) => `${selector}{${rule}}`).join("")}}`;
}

function testBand(): Markup {
  return html`<tr><td class="k-test" style="padding:10px 16px;background:${light.warnSoft};color:${light.warn};border-radius:${String(radii.control)}px;font-size:14px;line-height:20px;text-align:center"><strong>Test mode.</strong> No real money is asked for or moved.</td></tr><tr><td height="16" style="height:16px;font-size:0;line-height:0">&nbsp;</td></tr>`;
}

function amountRow(amount: string): Markup {
  const blank = amount.indexOf(" ");
  return html`<p class="k-ink" style="margin:14px 0 0;color:${light.ink};font-size:44px;line-height:48px;font-weight:600;letter-spacing:-1.5px"><span class="k-muted" style="color:${light.muted};font-size:17px;line-height:20px;letter-spacing:0;vertical-align:19px">${amount.slice(0, blank)}</span> ${amount.slice(blank + 1)}</p>`;
}

function factRows(facts: readonly MailFact[]): Markup {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${facts.map(
    ({ label, value, mono }) =>
      html`<tr><td class="k-muted" width="112" valign="top" style="width:112px;padding:4px 12px 4px 0;color:${light.muted};font-size:14px;line-height:22px">${label}</td><td class="k-ink" valign="top" style="padding:4px 0;color:${light.ink};font-size:${mono ? "14" : "15"}px;line-height:22px;word-break:break-word;${mono ? new Markup(`font-family:${MONO}`) : "font-weight:500"}">${value}</td></tr>`,
  )}</table>`;
}

function buttonRows(button: NonNullable<MailParts["button"]>, business: MailBusiness | null): Markup {
  const { fill, onFill, border, text } = accentFor(business?.accent).light;
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="k-button" align="center" bgcolor="${fill}" style="background:${fill};border:2px solid ${border};border-radius:${String(radii.control)}px"><a href="${button.address}" style="display:block;padding:14px 20px;color:${onFill};font-size:17px;line-height:22px;font-weight:600;text-decoration:none">${button.label}</a></td></tr></table><p class="k-muted" style="margin:16px 0 0;color:${light.muted};font-size:13px;line-height:20px">${button.note}<br><a class="k-link" href="${button.address}" style="color:${text};word-break:break-all">${button.address}</a></p>`;
}

function htmlOf(parts: MailParts): string {
  const { business, test, subject, preview, heading, amount, title, paragraphs, facts, button, reason } = parts;
  const contact = support(business);
  const cut = html`<tr><td class="k-line" style="border-top:2px dashed ${light.line};font-size:0;line-height:0" height="1">&nbsp;</td></tr>`;
  const stub = facts.length > 0 || button;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${subject}</title>
<style>:root{color-scheme:light dark}${new Markup(darkStyles(business))}</style>
</head>
<body class="k-page" style="margin:0;padding:0;background:${light.page};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden">${preview}${new Markup("&#8199;&#847; ".repeat(40))}</div>
<table class="k-page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${light.page}">
<tr><td align="center" style="padding:28px 14px 36px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;${new Markup(`font-family:${FONT}`)};text-align:left">
${test ? testBand() : null}
<tr><td class="k-ink" style="padding:0 6px 14px;color:${light.ink};font-size:16px;line-height:22px;font-weight:600">${business?.name ?? "Kutip"}</td></tr>
<tr><td class="k-sheet" style="background:${light.surface};border-radius:${String(radii.sheet)}px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td style="padding:30px 26px 26px">
<h1 class="k-ink" style="margin:0;color:${light.ink};font-size:22px;line-height:28px;font-weight:600;letter-spacing:-.3px">${heading}</h1>
${amount ? amountRow(amount) : null}
${title ? html`<p class="k-ink" style="margin:14px 0 0;color:${light.ink};font-size:17px;line-height:24px;font-weight:500;word-break:break-word">${title}</p>` : null}
${paragraphs.map((paragraph) => html`<p class="k-muted" style="margin:12px 0 0;color:${light.muted};font-size:16px;line-height:24px;word-break:break-word">${lines(paragraph)}</p>`)}
</td></tr>
${stub ? cut : null}
${
  stub
    ? html`<tr><td style="padding:22px 26px 28px">${facts.length > 0 ? factRows(facts) : null}${
        facts.length > 0 && button ? html`<div style="height:18px;font-size:0;line-height:18px">&nbsp;</div>` : null
      }${button ? buttonRows(button, business) : null}</td></tr>`
    : null
}
</table>
</td></tr>
<tr><td class="k-muted" style="padding:18px 6px 0;color:${light.muted};font-size:13px;line-height:20px">${
    contact ? html`Questions? Ask ${business?.name}: ${contact}.<br>` : null
  }${reason}${business ? html`<br>Collected with Kutip` : null}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
  return page.source;
}

function textOf({ business, test, heading, amount, title, paragraphs, facts, button, reason }: MailParts): string {
  const contact = support(business);
  const blocks = [
    test ? "*** TEST MODE: no real money is asked for or moved. ***" : null,
    heading,
    [amount, title].filter((line) => !!line).join("\n"),
    ...paragraphs.map((paragraph) => paragraph.replace(/\r\n?/g, "\n")),
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
