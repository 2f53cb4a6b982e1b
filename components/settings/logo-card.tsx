"use client";

import { ImageUp, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { BusinessMark } from "@/components/console/business-mark";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { base64Of } from "@/lib/client/base64";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { type ApiProblem, problemText } from "@/lib/client/problem";
import type { Business } from "@/lib/contract/business";
import { deleteLogo, getMe, putLogo } from "@/lib/contract/operations";
import { logoLimits } from "@/lib/contract/values";

/** The business's logo as payers see it: shown, chosen, taken away. Saved at once, unlike the form below it. */
export function LogoCard({ business }: { business: Business }) {
  const input = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const refused = (problem: ApiProblem) =>
    setRefusal(problem.errors.image?.[0] ?? problemText(problem));
  const put = useAction(putLogo, {
    invalidates: [getMe],
    onProblem: refused,
    onSuccess: () =>
      notify({ title: "Logo saved", description: "Payers see it from now on.", tone: "good" }),
  });
  const drop = useAction(deleteLogo, {
    invalidates: [getMe],
    onProblem: refused,
    onSuccess: () => notify({ title: "Logo removed", tone: "good" }),
  });

  const choose = async (file: File | undefined) => {
    if (!file) return;
    setRefusal(null);
    if (file.size > logoLimits.maxBytes)
      return setRefusal(
        `This file has ${Math.ceil(file.size / 1024)} KB; at most ${logoLimits.maxBytes / 1024} KB are taken.`,
      );
    put.run({ body: { image: await base64Of(file) } });
  };
  return (
    <Card
      title="Logo"
      description={`On pages, mails and receipts, always on white. PNG, JPEG or WebP, at most ${logoLimits.maxBytes / 1024} KB.`}
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <BusinessMark
          name={business.name}
          logo={business.logo?.url ?? null}
          size="large"
          alt={business.logo ? `Logo of ${business.name}` : ""}
        />
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            aria-label="Logo file"
            accept="image/png,image/jpeg,image/webp"
            tabIndex={-1}
            className="sr-only"
            onChange={(event) => {
              void choose(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
          <Button busy={put.busy} onClick={() => input.current?.click()}>
            <ImageUp aria-hidden="true" className="size-4" />
            {business.logo ? "Replace logo" : "Choose a logo"}
          </Button>
          {business.logo ? (
            <Button variant="ghost" busy={drop.busy} onClick={() => drop.run({})}>
              <Trash2 aria-hidden="true" className="size-4" />
              Remove logo
            </Button>
          ) : null}
        </div>
      </div>
      {refusal ? (
        <p role="alert" className="mt-3 text-fine text-bad">
          {refusal}
        </p>
      ) : null}
    </Card>
  );
}
