import { describe, expect, test } from "vitest";
import { businessTime, callbackBody, callbackHash, cleaned, type PaidLink } from "./callback-body";

const first = {
  key: "5f0c2d1e9b7a4c3d8e6f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f",
  paid: {
    triggeredAt: "2026-11-20T13:41:05.981200Z",
    paidAt: "2026-11-20T13:41:05.981200Z",
    timeZone: "Asia/Kuala_Lumpur",
    payment: {
      id: "6740f5d49e3c6f70b2d81a45",
      amount: 123_450,
      currency: "MYR",
      method: "card",
      provider: "stripe",
    },
    link: { id: "6740f5c19e3c6f70b2d81a44", reference: "103", reference2: "woocommerce" },
  } satisfies PaidLink,
  body: '{"trigger_at":"2026-11-20T13:41:05.981200Z","event":"payment.created","data":{"attempt_id":"6740f5d49e3c6f70b2d81a45","charge_amount":"1234.50","payment_id":"6740f5d49e3c6f70b2d81a45","payment_time":"20-11-2026 09:41:05 pm","payment_amount":"1234.50","payment_status":"1","payment_link_id":"6740f5c19e3c6f70b2d81a44","payment_link_reference":"103","payment_link_reference_2":"woocommerce","payment_message":"Paid","payment_currency":"MYR","payment_method":"card","payment_provider":"stripe","hash":"8f1d87d6ca1c67735ca69495e4520f9279b3c1070805c5aa6fedaa7dd504034f"}}',
};

describe("the body that plugins accept", () => {
  test("vector 1, to the byte", () => {
    expect(callbackBody(first.key, first.paid)).toBe(first.body);
  });

  test("vector 2, without a method", () => {
    const paid: PaidLink = {
      triggeredAt: "2026-11-21T23:35:28.000000Z",
      paidAt: "2026-11-21T23:35:28.000000Z",
      timeZone: "Asia/Kuala_Lumpur",
      payment: {
        id: "6b022ac04be5b240a2def13d",
        amount: 123_400,
        currency: "MYR",
        method: null,
        provider: "simulator",
      },
      link: { id: "6b022abfa3bf1787fece2d7e", reference: "103", reference2: "woocommerce" },
    };
    const body = callbackBody(
      "3572f387d8d6e80215e1a256d7113be2d0d4a30472b421b9d8601ef97ed4ba1a",
      paid,
    );
    const { data } = JSON.parse(body) as { data: Record<string, string> };
    const { hash, ...values } = data;
    expect(Object.values(values).join("")).toBe(
      "6b022ac04be5b240a2def13d1234.006b022ac04be5b240a2def13d22-11-2026 07:35:28 am1234.0016b022abfa3bf1787fece2d7e103woocommercePaidMYRsimulator",
    );
    expect(hash).toBe("29e363ed300089beda2fd3a8ab5ea217854029dfe9dccddabe9240161e04ba7e");
    expect("payment_method" in data).toBe(false);
  });

  test("the hash has the key in front of the message: the other scheme is not made", () => {
    const { data } = JSON.parse(first.body) as { data: Record<string, string> };
    const { hash, ...values } = data;
    expect(callbackHash(first.key, Object.values(values))).toBe(hash);
    expect(hash).not.toBe("b1d41e591d5e82518c5b8870c0029a9f5d1f6d052dee53fddfc1ffc68041acee");
  });

  test("references are text without tags, escapes and line breaks, and never null", () => {
    const body = callbackBody(first.key, {
      ...first.paid,
      link: { id: first.paid.link.id, reference: null, reference2: " <b>50%20off\n a < b " },
    });
    expect(JSON.parse(body)).toMatchObject({
      data: { payment_link_reference: "", payment_link_reference_2: "50off a" },
    });
  });
});

test.each([
  ["plain", "plain"],
  [" outer ", "outer"],
  ["a\r\nb\tc", "a b c"],
  ["%2%300x", "x"],
  ["<<b>script>x", "script>x"],
])("%j is cleaned to %j", (value, expected) => {
  expect(cleaned(value)).toBe(expected);
  expect(cleaned(cleaned(value))).toBe(expected);
});

test.each([
  ["2026-11-20T13:41:05.981200Z", "Asia/Kuala_Lumpur", "20-11-2026 09:41:05 pm"],
  ["2026-11-20T16:00:00.000000Z", "Asia/Kuala_Lumpur", "21-11-2026 12:00:00 am"],
  ["2026-11-20T04:05:06.000000Z", "Asia/Kuala_Lumpur", "20-11-2026 12:05:06 pm"],
  ["2026-01-02T03:04:05.000000Z", "UTC", "02-01-2026 03:04:05 am"],
])("%s in %s is %s", (moment, zone, text) => {
  expect(businessTime(moment, zone)).toBe(text);
});
