import { accentFor, type AccentShades } from "@/lib/kernel/accent";
import {
  dark,
  fontMono,
  fontSystem,
  light,
  motion,
  paletteVariables,
  radii,
  spacing,
  typeScale,
} from "@/lib/kernel/tokens";

const accentVariables = ({ fill, onFill, border, text }: AccentShades) =>
  `--fill:${fill};--on-fill:${onFill};--border:${border};--accent:${text}`;

/** Line breaks and indents are for us only. */
export const squeeze = (css: string) =>
  css
    .replace(/\s*\n\s*/g, "")
    .replace(/\s*([{};,])\s*/g, "$1")
    .replace(/([a-z]): /g, "$1:")
    .replaceAll(";}", "}");

const rem = <K extends PropertyKey>(sizes: Readonly<Record<K, number>>) =>
  Object.fromEntries(
    Object.entries<number>(sizes).map(([name, size]) => [name, `${size}rem`]),
  ) as Record<K, string>;
const text = rem(typeScale);
const space = rem(spacing);

const rules = squeeze(`
*,*::before,*::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-block: 5rem 8rem }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: flex; flex-direction: column;
  background: var(--page); color: var(--ink); font: 400 1rem/1.5 ${fontSystem};
  font-variant-numeric: tabular-nums lining-nums; -webkit-font-smoothing: antialiased; overflow-wrap: anywhere
}
h1, h2, p, dl, dd { margin: 0 }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .07em }
a:hover { text-decoration-thickness: .13em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px }

.test {
  padding: ${space[2]} ${space[4]}; text-align: center; text-wrap: balance; font-size: ${text.small}; line-height: 1.4; color: var(--warn);
  background: repeating-linear-gradient(-45deg, transparent 0 9px, var(--hatch) 9px 10px) var(--warn-soft)
}
.wrap { width: 100%; max-width: 30rem; margin: auto; padding: ${space[5]} ${space[4]} ${space[6]}; flex: 1; display: flex;
  flex-direction: column; justify-content: center }
.who { display: flex; align-items: center; gap: .75rem; margin: 0 .25rem 1rem; font-weight: 600; line-height: 1.3 }
.mark {
  flex: none; width: 2.5rem; height: 2.5rem; display: grid; place-items: center; border-radius: 50%;
  background: var(--fill); color: var(--on-fill); font-size: ${text.note}; letter-spacing: .01em
}
.logo { flex: none; box-sizing: border-box; width: auto; height: 2.75rem; max-width: 9rem; padding: .25rem; border-radius: 8px; background: #fff; object-fit: contain }

.sheet { position: relative; background: var(--surface); border-radius: ${radii.sheet}px;
  box-shadow: 0 1px 2px var(--shade), 0 12px 32px -16px var(--shade) }
.face { position: relative; padding: 1.75rem ${space[6]} ${space[6]}; border-radius: ${radii.sheet}px ${radii.sheet}px 0 0 }
.face:last-child { border-radius: inherit; padding-bottom: ${space[8]} }
.face::before {
  content: ""; position: absolute; inset: 0; border-radius: inherit; pointer-events: none; color: var(--accent);
    opacity: var(--guilloche);
  background:
    repeating-radial-gradient(circle at 108% -14%, transparent 0 6px, currentColor 6.5px 7px, transparent 7.5px 9px),
    repeating-radial-gradient(circle at 78% -46%, transparent 0 6px, currentColor 6.5px 7px, transparent 7.5px 9px);
  -webkit-mask-image: radial-gradient(ellipse 64% 12rem at 100% 0, #000 10%, transparent);
  mask-image: radial-gradient(ellipse 64% 12rem at 100% 0, #000 10%, transparent)
}
.face > * { position: relative }
h1 { font-size: ${text.title}; line-height: 1.3; font-weight: 600; letter-spacing: -.012em; text-wrap: balance }
.amount { display: flex; flex-wrap: wrap; align-items: flex-start; column-gap: .14em; margin-top: .9rem; font-weight: 600;
  line-height: 1; letter-spacing: -.045em; font-size: ${text.hero} }
.amount .code { font-size: .3em; line-height: 1; letter-spacing: .02em; color: var(--muted); margin-top: .32em }
.m .amount { font-size: 3.375rem }
.l .amount { font-size: 2.625rem }
.text { margin-top: 1.1rem; color: var(--muted); white-space: pre-line; hyphens: auto }
.stub > .facts { margin: 0 }
.facts { margin-top: 1.4rem; display: grid; gap: .65rem }
.facts div { display: grid; grid-template-columns: 5.75rem 1fr; gap: .15rem 1rem }
.facts dt { color: var(--muted); font-size: ${text.small}; line-height: 1.7 }
.facts dd { font-weight: 500; line-height: 1.5 }
.mono { font-family: ${fontMono}; font-size: .875em; font-weight: 400; letter-spacing: -.01em }

.stub { position: relative; padding: ${space[5]} ${space[6]} ${space[6]}; border-top: 2px dashed var(--line);
  background: var(--surface); border-radius: 0 0 ${radii.sheet}px ${radii.sheet}px }
.stub::before, .stub::after { content: ""; position: absolute; top: -12px; width: 22px; height: 22px; border-radius: 50%;
  background: var(--page) }
.stub::before { left: -12px }
.stub::after { right: -12px }
.button {
  display: flex; width: 100%; min-height: 3.375rem; align-items: center; justify-content: center; padding: ${space[3]} ${space[4]};
  border: 2px solid var(--border); border-radius: ${radii.control}px; background: var(--fill); color: var(--on-fill);
  font: inherit; font-size: ${text.lead}; font-weight: 600; line-height: 1.25; text-align: center; text-decoration: none;
    cursor: pointer;
  font-variant-numeric: inherit; transition: box-shadow ${motion.quick}ms, transform ${motion.quick}ms
}
.button:hover { box-shadow: 0 0 0 4px var(--halo) }
.button:active { transform: translateY(1px) }
.button.quiet { background: transparent; color: var(--accent); border-color: var(--edge) }
.ways { margin: 0 0 ${space[4]}; padding: 0; border: 0; min-width: 0 }
.ways legend { padding: 0; margin-bottom: ${space[2]}; font-size: ${text.note}; font-weight: 600 }
.way { border: 1px solid var(--edge); border-top-width: 0 }
.way:first-of-type { border-top-width: 1px; border-radius: ${radii.control}px ${radii.control}px 0 0 }
.way:last-child { border-radius: 0 0 ${radii.control}px ${radii.control}px }
.way:only-of-type { border-radius: ${radii.control}px }
.way:has(input:checked) { background: var(--sunken) }
.choice { display: grid; grid-template-columns: auto 1fr; gap: .75rem; align-items: center; min-height: 3rem;
  padding: .6rem .85rem; cursor: pointer }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent) }
.choice span { display: block; line-height: 1.35 }
.choice .name { font-weight: 500 }
.choice .about, .option span { font-size: ${text.fine}; color: var(--muted) }
.option { display: block; padding: 0 .85rem .85rem 2.85rem }
.option select { display: block; width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: 0 .6rem; font: inherit;
  color: var(--ink); background: var(--surface); border: 1px solid var(--edge); border-radius: ${radii.control}px }
@supports selector(:has(*)) { .way:not(:has(input:checked)) .option { display: none } }
.hint { margin-top: .75rem; font-size: ${text.fine}; line-height: 1.45; color: var(--muted); text-align: center; text-wrap: balance }
.more { margin-top: .5rem; text-align: center; font-size: ${text.note} }
.more a { display: inline-block; padding: .4rem ${space[2]} }

.notice { margin: 0 0 1.4rem; padding: .8rem ${space[4]}; border-radius: ${radii.control}px; font-size: ${text.note};
  line-height: 1.45; background: var(--sunken); color: var(--ink) }
.notice strong { display: block; font-weight: 600 }
.notice.bad { background: var(--bad-soft); color: var(--bad) }
.notice.warn { background: var(--warn-soft); color: var(--warn) }

.elsewhere { border-top: 1px solid var(--line); padding: 0 ${space[6]} }
summary { list-style: none; cursor: pointer; padding: ${space[4]} 0; font-size: ${text.note}; color: var(--accent); font-weight: 500;
  display: flex; align-items: center; gap: .6rem }
summary::-webkit-details-marker { display: none }
summary::before { content: ""; width: .5rem; height: .5rem; border: solid currentColor; border-width: 0 2px 2px 0;
  transform: rotate(-45deg); transition: transform ${motion.quick}ms; margin-left: .15rem }
[open] summary::before { transform: rotate(45deg) }
.qr { width: 12rem; max-width: 100%; margin: .25rem auto 0; padding: ${space[1]}; background: #fff; color: #10201a;
  border-radius: ${radii.card}px }
.qr svg { display: block; width: 100%; height: auto }
.address { margin: .75rem 0 1.5rem; font-size: .75rem; line-height: 1.5; color: var(--muted); text-align: center;
  word-break: break-all }

.kicker { margin-bottom: .5rem; font-size: ${text.small}; font-weight: 500; color: var(--accent) }
.seal { display: block; width: 3.5rem; height: 3.5rem; margin-bottom: 1.1rem; color: var(--muted) }
.seal.good { color: var(--good) }
.seal.warn { color: var(--warn) }
.seal.bad { color: var(--bad) }
.state h1 { font-size: ${text.heading}; letter-spacing: -.02em }
.state .text { margin-top: .6rem }
.state .amount { margin-top: 1.6rem }
footer { margin: 1.25rem .25rem 0; display: grid; gap: .15rem; font-size: ${text.fine}; line-height: 1.5; color: var(--muted);
  text-align: center }
footer a { display: inline-block; padding: ${space[1]} }

@media (max-width: 22.4em) {
  .face { padding: ${space[6]} ${space[5]} }
  .stub { padding: 1.1rem ${space[5]} ${space[5]} }
  .elsewhere { padding: 0 ${space[5]} }
  .amount { font-size: 3.25rem }
  .m .amount { font-size: 2.75rem }
  .l .amount { font-size: 2.125rem }
  .facts div { grid-template-columns: 1fr }
}
@media (max-width: 53.99em) and (min-height: 30em) {
  .pay .stub:not(.choosing), .choosing .go { position: sticky; bottom: 0; padding-bottom: max(${space[4]}, env(safe-area-inset-bottom)) }
  .choosing .go { padding-top: ${space[3]}; margin-bottom: -.75rem; background: var(--surface) }
  .choosing .ways { margin-bottom: ${space[1]} }
}
@media (min-width: 30em) { .facts div { grid-template-columns: 7rem 1fr } }
@media (min-width: 54em) {
  .wide { max-width: 57rem }
  .wide .sheet { display: grid; grid-template: auto 1fr / minmax(0, 1fr) 21.5rem }
  .wide .face { grid-row: 1 / 3; padding: ${space[11]} ${space[12]}; display: flex; flex-direction: column;
    border-radius: ${radii.sheet}px 0 0 ${radii.sheet}px }
  .wide .facts { margin-top: auto; padding-top: ${space[8]} }
  .wide .stub, .wide .elsewhere { border: 0; border-left: 2px dashed var(--line); border-radius: 0 }
  .wide .stub { border-top-right-radius: ${radii.sheet}px; padding: ${space[11]} 2.25rem ${space[6]} }
  .wide .stub:last-child { grid-row: 1 / 3; display: flex; flex-direction: column; justify-content: center;
    padding-bottom: ${space[11]}; border-bottom-right-radius: ${radii.sheet}px }
  .wide .stub::before, .wide .elsewhere::after, .wide .stub:last-child::after { content: ""; position: absolute; top: -12px;
    left: -12px; width: 22px; height: 22px; border-radius: 50%; background: var(--page) }
  .wide .stub::after { content: none }
  .wide .elsewhere::after, .wide .stub:last-child::after { top: auto; bottom: -12px }
  .wide .elsewhere { position: relative; padding: 0 2.25rem ${space[3]} }
  .wide h1 { font-size: 1.5rem }
  .wide .amount { font-size: 5rem; margin-top: 1.25rem }
  .wide.m .amount { font-size: 4.25rem }
  .wide.l .amount { font-size: 3.375rem }
  @supports selector(::details-content) {
    .wide details::details-content { content-visibility: visible; display: block; block-size: auto }
    .wide summary { padding-top: ${space[6]}; pointer-events: none; color: var(--muted); justify-content: center; text-align: center }
    .wide summary::before { content: none }
  }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important } }
@media (forced-colors: active) { .button, .notice, .sheet { border: 2px solid } .stub::before, .stub::after { content: none } }
@media print {
  @page { margin: 18mm }
  html { color-scheme: light }
  body { background: #fff; color: #000; min-height: 0; display: block }
  .wrap, .wide { max-width: 34rem; margin: 0; padding: 0; display: block }
  .sheet, .wide .sheet { box-shadow: none; border: 1px solid #999; display: block; break-inside: avoid }
  .wide .face { padding: ${space[8]} }
  .face::before, .stub::before, .stub::after, .wide .elsewhere::after, .hint, .button, .more, summary::before { content: none;
    display: none }
  .stub, .pay .stub { position: static; border-top: 1px solid #999; border-left: 0 }
  form { display: none !important }
  .test { border: 1px solid #999; margin-bottom: 1rem }
  .text, .facts dt, .amount .code, .address, footer { color: #333 }
  details::details-content { content-visibility: visible; display: block; block-size: auto }
  .wide .elsewhere { border: 0; border-top: 1px solid #999; padding: 0 ${space[8]} }
  .wide .amount, .amount { font-size: 3rem }
}
`);

const lightExtras = "--shade:rgb(18 32 26/.13);--hatch:rgb(115 75 0/.13);--guilloche:.2";
const darkExtras = "--shade:rgb(0 0 0/.5);--hatch:rgb(240 198 116/.12);--guilloche:.24";
const halo = "--halo:color-mix(in srgb,var(--accent) 22%,transparent)";

/** The whole style sheet of payer pages for one business's accent. The same accent gives the same bytes. */
export function payerStyles(accent: string | null | undefined): string {
  const shades = accentFor(accent);
  return (
    `:root{color-scheme:light dark;${paletteVariables(light)};${accentVariables(shades.light)};${lightExtras};${halo}}` +
    `@media screen and (prefers-color-scheme:dark){:root{${paletteVariables(dark)};${accentVariables(shades.dark)};${darkExtras}}}` +
    rules
  );
}
