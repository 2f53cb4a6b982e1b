import type { Field } from "./schema";
import { Prose } from "./text";

type Props = {
  caption: string;
  fields: readonly Field[];
  folded?: boolean;
  answer?: boolean;
  optional?: boolean;
};

function Row({ field, answer, optional }: { field: Field; answer: boolean; optional: boolean }) {
  const { name, type, required, limits, choices, meaning } = field;
  const facts = [type.replace(" or null", ""), ...limits].join(" · ");
  return (
    <div>
      <dt>
        <code>{name}</code>
        {required && !answer ? <span className="required">required</span> : null}
        {!required && !answer && !optional ? <span className="optional">optional</span> : null}
        {answer && type.endsWith(" or null") ? <span className="optional">or null</span> : null}
      </dt>
      <dd>
        <span className="facts">{facts}</span>
        {meaning ? (
          <p>
            <Prose text={meaning} />
          </p>
        ) : null}
        {choices.length > 0 ? (
          <p className="choices">
            {choices.map((choice) => (
              <code key={choice}>{choice}</code>
            ))}
          </p>
        ) : null}
      </dd>
    </div>
  );
}

/** Fields with type, limits and meaning. `folded` behind a summary; `answer` for fields that are always there; `optional` where all are optional. */
export function FieldTable({
  caption,
  fields,
  folded = false,
  answer = false,
  optional = false,
}: Props) {
  if (fields.length === 0) return null;
  const list = (
    <dl>
      {fields.map((field) => (
        <Row key={field.name} field={field} answer={answer} optional={optional} />
      ))}
    </dl>
  );
  if (!folded) {
    return (
      <div className="fields">
        <h4>{caption}</h4>
        {list}
      </div>
    );
  }
  return (
    <details className="fields">
      <summary>
        {caption}
        <span>{fields.length} fields</span>
      </summary>
      {list}
    </details>
  );
}
