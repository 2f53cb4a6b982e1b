/** Something the operator has to change; its message is one line that says what to do, shown without a stack. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** The end of messages: the operator corrects the cause first. */
export const SAME_COMMAND = "run the same command again";
