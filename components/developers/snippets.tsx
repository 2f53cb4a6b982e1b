"use client";

import { parseAsString, useQueryState } from "nuqs";
import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { Field, Select } from "@/components/ui/fields";
import { PageHeader } from "@/components/ui/page-header";
import { later } from "@/lib/client/later";
import { useScope } from "@/lib/client/use-scope";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { createPaymentLink } from "@/lib/contract/payment-links";
import { keyVariable } from "@/lib/contract/snippets";
import { ProgramsToCome } from "./programs-to-come";
import { ReferenceLink } from "./reference-link";

const groups = [...new Set(endpoints.map(({ tag }) => tag))].map((tag) => ({
  tag,
  calls: endpoints.filter((endpoint) => endpoint.tag === tag),
}));
// The page itself is as heavy as the whole contract.
const Programs = later(
  () => import("./programs").then((module) => module.Programs),
  ProgramsToCome,
);

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
            language={language}
            onLanguage={(next) => void speak(next)}
          />
        </Card>
        <Card title="Before you run it">
          <ol className="grid list-decimal gap-3 pl-4 text-muted">
            <li>Create a key of {mode} mode under API keys, or ask an owner or admin for one.</li>
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
