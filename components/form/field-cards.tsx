"use client";

import { Fragment, type ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { cx } from "@/components/ui/cx";

type CardSetting = { title: string; description?: string; narrow?: true };
type FieldCardsProps<Name extends string, CardName extends string> = {
  /** The cards from top to bottom; a narrow one has one field in a row. */
  cards: Readonly<Record<CardName, CardSetting>>;
  /** The card of each field, in the order of the form. */
  places: Readonly<Record<Name, CardName>>;
  /** The input of each field; null leaves the field out. */
  inputs: Readonly<Record<Name, ReactNode>>;
  /** Shows only this card. */
  only?: CardName;
};

/** The fields of a form in cards. A field without a card or an input does not compile. */
export function FieldCards<Name extends string, CardName extends string>({
  cards,
  places,
  inputs,
  only,
}: FieldCardsProps<Name, CardName>) {
  const names = Object.keys(places) as Name[];
  return (Object.keys(cards) as CardName[])
    .filter((card) => only === undefined || card === only)
    .map((card) => {
      const shown = names.filter((name) => places[name] === card && inputs[name] !== null);
      const { title, description, narrow } = cards[card];
      return shown.length === 0 ? null : (
        <Card key={card} title={title} description={description}>
          <div className={cx("grid gap-4", narrow ? undefined : "sm:grid-cols-2")}>
            {shown.map((name) => (
              <Fragment key={name}>{inputs[name]}</Fragment>
            ))}
          </div>
        </Card>
      );
    });
}
