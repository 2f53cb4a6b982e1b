/** A refusal in Stripe's words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: {
      type: string;
      message: string;
      code?: string;
      decline_code?: string;
      payment_intent?: Record<string, unknown>;
    },
  ) {
    super(error.message);
  }
}

export const badRequest = (message: string, code?: string) =>
  new Refused(400, { type: "invalid_request_error", message, ...(code ? { code } : {}) });
export const missing = (what: string, id: string) =>
  new Refused(404, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${what}: '${id}'`,
  });

/** What Stripe answers to a charge while the account may take no money. */
export const accountRestricted = {
  status: 400,
  body: JSON.stringify({
    error: {
      type: "invalid_request_error",
      code: "account_invalid",
      message: "Your account cannot currently make live charges.",
    },
  }),
};
