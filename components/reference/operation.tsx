import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleAnswer, exampleBody, exampleParams } from "@/lib/contract/examples";
import { canBeInvalid, failuresOf, staffFailures } from "@/lib/contract/failures";
import { exampleOrigin } from "@/lib/contract/fields";
import { languages, snippet } from "@/lib/contract/snippets";
import type { OpenApi } from "@/lib/http/openapi";
import { Code, CodeTabs } from "./code";
import { FieldTable } from "./field-table";
import { type Field, fieldsOf, type Shape } from "./schema";
import { Prose } from "./text";

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Shape;
};
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Shape } } };
};

/** An endpoint's path with its parameters set apart. */
export function Path({ path }: { path: string }) {
  return path
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith("{") ? <em key={part}>{part}</em> : part.replaceAll("/", "/\u200b"),
    );
}

/** Path and query parameters of an operation. The guide explains the headers. */
function parameterFields(
  document: OpenApi,
  operation: Operation,
): { path: Field[]; query: Field[] } {
  const of = (place: string) => {
    const list = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return fieldsOf(document, {
      properties: Object.fromEntries(
        list.map(({ name, schema, description }) => [
          name,
          { ...schema, ...(description ? { description } : {}) },
        ]),
      ),
      required: list.filter(({ required }) => required).map(({ name }) => name),
    });
  };
  return { path: of("path"), query: of("query") };
}

/** Everything about one endpoint: what it takes on the left, how to call it and what it answers on the right. */
export function OperationView({
  endpoint,
  document,
  baseUrl,
}: {
  endpoint: Endpoint;
  document: OpenApi;
  baseUrl: string;
}) {
  const item = document.paths?.[endpoint.path] as Record<string, Operation> | undefined;
  const operation = item?.[endpoint.method.toLowerCase()] ?? {};
  const { path, query } = parameterFields(document, operation);
  const body = operation.requestBody
    ? fieldsOf(document, operation.requestBody.content["application/json"].schema)
    : [];
  const values = { baseUrl, params: exampleParams(endpoint), body: exampleBody(endpoint) };
  const texts = Object.fromEntries(languages.map(({ id }) => [id, snippet(endpoint, id, values)]));
  const answer =
    endpoint.media === undefined
      ? JSON.stringify(exampleAnswer(endpoint), null, 2).replaceAll(exampleOrigin, baseUrl)
      : `Content-Type: ${endpoint.media}`;
  const title = `${endpoint.id}-title`;
  return (
    <article id={endpoint.id} aria-labelledby={title}>
      <div className="about">
        <h3 id={title}>{endpoint.summary}</h3>
        <p className="address">
          <span className={`method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</span>{" "}
          <code>
            <Path path={endpoint.path} />
          </code>
        </p>
        {endpoint.description ? (
          <p className="lead">
            <Prose text={endpoint.description} />
          </p>
        ) : null}
        <FieldTable caption="Path" fields={path} />
        <FieldTable caption="Query" fields={query} optional />
        <FieldTable caption="Body" fields={body} />
        <Failures endpoint={endpoint} />
      </div>
      <div className="codes">
        <CodeTabs id={endpoint.id} caption="Request" texts={texts} />
        <Code caption="Answer 200" text={answer} />
      </div>
    </article>
  );
}

function Failures({ endpoint }: { endpoint: Endpoint }) {
  const failures = failuresOf(endpoint);
  const own = failures.filter(
    (failure) => [403, 404, 409].includes(failure.status) && !staffFailures.includes(failure),
  );
  const others = failures.filter((failure) => !own.includes(failure));
  const codes = [
    ...new Set([...others.map(({ status }) => status), ...(canBeInvalid(endpoint) ? [422] : [])]),
  ].sort();
  return (
    <div className="fields">
      <h4>Errors</h4>
      {own.length > 0 ? (
        <dl>
          {own.map(({ status, code, when }) => (
            <div key={code}>
              <dt>
                <span className="status">{status}</span> <code>{code}</code>
              </dt>
              <dd>
                <Prose text={when} />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      <p className="rest">
        {own.length > 0 ? "And as everywhere: " : "As everywhere: "}
        {codes.map((status, index) => (
          <span key={status}>
            {index > 0 ? ", " : ""}
            <a href={`#status-${status}`}>{status}</a>
          </span>
        ))}
        .
      </p>
    </div>
  );
}
