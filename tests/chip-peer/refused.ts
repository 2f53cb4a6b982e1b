/** A refusal in CHIP's form; a 404 has no body. */
export class ErrorAnswer extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, { message: string; code?: string }> | undefined,
  ) {
    super(JSON.stringify(body));
  }
}

/** A refusal that is about no card: CHIP takes no purchases of the brand for now. */
export const brandSuspended = {
  status: 400,
  body: JSON.stringify({ __all__: { message: "The brand is suspended.", code: "invalid" } }),
};
