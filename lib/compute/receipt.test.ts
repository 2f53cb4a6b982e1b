import { expect, test, vi } from "vitest";
import { pdfLines, pdfText } from "@/e2e/pdf-text";
import { receiptPdf } from "./receipt";
import type { ReceiptContent } from "./tasks";

// Fonts are read once by each process, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const content: ReceiptContent = {
  business: {
    name: "Some Shop",
    accent: null,
    supportEmail: null,
    supportPhone: null,
    timeZone: "Asia/Kuala_Lumpur",
  },
  logo: null,
  test: false,
  title: "Satay for two",
  amount: 123_450,
  refunds: [],
  earlierRefunds: { count: 0, amount: 0 },
  currency: "MYR",
  payer: [],
  method: null,
  references: [],
  paidAt: "2026-11-20T13:41:05Z",
  paymentId: "6740f5d49e3c6f70b2d81a45",
};
const receiptOf = async (given: Partial<ReceiptContent>) =>
  Buffer.from(await receiptPdf({ ...content, ...given }));

/** Words of each script, with what is hard about it: joined, stacked, reordered and combined letters. */
const scripts: Record<string, string[]> = {
  latin: ["Łódź", "Straße", "Đơn", "hàng", "ế", "ﬁn", "naïve", "x̂"],
  cyrillic: ["Чек", "ёлка", "обед", "№", "Київ", "Ђоко"],
  greek: ["Ευχή", "ᾧ", "Ἀθῆναι", "Απόδειξη"],
  chinese: ["学费", "收据", "龍鳳", "餐廳", "二〇二六年", "“付讫”。"],
  japanese: ["領収書", "お支払い", "「学費」", "カタカナ", "ありがとう"],
  korean: ["영수증", "학교", "급식비", "서울"],
  arabic: ["إيصال", "دفع", "الله", "شكرًا", "می‌خواهم", "١٢٣", "۱۲۳۴"],
  hebrew: ["קבלה", "שָׁלוֹם", "לימוד"],
  thai: ["ใบเสร็จรับเงิน", "ค่าน้ำ", "ก็รู้", "กตัญญู", "ปั๊ญ"],
  tamil: ["பள்ளி", "கட்டணம்", "கொள்ளு", "ஸ்ரீ", "க்ஷ", "மௌ"],
  devanagari: ["विद्यालय", "शुल्क", "क्षत्रिय", "हिन्दी", "र्कि", "ड्ड"],
  bengali: ["বিদ্যালয়", "রসিদ", "ক্ষুদ্র", "কৌশল", "র্কি"],
  gujarati: ["શાળા", "પાવતી", "ક્ષમા", "ર્કિ"],
  gurmukhi: ["ਰਸੀਦ", "ਸਕੂਲ", "ਪ੍ਰੇਮ", "ਸਿੰਘ"],
  oriya: ["ବିଦ୍ୟାଳୟ", "ରସିଦ", "କ୍ଷମା"],
  telugu: ["పాఠశాల", "రసీదు", "క్షమ", "స్త్రీ"],
  kannada: ["ಶಾಲೆ", "ರಸೀದಿ", "ಕ್ಷಮೆ", "ಸ್ತ್ರೀ"],
  malayalam: ["വിദ്യാലയം", "രസീത്", "ക്ഷമ", "ൻ"],
  sinhala: ["පාසල", "රිසිට්පත", "ශ්‍රී", "ක්ෂ"],
  khmer: ["សាលារៀន", "បង្កាន់ដៃ", "ស្ត្រី", "ខ្មែរ"],
  lao: ["ໂຮງຮຽນ", "ໃບຮັບເງິນ", "ນໍ້າ"],
  burmese: ["ကျောင်း", "ပြေစာ", "မြန်မာ", "သင်္ဘော"],
  georgian: ["სკოლა", "ქვითარი"],
  armenian: ["դպրոց", "անդորրագիր"],
  ethiopic: ["ትምህርት", "ደረሰኝ"],
  dhivehi: ["ރަސީދު", "ސްކޫލް"],
};

/** The same numbers in each run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function* titles(words: readonly string[], count: number, seed: number) {
  const next = sequence(seed);
  const others = ["INV-42", "(7)", "100%", "a/b", "12.50"];
  for (let index = 0; index < count; index += 1) {
    const parts = Array.from({ length: 2 + next(4) }, () =>
      next(4) === 0 ? others[next(others.length)] : words[next(words.length)],
    );
    yield [...parts.join(" ")].slice(0, 50).join("").trim();
  }
}

const lettersIn = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
const joined = (lines: readonly { text: string }[]) => lines.map(({ text }) => text).join("");

test.each(Object.entries(scripts))(
  "a receipt draws %s by letters of its fonts, and its text is what was written",
  async (script, words) => {
    for (const title of [words.join(" "), ...titles(words, 3, script.length)]) {
      const lines = pdfLines(
        await receiptOf({
          title,
          payer: [`${title}!`],
          business: { ...content.business, name: `${title}.` },
        }),
      );
      for (const text of [title, `${title}!`, `${title}.`]) expect(joined(lines)).toContain(text);
      const glyphs = lines.map((line) => line.glyphs).join("");
      expect(glyphs).not.toContain("\0");
      expect(glyphs).not.toContain("□");
      for (const line of lines)
        expect(lettersIn(line.glyphs)).toBeGreaterThanOrEqual(lettersIn(line.text) / 2);
    }
  },
);

test("scripts in one title stay in the order in which they are read", async () => {
  const all = Object.values(scripts).map(([word]) => word);
  for (const title of titles(
    all.filter((word) => word !== undefined),
    12,
    99,
  ))
    expect(joined(pdfLines(await receiptOf({ title })))).toContain(title);
});

const drawn = async (title: string) => {
  const lines = pdfLines(await receiptOf({ title }));
  return lines.find(({ text }) => text === title)?.glyphs;
};

test("Hebrew is drawn from right to left, with numbers and brackets the right way round", async () => {
  expect(await drawn("שלום (42) abc")).toBe("abc (42) םולש");
});

test("a tone mark of Thai is above the ring of sara am, which is the order in which the font puts them", async () => {
  expect(await drawn("น้ำ")).toMatch(/^น\u0E4D\u0E49\u0E32$/u);
});

test("the letters of Arabic join: a word is not as wide as its letters alone", async () => {
  const { paragraph } = await import("./pdf/lines");
  const style = { size: 100, weight: 400, color: "#000000" } as const;
  const width = async (text: string) => (await paragraph(text, style, 10_000)).width;
  const alone = (await Promise.all([..."سسسس"].map(width))).reduce((sum, one) => sum + one, 0);
  expect(await width("سسسس")).toBeLessThan(alone * 0.8);
});

test("an emoji is drawn in outline, a combined one by its first part where the font lacks it, and a letter without a font as a box", async () => {
  expect(await drawn("☕ 1️⃣")).toContain("☕");
  expect(await drawn("👍🏽")).toContain("👍");
  expect(await drawn("𑜀 𓀀")).toBe("□ □");
});

test.each([
  ["50 letters W", "W".repeat(50)],
  ["an unbroken reference", "9".repeat(200)],
  ["Thai without a space", "ค่าธรรมเนียมการศึกษาภาคเรียนที่สองของปีการศึกษา"],
  ["Chinese without a space", "学费收据".repeat(12)],
])("%s breaks into lines within the sheet", async (_, text) => {
  const { paragraph } = await import("./pdf/lines");
  const style = { size: 12.5, weight: 400, color: "#000000" } as const;
  const { lines } = await paragraph(text, style, 200);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.width).toBeLessThanOrEqual(200.01);
  expect(joined(lines)).toBe(text);
});

test("only the fonts of a text are put into the file", async () => {
  const fonts = (pdf: Buffer) =>
    [
      ...new Set(
        [...pdf.toString("latin1").matchAll(/\/BaseFont \/\w{6}\+(\S+)/g)].map(([, name]) => name),
      ),
    ].sort();
  expect(fonts(await receiptOf({}))).toEqual(["inter-latin-400", "inter-latin-600"]);
  expect(fonts(await receiptOf({ title: "קבלה" }))).toContain("noto-sans-hebrew-hebrew-400");
});

test("a receipt names payer, method, references, refunds and its number", async () => {
  const text = pdfText(
    await receiptOf({
      payer: ["Ana Lim", "ana@example.com"],
      method: "Visa •••• 4242",
      references: ["INV-1042", "PO-7"],
      refunds: [{ amount: 700, at: "2026-11-21T16:41:05Z" }],
    }),
  );
  for (const line of [
    "Ana Lim",
    "ana@example.com",
    "Visa •••• 4242",
    "INV-1042",
    "PO-7",
    "20 November 2026, 21:41 Kuala Lumpur time (13:41 UTC)",
    "MYR 7.00",
    "MYR 7.00 on 22 November 2026, 00:41",
    content.paymentId,
  ])
    expect(text.replaceAll("\n", " ")).toContain(line);
  expect(text).not.toContain("earlier");
});

test.each([
  [1, 150, "MYR 8.50", "MYR 1.50 in 1 earlier refund"],
  [12, 2_400, "MYR 31.00", "MYR 24.00 in 12 earlier refunds"],
])("%d refunds that have no line are summed, and all come to their sum", async (...one) => {
  const [count, amount, sum, line] = one;
  const text = pdfText(
    await receiptOf({
      refunds: [{ amount: 700, at: "2026-11-21T16:41:05Z" }],
      earlierRefunds: { count, amount },
    }),
  );
  expect(text.split("\n")).toContain(sum);
  expect(text.replaceAll("\n", " ")).toContain(line);
});
