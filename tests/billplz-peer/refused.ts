/** A refusal in Billplz's form. */
export class ErrorAnswer extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}
