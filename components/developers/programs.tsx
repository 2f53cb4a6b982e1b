"use client";

import { CodeBlock } from "@/components/ui/code-block";
import { Tabs } from "@/components/ui/tabs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleBody } from "@/lib/contract/examples";
import { languages, snippet } from "@/lib/contract/snippets";
import { ProgramsToCome } from "./programs-to-come";
import { useRealIds } from "./real-ids";

const parametersOf = ({ path }: Endpoint) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** One call in every language; an unknown `language` is curl. */
export function Programs({
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
  if (loading) return <ProgramsToCome />;
  return (
    <>
      <p className="mb-3">
        <code className="font-mono text-fine">
          <span className="font-semibold">{endpoint.method}</span> /api{endpoint.path}
        </code>
      </p>
      {missing.length > 0 ? (
        <p className="mb-3 rounded-control bg-warn-soft px-3.5 py-2 text-warn">
          There is no {missing.join(" and no ")} here yet, so enter an id yourself.
        </p>
      ) : null}
      <Tabs
        label="Language"
        value={languages.some(({ id }) => id === language) ? language : "curl"}
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
