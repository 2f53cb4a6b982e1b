import * as z from "zod";
import { expect, test } from "vitest";
import { momentsOf } from "@/lib/kernel/local-columns";
import { fileEndpoints, staffEndpoints } from "./all";
import { endpoints } from "./programs";

type Json = {
  $ref?: string;
  $defs?: Record<string, Json>;
  anyOf?: Json[];
  oneOf?: Json[];
  properties?: Record<string, Json>;
  items?: Json;
  format?: string;
};

/** The records that a list returns, and which of their fields are moments. */
function recordsOf(list: string) {
  const response = [...endpoints, ...staffEndpoints].find(
    ({ method, path }) => method === "GET" && path === list,
  )?.response;
  const root = z.toJSONSchema(response ?? z.never(), { unrepresentable: "any" }) as Json;
  const read = (json: Json | undefined): Json =>
    json?.$ref ? (root.$defs?.[json.$ref.split("/").at(-1) ?? ""] ?? {}) : (json ?? {});
  const isMoment = (json: Json): boolean =>
    read(json).format === "date-time" || (read(json).anyOf ?? []).some(isMoment);
  const record = read(read(root.anyOf?.[0]).properties?.data?.items);
  return (record.oneOf ?? [record]).map((one) => {
    const fields = Object.entries(read(one).properties ?? {});
    return {
      fields: fields.map(([name]) => name),
      moments: fields.filter(([, json]) => isMoment(json)).map(([name]) => name),
    };
  });
}

const exported = fileEndpoints.flatMap(({ media, path }) =>
  media === "text/csv"
    ? [path.startsWith("/statements") ? "/statements/{month}/lines" : path.replace("/export", "")]
    : [],
);

test.each(exported)("an export knows the moments of %s by their names", (list) => {
  for (const { fields, moments } of recordsOf(list)) {
    expect(moments).toContain("created_at");
    expect(momentsOf(fields)).toEqual(moments);
  }
});
