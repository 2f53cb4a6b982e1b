"use client";

import { parseAsString, useQueryState } from "nuqs";
import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { Field, Select } from "@/components/ui/fields";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { useScope } from "@/lib/client/use-scope";
import { endpoints } from "@/lib/contract/all";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleBody } from "@/lib/contract/examples";
import { createPaymentLink } from "@/lib/contract/payment-links";
import { keyVariable, languages, snippet } from "@/lib/contract/snippets";
import { useRealIds } from "./real-ids";
import { ReferenceLink } from "./reference-link";

const groups = [...new Set(endpoints.map(({ tag }) => tag))].map((tag) => ({
  tag,
  calls: endpoints.filter((endpoint) => endpoint.tag === tag),
}));
const parametersOf = ({ path }: Endpoint) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Programs that make one call, in several languages, with the ids of this business's own records. */
export function Snippets() {
  const { mode } = useScope();
  const [wanted, want] = useQueryState("call", parseAsString.withOptions({ history: "replace" }));
  const [language, speak] = useQueryState(
    "language",
    parseAsString.withDefault("curl").withOptions({ history: "replace" }),
  );
  const chosen: Endpoint = endpoints.find(({ id }) => id === wanted) ?? createPaymentLink;
  return (
    <>
      <PageHeader
        title="Snippets"
        description="Calls to copy, with the address of this install and ids of your own records."
        actions={<ReferenceLink at={chosen.id} />}
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <Card>
          <Field label="What the program does" className="mb-4">
            <Select value={chosen.id} onChange={(event) => void want(event.target.value)}>
              {groups.map(({ tag, calls }) => (
                <optgroup key={tag} label={tag}>
                  {calls.map(({ id, summary }) => (
                    <option key={id} value={id}>
                      {summary}
                    </option>
                  ))}
                </optgroup>
              ))}
            </Select>
          </Field>
          <Programs
            key={chosen.id}
            endpoint={chosen}
            language={languages.some(({ id }) => id === language) ? language : "curl"}
            onLanguage={(next) => void speak(next)}
          />
        </Card>
        <Card title="Before you run it">
          <ol className="grid list-decimal gap-3 pl-4 text-muted">
            <li>Make a key of {mode} mode under API keys, or ask an owner or admin for one.</li>
            <li className="min-w-0">
              Put it into the variable{" "}
              <code className="font-mono text-fine text-ink">{keyVariable.slice(1)}</code>, which
              all snippets read:
              <div className="mt-2 text-ink">
                <CodeBlock code={`export API_KEY='sk_${mode}_…'`} label="How to set the variable" />
              </div>
            </li>
            <li>
              {mode === "test"
                ? "Run it. In test mode no money moves."
                : "Run it. This is live mode: what you make here is real."}
            </li>
          </ol>
        </Card>
      </div>
    </>
  );
}

function Programs({
  endpoint,
  language,
  onLanguage,
}: {
  endpoint: Endpoint;
  language: string;
  onLanguage: (language: string) => void;
}) {
  const example = exampleBody(endpoint);
  const names = parametersOf(endpoint);
  const { ids, missing, loading } = useRealIds([...names, ...Object.keys(example ?? {})]);
  const body =
    example &&
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, ids[name] ?? value]));
  if (loading) {
    return (
      <Loading label="Looking for your records">
        <Skeleton className="mb-4 h-9 w-1/2" />
        <Skeleton className="h-40" />
      </Loading>
    );
  }
  return (
    <>
      <p className="mb-3">
        <code className="font-mono text-fine">
          <span className="font-semibold">{endpoint.method}</span> /api{endpoint.path}
        </code>
      </p>
      {missing.length > 0 ? (
        <p className="mb-3 rounded-control bg-warn-soft px-3.5 py-2 text-warn">
          There is no {missing.join(" and no ")} here yet, so put an id in by hand.
        </p>
      ) : null}
      <Tabs
        label="Language"
        value={language}
        onChange={onLanguage}
        items={languages.map(({ id, name }) => ({
          value: id,
          label: name,
          content: (
            <CodeBlock
              code={snippet(endpoint, id, { baseUrl: window.location.origin, params: ids, body })}
              label={`${endpoint.summary} in ${name}`}
              copyLabel={`Copy ${name} snippet`}
            />
          ),
        }))}
      />
    </>
  );
}
