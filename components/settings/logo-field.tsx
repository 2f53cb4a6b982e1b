"use client";

import { ImageUp, Trash2 } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Controller } from "react-hook-form";
import { BusinessMark } from "@/components/console/business-mark";
import { type Own, useField } from "@/components/form/use-field";
import { Button } from "@/components/ui/button";
import { base64Of } from "@/lib/client/base64";
import type { Business } from "@/lib/contract/business";
import { logoLimits } from "@/lib/contract/values";

/** A logo that is chosen and not saved yet: the file in base64, and as the page shows it. */
type ChosenLogo = { image: string; url: string; width: number; height: number };
/** What the form does to the logo; null for nothing. */
export type LogoChange = ChosenLogo | "remove" | null;

/** The logo as it will be once the form is saved. */
export const logoAfter = (change: LogoChange, logo: Business["logo"]): Business["logo"] =>
  change === null ? logo : change === "remove" ? null : change;

const { maxBytes, minSide, maxSide } = logoLimits;

/** The business's logo as payers see it: chosen, shown and taken away here, and saved with the form. */
export function LogoField<Name extends string>({
  form,
  name,
  label,
  hint,
  business,
}: Own<Name> & { business: Business }) {
  const { control } = useField(form, name, label);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Logo
          label={label}
          hint={hint}
          business={business}
          change={field.value as LogoChange}
          onChange={field.onChange}
        />
      )}
    />
  );
}

type LogoProps = Pick<Own<string>, "label" | "hint"> & {
  business: Business;
  change: LogoChange;
  onChange: (change: LogoChange) => void;
};

function Logo({ label, hint, business, change, onChange }: LogoProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const logo = logoAfter(change, business.logo);

  const choose = async (file: File | undefined) => {
    if (!file) return;
    const read = await readLogo(file);
    if (typeof read === "string") return setRefusal(read);
    setRefusal(null);
    onChange(read);
  };
  const undo = () => {
    setRefusal(null);
    onChange(null);
  };
  return (
    <fieldset aria-labelledby={`${id}-label`} className="sm:col-span-2">
      <p id={`${id}-label`} className="mb-1 font-medium">
        {label}
        <span className="font-normal text-muted"> · optional</span>
      </p>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <BusinessMark
          name={business.name}
          logo={logo?.url ?? null}
          size="large"
          alt={logo ? `Logo of ${business.name}` : ""}
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
          <Button onClick={() => input.current?.click()}>
            <ImageUp aria-hidden="true" className="size-4" />
            {logo ? "Replace logo" : "Choose a logo"}
          </Button>
          {change !== null ? (
            <Button variant="ghost" onClick={undo}>
              Undo
            </Button>
          ) : null}
          {logo ? (
            <Button
              variant="ghost"
              onClick={() => {
                setRefusal(null);
                onChange(business.logo ? "remove" : null);
              }}
            >
              <Trash2 aria-hidden="true" className="size-4" />
              Remove logo
            </Button>
          ) : null}
        </div>
      </div>
      {refusal ? (
        <p role="alert" className="mt-1 text-fine font-medium text-bad">
          {refusal}
        </p>
      ) : null}
      <p className="mt-1 text-fine text-muted">{hint}</p>
    </fieldset>
  );
}

/** The file as the form keeps it, or why it is none. The API looks at its bytes again. */
async function readLogo(file: File): Promise<ChosenLogo | string> {
  if (file.size > maxBytes)
    return `This file has ${Math.ceil(file.size / 1024)} KB; at most ${maxBytes / 1024} KB are taken.`;
  const kinds = ["image/png", "image/jpeg", "image/webp"];
  const picture = kinds.includes(file.type)
    ? await createImageBitmap(file).catch(() => undefined)
    : undefined;
  if (!picture) return "The image must be a PNG, JPEG or WebP file.";
  const { width, height } = picture;
  picture.close();
  if (Math.min(width, height) < minSide || Math.max(width, height) > maxSide)
    return `The image must be ${minSide} to ${maxSide} pixels wide and high.`;
  const image = await base64Of(file);
  return { image, url: `data:${file.type};base64,${image}`, width, height };
}
