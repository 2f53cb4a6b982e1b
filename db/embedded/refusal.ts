/** Something the operator has to change; its message is one line that says what to do, shown without a stack. */
export class Refusal extends Error {
  override name = "Refusal";
}
