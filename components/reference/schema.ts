import type { OpenApi } from "@/lib/http/openapi";

/** The part of JSON Schema that our document uses. */
export type Shape = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: string[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
};

/** One field as people read it. */
export type Field = {
  name: string;
  type: string;
  required: boolean;
  limits: string[];
  choices: string[];
  meaning: string;
};

const shapesOf = (document: OpenApi) =>
  (document.components?.schemas ?? {}) as Record<string, Shape>;

/** A schema with its reference resolved; keywords beside the reference win. */
export function resolved(document: OpenApi, shape: Shape): Shape {
  const name = shape.$ref?.split("/").at(-1);
  const target = name === undefined ? undefined : shapesOf(document)[name];
  if (!target) return shape;
  const { $ref: _, ...own } = shape;
  return { ...resolved(document, target), ...own };
}

function typeOf(document: OpenApi, shape: Shape): string {
  if (shape.anyOf)
    return [
      ...new Set(shape.anyOf.map((option) => typeOf(document, resolved(document, option)))),
    ].join(" or ");
  if (Array.isArray(shape.type)) return shape.type.join(" or ");
  if (shape.type === "array")
    return `list of ${shape.items ? typeOf(document, resolved(document, shape.items)) : "anything"}`;
  if (shape.type === "string" && shape.format)
    return (
      ({ "date-time": "date and time", date: "date", uri: "URL" } as Record<string, string>)[
        shape.format
      ] ?? "string"
    );
  return shape.type ?? "anything";
}

const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

function limitsOf(document: OpenApi, shape: Shape): string[] {
  const whole = [shape, ...(shape.anyOf ?? []).map((option) => resolved(document, option))].find(
    ({ minimum, maximum }) => minimum !== undefined || maximum !== undefined,
  );
  const limits: string[] = [];
  if (whole?.minimum !== undefined && whole.maximum !== undefined)
    limits.push(`${grouped(whole.minimum)} to ${grouped(whole.maximum)}`);
  if (shape.maxLength !== undefined) limits.push(`at most ${grouped(shape.maxLength)} characters`);
  return limits;
}

const manyChoices = 30;

/** The fields of an object schema, in its order. */
export function fieldsOf(document: OpenApi, shape: Shape): Field[] {
  const whole = resolved(document, shape);
  return Object.entries(whole.properties ?? {}).map(([name, property]) => {
    const field = resolved(document, property);
    const general = property.$ref
      ? shapesOf(document)[property.$ref.split("/").at(-1) ?? ""]?.description
      : undefined;
    const inner = (field.anyOf ?? [])
      .map((option) => resolved(document, option).description)
      .find((text) => text !== undefined);
    const texts = [field.description, general ?? inner].filter(
      (text): text is string => text !== undefined,
    );
    const choices = field.enum && field.enum.length <= manyChoices ? field.enum : [];
    return {
      name,
      type: typeOf(document, field),
      required: whole.required?.includes(name) ?? false,
      limits: limitsOf(document, field),
      choices,
      meaning: [...new Set(texts)].join(" "),
    };
  });
}
