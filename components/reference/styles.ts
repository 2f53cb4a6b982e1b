import { accentFor } from "@/lib/kernel/accent";
import {
  dark,
  defaultAccent,
  fontMono,
  fontSans,
  light,
  motion,
  type Palette,
  paletteVariables,
  radii,
} from "@/lib/kernel/tokens";

const accent = accentFor(defaultAccent);

/** Code lies on dark ground in both themes, like a terminal. */
const codeVariables = (ground: string, edge: string) =>
  `--code:${ground};--code-edge:${edge};--code-ink:${dark.ink};--code-muted:${dark.muted};--code-line:${dark.line};--string:${dark.good};--word:${dark.warn};--number:#9cc7ff`;

const variables = (palette: Palette, shades: typeof accent.light) =>
  `${paletteVariables(palette)};--accent:${shades.text};--fill:${shades.fill};--on-fill:${shades.onFill}`;

const rules = `
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4.5rem; scroll-behavior: smooth }
body { margin: 0; background: var(--surface); color: var(--ink); font: 400 1rem/1.6 ${fontSans}; font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; overflow-wrap: anywhere }
h1, h2, h3, h4, p, dl, dd, ul, figure, fieldset { margin: 0; padding: 0; border: 0; min-width: 0 }
ul { list-style: none }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .07em }
a:hover { text-decoration-thickness: .13em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
code { font: .875em/1.5 ${fontMono}; letter-spacing: -.01em }
p code, dd code, td code { padding: .1em .32em; border-radius: 5px; background: var(--sunken); box-shadow: inset 0 0 0 1px var(--line); box-decoration-break: clone; -webkit-box-decoration-break: clone }
strong { font-weight: 600 }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; padding: .5rem 1rem; border-radius: ${radii.control}px; background: var(--fill); color: var(--on-fill) }
.skip:focus { top: .5rem }

.side { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--line); display: grid; grid-template-columns: 1fr auto; align-items: center }
.brand { display: flex; align-items: center; gap: .6rem; padding: .75rem 1rem; font-weight: 600; letter-spacing: -.01em; color: var(--ink) }
.brand svg { color: var(--fill) }
.brand .letter { stroke: var(--on-fill) }
.brand span { font-weight: 400; color: var(--muted); font-size: .875rem }
.menu { display: contents }
.menu > summary { margin-right: .5rem; padding: .5rem .75rem; min-height: 2.75rem; display: flex; align-items: center; gap: .5rem; cursor: pointer; font-size: .9375rem; font-weight: 500; color: var(--accent); list-style: none }
.menu > summary::-webkit-details-marker { display: none }
.menu > summary::after { content: ""; width: .45rem; height: .45rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg) translate(-2px, -2px); transition: transform ${motion.quick}ms }
.menu[open] > summary::after { transform: rotate(225deg) translate(-2px, -2px) }
.menu::details-content { grid-column: 1 / -1 }
nav { grid-column: 1 / -1; max-height: 75vh; max-height: 75svh; overflow-y: auto; padding: .25rem 1rem 1.25rem; font-size: .9375rem; line-height: 1.4; scrollbar-width: thin }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .8125rem; font-weight: 600; letter-spacing: 0 }
nav a { display: flex; gap: .6rem; align-items: baseline; padding: .34rem .5rem; margin: 0 -.5rem; color: var(--muted); text-decoration: none; border-radius: 7px }
nav h2 a { color: var(--ink) }
nav a:hover { color: var(--ink); background: color-mix(in srgb, var(--ink) 6%, transparent) }
.method { flex: none; font: 600 .6875rem/1 ${fontMono}; letter-spacing: .02em; color: var(--accent) }
nav .method { width: 2.1rem; font-size: .625rem }
.method.put { color: var(--warn) }
.method.delete { color: var(--bad) }
.method.post { color: var(--ink) }

main { padding: 0 1rem 3rem }
.guide, .group { padding: 2.25rem 0; border-bottom: 1px solid var(--line) }
.hero { position: relative; padding-top: 2.5rem }
h1 { font-size: 2rem; line-height: 1.12; font-weight: 650; letter-spacing: -.032em; text-wrap: balance; max-width: 18ch }
h2 { font-size: 1.375rem; line-height: 1.25; font-weight: 620; letter-spacing: -.018em; text-wrap: balance }
h3 { font-size: 1.125rem; line-height: 1.3; font-weight: 620; letter-spacing: -.012em }
h4, .fields > summary { font-size: .8125rem; line-height: 1.4; font-weight: 600; color: var(--ink) }
.about > p, .group > header > p { margin-top: .85rem; max-width: 38rem; color: var(--muted) }
.about > p strong { color: var(--ink) }
.hero .about > h1 + p { font-size: 1.0625rem; margin-top: 1.1rem }
.base { display: grid; gap: .6rem; margin: 1.5rem 0 1.25rem; padding: 1rem 0; border: solid var(--line); border-width: 1px 0 }
.base div { display: grid; grid-template-columns: minmax(0, 7rem) 1fr; gap: 0 .75rem }
.base dt { color: var(--muted); font-size: .875rem; line-height: 1.7 }
.group > header { max-width: 44rem }
.group > header h2 { font-size: 1.625rem; letter-spacing: -.024em }
article { padding: 2rem 0 0; margin-top: 2rem; border-top: 1px solid var(--line) }
.address { display: flex; gap: .6rem; align-items: baseline; margin-top: .5rem !important; color: var(--ink) !important }
.address code { padding: 0; background: none; box-shadow: none; font-size: .9375rem }
.address .method { font-size: .8125rem }
.address em { font-style: normal; color: var(--accent) }

.fields { margin-top: 1.6rem }
.fields dl { margin-top: .5rem; border-top: 1px solid var(--line) }
.fields dl > div { display: grid; gap: .1rem 1.25rem; padding: .65rem 0; border-bottom: 1px solid var(--line); line-height: 1.5 }
.fields dt { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; align-content: start }
.fields dt > code { font-weight: 600 }
.required { font-size: .75rem; color: var(--bad) }
.optional { font-size: .75rem; color: var(--muted) }
.facts { font-size: .8125rem; color: var(--muted) }
.fields dd { font-size: .9375rem }
.fields dd p { margin-top: .1rem }
.choices { display: flex; flex-wrap: wrap; gap: .3rem; padding-top: .3rem; font-size: .875rem; line-height: 1.35 }
.fields > summary { display: flex; gap: .6rem; align-items: baseline; cursor: pointer; padding: .5rem 0; min-height: 2.5rem; align-items: center; color: var(--accent); list-style: none }
.fields > summary::-webkit-details-marker { display: none }
.fields > summary::before { content: ""; width: .45rem; height: .45rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(-45deg); transition: transform ${motion.quick}ms }
.fields[open] > summary::before { transform: rotate(45deg) }
.fields > summary span { font-weight: 400; color: var(--muted) }
.status { font-weight: 600; font-size: .875rem }
.rest { margin-top: .6rem; font-size: .875rem; color: var(--muted) }

.statuses { margin-top: 1.1rem; max-width: 38rem; border-top: 1px solid var(--line) }
.statuses > div { display: grid; grid-template-columns: 3rem 1fr; padding: .55rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem; line-height: 1.55 }
.statuses dt { font-weight: 600; grid-row: 1 / span 4 }
.statuses dd { grid-column: 2; color: var(--muted) }
.statuses dd + dd { margin-top: .25rem }
.statuses dd code { color: var(--ink) }
.statuses > div:target { background: var(--good-soft); box-shadow: 0 0 0 .5rem var(--good-soft); border-color: transparent }
.statuses.wide > div { grid-template-columns: minmax(0, 15.5rem) 1fr; gap: 0 1rem }
table { width: 100%; max-width: 38rem; margin-top: 1.1rem; border-collapse: collapse; font-size: .9375rem; line-height: 1.5 }
th { white-space: nowrap; text-align: left; font-size: .8125rem; font-weight: 600; padding: 0 .75rem .4rem 0 }
td { padding: .55rem .75rem .55rem 0; border-top: 1px solid var(--line); vertical-align: top; color: var(--muted) }
td:first-child { color: var(--ink); font-weight: 600 }
td.amount, th:last-child { white-space: nowrap; padding-right: 0; color: var(--ink); text-align: right }
.types { display: flex; flex-wrap: wrap; gap: .4rem .5rem; margin-top: 1.1rem; max-width: 46rem }
.types code { display: block; padding: .2rem .5rem; border-radius: 7px; background: var(--sunken); box-shadow: inset 0 0 0 1px var(--line); font-size: .8125rem }

.codes { display: grid; gap: 1rem; align-content: start; margin-top: 1.6rem; min-width: 0 }
.code { position: relative; margin: 0 -1rem; padding: 0; background: var(--code); color: var(--code-ink); box-shadow: inset 0 0 0 1px var(--code-edge); color-scheme: dark }
.code figcaption, .code legend { float: left; width: 100%; padding: .7rem 5rem .7rem 1rem; font-size: .8125rem; line-height: 1.4; font-weight: 500; color: var(--code-muted) }
.code pre { clear: both; margin: 0; padding: .9rem 1rem 1.1rem; border-top: 1px solid var(--code-line); font: .8125rem/1.6 ${fontMono}; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2 }
.code pre code { font: inherit; letter-spacing: 0 }
.code i { font-style: normal }
.code .s { color: var(--string) }
.code .c { color: var(--code-muted) }
.code .k, .code .v { color: var(--word) }
.code .n { color: var(--number) }
.copy { position: absolute; top: .3rem; right: .4rem; min-height: 2.1rem; padding: .3rem .7rem; border: 0; border-radius: 8px; background: transparent; color: var(--code-ink); font: 500 .8125rem/1.2 ${fontSans}; cursor: pointer }
.copy:hover { background: var(--code-line) }
.code :focus-visible { outline-color: var(--string) }
.tabs legend { padding-bottom: .15rem }
.tab { position: relative; float: left; display: block }
.tab:first-of-type { margin-left: .4rem }
.tab input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer }
.tab label { display: block; padding: .5rem .6rem .55rem; font-size: .875rem; line-height: 1.3; color: var(--code-muted); border-bottom: 2px solid transparent }
.tab input:hover + label { color: var(--code-ink) }
.tab input:checked + label { color: var(--code-ink); border-color: var(--string); font-weight: 600 }
.tab input:focus-visible + label { outline: 3px solid var(--string); outline-offset: -3px; border-radius: 6px }
.tabs pre { display: none }
.tabs:has([value=curl]:checked) .in-curl, .tabs:has([value=node]:checked) .in-node, .tabs:has([value=php]:checked) .in-php, .tabs:has([value=python]:checked) .in-python, .tabs:has([value=go]:checked) .in-go { display: block }
footer { padding-top: 2rem; font-size: .875rem; color: var(--muted) }

@media (min-width: 40em) {
  main { padding: 0 2rem 4rem }
  .code { margin: 0; border-radius: ${radii.card}px }
  .fields dl > div { grid-template-columns: minmax(0, 12.5rem) minmax(0, 1fr) }
  .fields dt { flex-direction: column }
}
@media (min-width: 64em) {
  html { scroll-padding-top: 1.5rem }
  body { font-size: .9375rem; display: grid; grid-template-columns: 16.5rem minmax(0, 1fr) }
  .side { display: block; height: 100vh; border: 0; border-right: 1px solid var(--line); overflow: hidden }
  .brand { padding: 1.5rem 1.5rem .75rem; height: 4rem }
  .menu { display: block }
  nav { max-height: calc(100vh - 4rem); padding: .5rem 1.5rem 2rem; font-size: .875rem }
  main { padding: 0 3rem 5rem; max-width: 92rem }
  h1 { font-size: 2.625rem }
  .hero { padding-top: 4rem }
  @supports selector(::details-content) {
    .menu::details-content { content-visibility: visible; display: block; block-size: auto }
    .menu > summary { display: none }
  }
}
@media (min-width: 78em) {
  .guide, article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: 3rem }
  .guide > .about:only-child { grid-column: 1 }
  .guide, .group { padding: 3rem 0 }
  .codes { margin-top: 0 }
  article > .codes, .guide > .codes { position: sticky; top: 1.5rem; align-self: start }
  article { padding-top: 2.5rem; margin-top: 2.5rem }
}
@media (min-width: 100em) { .guide, article { grid-template-columns: minmax(0, 1fr) minmax(0, 36rem); gap: 4rem } }
@media (max-width: 39.99em) { .base div { grid-template-columns: 1fr } .statuses.wide > div { grid-template-columns: 1fr } .statuses.wide dd { grid-column: 1 } }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } * { transition: none !important } }
@media (forced-colors: active) { .code, .tab input:checked + label { border: 1px solid } }
@media print { .side, .copy { display: none } body { display: block } .code { color-scheme: light; background: none; color: #000 } .code i { color: inherit !important } }
`;

/** Line breaks and indents are for us only. */
const squeezed = rules
  .replace(/\s*\n\s*/g, "")
  .replace(/\s*([{};,])\s*/g, "$1")
  .replaceAll(";}", "}");

/** The whole style sheet of the reference page, light and dark. */
export const referenceStyles =
  `:root{color-scheme:light dark;${variables(light, accent.light)};${codeVariables("#131c18", "transparent")}}` +
  `@media screen and (prefers-color-scheme:dark){:root{${variables(dark, accent.dark)};${codeVariables(dark.page, dark.line)}}}` +
  squeezed;
