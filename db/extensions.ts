import type pg from "pg";
import { Refusal, SAME_COMMAND } from "./embedded/refusal";
import type { Migration } from "./migration-files";

const CREATED = /create extension if not exists "?(\w+)"?/gi;

/** Why an extension cannot be had: the server lacks it, the role may not create it, or it is in a schema that the role does not search. */
type Obstacle = "lacking" | "forbidden" | "elsewhere";

/**
 * Throws a Refusal in one sentence, with what to run, if these migrations need extensions that the role can neither create nor find. They
 * are looked for before any migration runs.
 */
export async function refuseWithoutExtensions(
  client: Pick<pg.Client, "query">,
  migrations: readonly Migration[],
): Promise<void> {
  const created = migrations
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => [...statement.matchAll(CREATED)].map(([, name]) => name));
  if (created.length === 0) return;
  const { rows } = await client.query<{
    name: string;
    obstacle: Obstacle;
    database: string;
    role: string;
    schema: string | null;
  }>(
    `select wanted.name, n.nspname as schema, current_database() as database, current_user as role, case
       when e.oid is not null then 'elsewhere' when a.name is null then 'lacking' else 'forbidden' end as obstacle
     from unnest($1::text[]) wanted (name) left join pg_extension e on e.extname = wanted.name left join pg_namespace n on n.oid = e.extnamespace
     left join pg_available_extensions a on a.name = wanted.name
     left join pg_available_extension_versions v on v.name = a.name and v.version = a.default_version
     where case when e.oid is not null then n.nspname <> all(current_schemas(true))
       else v.name is null or not ((select rolsuper from pg_roles where rolname = current_user)
         or v.trusted and has_database_privilege(current_database(), 'CREATE')) end
     order by obstacle, wanted.name`,
    [created],
  );
  const [first] = rows;
  if (!first) return;
  const same = rows.filter(({ obstacle }) => obstacle === first.obstacle).map(({ name }) => name);
  throw new Refusal(`${sentence(first, same)}, then ${SAME_COMMAND}`);
}

function sentence(
  {
    obstacle,
    database,
    role,
    schema,
  }: Record<"database" | "role", string> & {
    obstacle: Obstacle;
    schema: string | null;
  },
  names: readonly string[],
): string {
  const named = `the extension${names.length > 1 ? "s" : ""} ${names.join(" and ")}`;
  if (obstacle === "lacking")
    return `the database server lacks ${named}: install PostgreSQL's contrib modules on it (on Debian: apt install postgresql-contrib)`;
  if (obstacle === "elsewhere")
    return `the role ${role} does not search the schema ${schema}, which holds ${named}: run "alter role ${role} set search_path = public, ${schema}"`;
  const statements = names.map((name) => `create extension ${name};`).join(" ");
  return `the role ${role} may not create ${named}: as a superuser or the owner of the database ${database} run "${statements}" in it`;
}
