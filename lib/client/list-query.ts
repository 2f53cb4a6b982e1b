export const pageSizes = [15, 30, 50, 100] as const;
export const newestFirst = "-created_at";

type Value = string | number | null | undefined;

/** The filters that are days of the business's zone. */
export const isBound = (name: string): boolean => /_(from|to)$/.test(name);

export type ListQuery<F extends string> = {
  page: number;
  per_page: number;
  sort?: string;
} & { [K in F]?: string };

/** What a list asks the API for, from its filters and the paging in its address. */
export function listQuery<F extends string>(
  filters: { [K in F]?: string },
  paging: { page?: Value; per_page?: Value; sort?: Value },
  ownSort: string = newestFirst,
): ListQuery<F> {
  const sort = String(paging.sort ?? ownSort);
  return {
    ...filters,
    page: Math.max(1, Number(paging.page ?? 1)),
    per_page: pageSizes.find((size) => size === paging.per_page) ?? pageSizes[0],
    sort: sort === newestFirst ? undefined : sort,
  };
}

/** An address's query as Next.js gives it to a page. */
export type Search = Record<string, string | string[] | undefined>;

/** The same from an address on the server; undefined where it names days: their moments depend on the business's zone. */
export function listQueryOf<F extends string>(
  names: readonly F[],
  search: Search,
): ListQuery<F> | undefined {
  const one = (name: string) => [search[name]].flat()[0];
  const integer = (name: string) => {
    const value = Number.parseInt(one(name) ?? "", 10);
    return Number.isNaN(value) ? null : value;
  };
  if (names.some((name) => isBound(name) && one(name))) return undefined;
  const filters = Object.fromEntries(names.map((name) => [name, one(name) ?? ""])) as {
    [K in F]?: string;
  };
  return listQuery(filters, {
    page: integer("page"),
    per_page: integer("per_page"),
    sort: one("sort"),
  });
}
