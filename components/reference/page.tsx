import type * as z from "zod";
import { programFiles } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { tags } from "@/lib/contract/tags";
import type { OpenApi } from "@/lib/http/openapi";
import { FieldTable } from "./field-table";
import { Guide } from "./guide";
import { guideSections } from "./guide-section";
import { OperationView } from "./operation";
import { fieldsOf } from "./schema";
import { Prose, slug } from "./text";

const inTag = (tag: string) =>
  [...endpoints, ...programFiles].filter((endpoint) => endpoint.tag === tag);

function Navigation() {
  return (
    <nav aria-label="Contents">
      <ul>
        {guideSections.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
      {tags.map(({ name }) => (
        <section key={name}>
          <h2>
            <a href={`#${slug(name)}`}>{name}</a>
          </h2>
          <ul>
            {inTag(name).map(({ id, method, summary }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <span className={`method ${method.toLowerCase()}`}>
                    {method === "DELETE" ? "DEL" : method}
                  </span>{" "}
                  {summary}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The object most endpoints of a group answer, described once. */
function objectOf(list: readonly Endpoint[]): { name: string; example: unknown } | undefined {
  for (const { response } of list) {
    const meta = (response as z.ZodType).meta();
    const examples = meta?.examples as readonly unknown[] | undefined;
    if (meta?.id && examples?.[0]) return { name: meta.id, example: examples[0] };
  }
  return undefined;
}

function Group({
  name,
  text,
  document,
  baseUrl,
}: {
  name: string;
  text: string;
  document: OpenApi;
  baseUrl: string;
}) {
  const list = inTag(name);
  const object = objectOf(list);
  const title = `${slug(name)}-title`;
  return (
    <section id={slug(name)} className="group" aria-labelledby={title}>
      <header>
        <h2 id={title}>{name}</h2>
        <p>
          <Prose text={text} />
        </p>
        {object ? (
          <FieldTable
            caption="The object"
            fields={fieldsOf(document, { $ref: `#/components/schemas/${object.name}` })}
            folded
            answer
          />
        ) : null}
      </header>
      {list.map((endpoint) => (
        <OperationView
          key={endpoint.id}
          endpoint={endpoint}
          document={document}
          baseUrl={baseUrl}
        />
      ))}
    </section>
  );
}

/** The whole reference: contents, the guide, and every endpoint by group. */
export function ReferencePage({ document, baseUrl }: { document: OpenApi; baseUrl: string }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="side">
        <p className="brand">
          <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
            <rect width="16" height="16" rx="4" fill="currentColor" />
            <path className="letter" d="M5 3v10M11.5 3.5L6 8l5.5 4.5" strokeWidth="2" fill="none" />
          </svg>
          Kutip <span>API {document.info.version}</span>
        </p>
        <details className="menu">
          <summary>Contents</summary>
          <Navigation />
        </details>
      </header>
      <main id="main">
        <Guide document={document} baseUrl={baseUrl} />
        {tags.map(({ name, text }) => (
          <Group key={name} name={name} text={text} document={document} baseUrl={baseUrl} />
        ))}
        <footer>
          <p>
            This page and the <a href="/api/openapi.json">OpenAPI document</a> are made from the
            declarations that the service itself runs on.
          </p>
        </footer>
      </main>
      <p id="said" className="sr" role="status" />
    </>
  );
}
