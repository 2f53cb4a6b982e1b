import { fontMono } from "@/lib/kernel/tokens";
import { squeeze } from "./styles";

/** Square, monospaced, yellow on black: payers must not mistake this page for Kutip's or for a real bank's. */
export const simulatorStyles = squeeze(`
:root { color-scheme: light dark; --page: #fbf7e6; --ink: #17150b; --muted: #5c5638; --panel: #fffef8; --rule: #17150b; --sun: #ffd60a;
  --focus: #1d3fbb }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #12110b; --ink: #f7f2dc; --muted: #b9b18e; --panel: #1c1a11; --rule: #8b8360; --sun: #ffd60a; --focus: #9db4ff }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--ink); font: 400 .9375rem/1.5 ${fontMono};
  overflow-wrap: anywhere }
h1, p, dl, dd, ul { margin: 0; padding: 0 }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px }
.band { height: .75rem; background: repeating-linear-gradient(-45deg, #17150b 0 12px, #ffd60a 12px 24px) }
.wrap { max-width: 42rem; margin: 0 auto; padding: 1.25rem 1rem 2.5rem }
.brand { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; padding-bottom: 1.25rem }
.brand strong { font-size: 1.0625rem }
.brand span, .hint, dt, footer { color: var(--muted) }
h1 { font-size: 1.25rem; line-height: 1.35; font-weight: 700 }
.lead { margin-top: .5rem }
.panel { background: var(--panel); border: 2px solid var(--rule); padding: 1.25rem 1rem; box-shadow: 6px 6px 0 var(--sun) }
dl { display: grid; gap: .35rem; margin-top: 1rem; padding-top: 1rem; border-top: 2px solid var(--rule) }
dl div { display: grid; grid-template-columns: 5.5rem 1fr; gap: 1rem }
dd { font-weight: 700 }
dd.sum { font-size: 1.375rem; line-height: 1.2 }
ul { list-style: none; margin-top: 2rem; display: grid; gap: 1rem }
form { display: grid; gap: .35rem }
.press { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center }
button, .back {
  min-height: 2.875rem; padding: .5rem 1rem; border: 2px solid var(--rule); border-radius: 0; background: var(--panel);
    color: var(--ink);
  font: inherit; font-weight: 700; text-align: left; cursor: pointer; flex: 1 1 13rem; text-decoration: none; display: inline-flex;
    align-items: center
}
.first button { background: var(--sun); color: #17150b; border-color: #17150b }
button:hover, .back:hover { box-shadow: 4px 4px 0 var(--rule) }
label { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center }
input { width: 4.5rem; min-height: 2.875rem; padding: .25rem .5rem; border: 2px solid var(--rule); border-radius: 0;
  background: var(--panel); color: var(--ink); font: inherit }
.back { margin-top: 1.5rem; flex: none }
footer { margin-top: 2rem; font-size: .8125rem }
@media (min-width: 38em) {
  .wrap { padding-top: 2.5rem }
  .panel { padding: 1.5rem }
  li form { grid-template-columns: 15rem 1fr; gap: 1.25rem; align-items: center }
  li .press { flex-direction: column; align-items: stretch }
  li button { flex: none }
}
@media (forced-colors: active) { .panel { border: 2px solid } }
`);
