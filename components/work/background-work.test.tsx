import { expect, test, vi } from "vitest";
import { Mail } from "@/lib/contract/mails";
import { getWork, listMails, listWebhookDeliveries } from "@/lib/contract/operations";
import { WebhookDelivery } from "@/lib/contract/webhooks";
import { WorkState } from "@/lib/contract/work";
import { answered, drawn, failed } from "@/tests/drawn";
import { BackgroundWork } from "./background-work";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const delivery = WebhookDelivery.parse(WebhookDelivery.meta()?.examples?.[0]);
const mail = Mail.parse(Mail.meta()?.examples?.[0]);
const state = WorkState.parse(WorkState.meta()?.examples?.[0]);
const input = { query: { status: "failed", per_page: 50 } };

test("what failed for good is offered to be sent again only where the API would do it", () => {
  const html = drawn(<BackgroundWork />, [
    answered(getWork, {}, state),
    answered(listWebhookDeliveries, input, {
      data: [
        { ...delivery, type: "payment.succeeded" },
        { ...delivery, _id: "6740f7d01b2c9e7a04f3d778", redeliverable: false },
      ],
    }),
    answered(listMails, input, {
      data: [
        { ...mail, subject: "A receipt", resendable: true },
        { ...mail, _id: "6740f1c39a3be27d51c8e4fa", subject: "A request", resendable: false },
      ],
    }),
  ]);
  for (const title of [delivery.type, "A request"]) expect(html).toContain(title);
  expect(html.match(/aria-label="Resend [^"]+"/g)).toEqual([
    'aria-label="Resend payment.succeeded"',
    'aria-label="Resend A receipt"',
  ]);
});

const sentences = /No (?:webhook|mail) has failed for good\./g;
const workOf = (exhausted: number, answers: readonly ReturnType<typeof failed>[]) =>
  drawn(<BackgroundWork />, [
    answered(
      getWork,
      {},
      {
        ...state,
        exhausted: { webhook_deliveries: exhausted, mails: exhausted },
      },
    ),
    ...answers,
  ]);

test("only a count of 0 is said to be no failure", () => {
  const none = [
    answered(listWebhookDeliveries, input, { data: [] }),
    answered(listMails, input, { data: [] }),
  ];
  expect(workOf(0, none).match(sentences)).toHaveLength(2);
});

test("what failed for good is not said to be nothing while it loads", () => {
  const html = workOf(0, []);
  expect(html).not.toMatch(sentences);
  for (const name of ["failed webhooks", "failed e-mails"])
    expect(html).toContain(`Loading ${name}`);
});

test("what failed for good and did not load says so and offers to try again", () => {
  const html = workOf(12, [failed(listWebhookDeliveries, input), failed(listMails, input)]);
  expect(html).not.toMatch(sentences);
  expect(html.match(/>Retry<\/button>/g)).toHaveLength(2);
});

test("what failed for good and is not among the newest that failed is counted, with a link to its list", () => {
  const html = workOf(12, [
    answered(listWebhookDeliveries, input, { data: [{ ...delivery, test: true }] }),
    answered(listMails, input, { data: [] }),
  ]);
  expect(html).not.toMatch(sentences);
  expect(html.match(/>12 failed for good\.</g)).toHaveLength(2);
  for (const list of ["/developers/webhooks", "/mails?status=failed"])
    expect(html).toContain(`href="/b/1001/test${list}"`);
});
