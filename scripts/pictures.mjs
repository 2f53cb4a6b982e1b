// Makes the pictures of public/ from public/icon.svg: node scripts/pictures.mjs
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { browser as findBrowser } from "./browser.mjs";
import { root } from "./stamp.mjs";

const at = (...parts) => path.join(root, ...parts);
const icon = readFileSync(at("public/icon.svg"));
const PAPER = "#ffffff";
const SOCIAL_PIXELS = { width: 1200, height: 630 };

/** The icon as a square PNG. With `margin`, a fraction of the side, it gets a white border: home screens cut the corners off. */
function square(side, margin = 0) {
  const inner = Math.round(side * (1 - 2 * margin));
  const drawn = sharp(icon, { density: (72 * inner) / 32 }).resize(inner, inner);
  if (margin === 0) return drawn.png({ compressionLevel: 9, palette: true }).toBuffer();
  return drawn
    .extend({
      top: Math.floor((side - inner) / 2),
      bottom: Math.ceil((side - inner) / 2),
      left: Math.floor((side - inner) / 2),
      right: Math.ceil((side - inner) / 2),
      background: PAPER,
    })
    .flatten({ background: PAPER })
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

/** A PNG in the container that browsers ask for by name. */
function ico(png, side) {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([side, side, 0, 0], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

async function social() {
  const font = readFileSync(
    at("node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  ).toString("base64");
  const program = await chromium.launch({
    executablePath: findBrowser(console.log),
    args: ["--no-sandbox"],
  });
  const page = await program.newPage({ viewport: SOCIAL_PIXELS });
  await page.setContent(`<!doctype html><style>
    @font-face { font-family: Inter; src: url(data:font/woff2;base64,${font}); font-weight: 100 900 }
    body { margin: 0; height: 100vh; display: grid; place-content: center; gap: 36px; justify-items: center;
      background: #f4f6f3; color: #14211b; font-family: Inter; text-align: center }
    svg { width: 168px; height: 168px }
    h1 { margin: 0; font-size: 92px; font-weight: 650; letter-spacing: -0.03em }
    p { margin: 0; font-size: 38px; color: #4b5a52 }
  </style>${icon}<h1>Kutip</h1><p>Pay by link, securely</p>`);
  await page.evaluate(() => document.fonts.ready);
  const picture = await page.screenshot();
  await program.close();
  return sharp(picture).png({ compressionLevel: 9, palette: true, colours: 64 }).toBuffer();
}

const write = (name, bytes) => writeFileSync(at("public", name), bytes);
write("favicon.ico", ico(await square(32), 32));
write("icon-192.png", await square(192));
write("icon-512.png", await square(512));
write("icon-maskable-512.png", await square(512, 0.12));
write("apple-touch-icon.png", await square(180, 0.1));
write("social.png", await social());
