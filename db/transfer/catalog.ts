import type pg from "pg";
import type { ExportHead, TablePart } from "./parts";

// All that is Kutip's; the journal of migrations travels in the head.
const OURS = "n.nspname in ('public', 'simulator')";

/** The tables as they are copied, each whole, with the partitions that hold its rows. */
export async function tablesOf(client: pg.Client): Promise<TablePart[]> {
  const { rows } = await client.query<TablePart>(`
    select format('%I.%I', n.nspname, c.relname) as table,
      (select json_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      coalesce((select json_agg(json_build_object('path', format('%I.%I', pn.nspname, p.relname),
          'bound', pg_get_expr(p.relpartbound, p.oid)) order by p.relname)
        from pg_inherits i join pg_class p on p.oid = i.inhrelid join pg_namespace pn on pn.oid = p.relnamespace
        where i.inhparent = c.oid), '[]') as partitions
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1`);
  return rows;
}

/** The sequences that were used, with their last values. */
export async function sequencesOf(client: pg.Client): Promise<ExportHead["sequences"]> {
  const { rows } = await client.query<ExportHead["sequences"][number]>(`
    select format('%I.%I', n.schemaname, n.sequencename) as path, n.last_value::text as last
    from (select schemaname, sequencename, schemaname as nspname, last_value from pg_sequences) n
    where ${OURS} and n.last_value is not null order by 1`);
  return rows;
}

/** The journal of migrations; empty in a database without one. */
export async function journalOf(client: pg.Client): Promise<ExportHead["migrations"]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as there",
  );
  if (!found[0]?.there) return [];
  const { rows } = await client.query<{ at: string; hash: string }>(
    "select created_at as at, hash from drizzle.__drizzle_migrations order by created_at",
  );
  return rows.map(({ at, hash }) => ({ when: Number(at), hash }));
}
