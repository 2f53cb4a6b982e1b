/** A refusal in CHIP's form; a 404 has no body. */
export class ErrorAnswer extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, { message: string; code?: string }> | undefined,
  ) {
    super(JSON.stringify(body));
  }
}
