import { describe, expect, test } from "vitest";
import { isSigned, xSignature } from "./signature";

// The samples of Billplz's public document (Billplz/api_slate, commit d724145).
const key = "S-s7b4yWpp9h7rrkNM1i3Z_g";
const callback = {
  id: "zq0tm2wc",
  collection_id: "yhx5t1pp",
  paid: "true",
  state: "paid",
  amount: "100",
  paid_amount: "100",
  due_at: "2018-9-27",
  email: "tester@test.com",
  mobile: "",
  name: "TESTER",
  url: "http://www.billplz-sandbox.com/bills/zq0tm2wc",
  paid_at: "2018-09-27 15:15:09 +0800",
};
const redirect = {
  "billplz[id]": "zq0tm2wc",
  "billplz[paid]": "true",
  "billplz[paid_at]": "2018-09-27 15:15:09 +0800",
};
const signed = {
  callback: "0fe0a20b8d557eeae570377783d062a3816a9ea80f368860bacfa7ec3ca4d00e",
  redirect: "4aab095fe5a39b1d534500988f9a0cb085cd1b6d5bbb55dd4e02ea6fa102b47b",
};
const fieldsOf = (fields: object) => new Map<string, string>(Object.entries(fields));
const shuffled = (fields: object) => new Map<string, string>(Object.entries(fields).reverse());

describe("the X Signature", () => {
  test("of a callback is that of Billplz's sample, in whatever order its fields come", () => {
    expect(xSignature(fieldsOf(callback), key).toString("hex")).toBe(signed.callback);
    expect(xSignature(shuffled(callback), key).toString("hex")).toBe(signed.callback);
  });

  test("of a redirect is that of Billplz's sample", () => {
    expect(xSignature(fieldsOf(redirect), key).toString("hex")).toBe(signed.redirect);
    const whole = { ...redirect, "billplz[x_signature]": signed.redirect };
    expect(xSignature(fieldsOf(whole), key).toString("hex")).toBe(signed.redirect);
  });

  test("of the source string of the document is the one that is printed there", () => {
    const fields = {
      collection_id: "inbmmepb",
      description: "testing",
      email: "api@billplz.com",
      name: "Michael",
      amount: "200",
      callback_url: "https://example.com/webhook",
    };
    expect(xSignature(fieldsOf(fields), "abc123cde456").toString("hex")).toBe(
      "ef5e54a22af0925cba88fab467119742e90262e3646eea1dee3949938daf3a38",
    );
  });

  test("is accepted with the whole callback, and not with a changed one", () => {
    const whole = { ...callback, x_signature: signed.callback };
    expect(isSigned(fieldsOf(whole), key)).toBe(true);
    for (const change of [
      { paid_amount: "1" },
      { x_signature: signed.redirect },
      { x_signature: "" },
      { x_signature: `${signed.callback}00` },
      { x_signature: signed.callback.slice(0, -2) },
      { extra: "field" },
    ])
      expect(isSigned(fieldsOf({ ...whole, ...change }), key)).toBe(false);
    expect(isSigned(fieldsOf(whole), `${key}x`)).toBe(false);
  });
});
