import { spawn } from "node:child_process";
import pg from "pg";
import { Refusal } from "@/db/embedded/refusal";
import { RESTORED_AS } from "./dump-file";
import { failureOf, serverOfPrograms } from "./postgres-programs";

/**
 * Replaces what the database holds by a file of pg_dump, in one transaction. pg_restore --clean cannot: it drops constraints one by one, and
 * partitions inherit theirs. `schemas` are those that the file makes.
 */
export async function replaceContent(file: string, schemas: string[]): Promise<void> {
  const { dbname, env } = serverOfPrograms();
  const psql = spawn(
    "psql",
    [dbname, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"],
    { env, stdio: ["pipe", "ignore", "pipe"] },
  );
  const pgRestore = spawn("pg_restore", [...RESTORED_AS, "--file=-", file], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  // psql that has failed reads no more, and says itself why.
  psql.stdin.on("error", () => undefined);
  const refused = failureOf(psql, "psql").then((failure) => {
    pgRestore.kill();
    // Else the rest that psql has not read would keep the end of pg_restore from being seen.
    pgRestore.stdout.destroy();
    return failure;
  });
  psql.stdin.write(emptied(schemas));
  pgRestore.stdout.pipe(psql.stdin, { end: false });
  const unread = await failureOf(pgRestore, "pg_restore");
  // psql takes the end of its input for the end of the script, also where this process was killed. So it commits only what says so.
  psql.stdin.end(unread === undefined ? "commit;\n" : "");
  const unwritten = await refused;
  const failure = pgRestore.killed ? unwritten : (unread ?? unwritten);
  if (failure !== undefined) throw new Refusal(failure);
}

/**
 * Opens the transaction and drops what is there. Schema public stays, as another role may own it, and so do extensions in it, which a superuser
 * may have made.
 */
function emptied(schemas: string[]): string {
  const dropped = [...new Set(["drizzle", "simulator", ...schemas])].filter(
    (schema) => schema !== "public",
  );
  return `begin;
set local statement_timeout = 0; set local lock_timeout = 0; set local client_min_messages = error;
drop schema if exists ${dropped.map((schema) => pg.escapeIdentifier(schema)).join(", ")} cascade;
do $$
declare command text;
begin
  foreach command in array (
    select coalesce(array_agg(format('drop %s if exists %s cascade', replace(o.type, 'statistics object', 'statistics'), o.identity)), '{}')
    from pg_depend d, pg_identify_object(d.classid, d.objid, 0) o
    where d.refclassid = 'pg_namespace'::regclass and d.refobjid = to_regnamespace('public') and d.deptype = 'n'
      and o.type not in ('default acl', 'extension')
      and not exists (select 1 from pg_depend e where e.classid = d.classid and e.objid = d.objid and e.objsubid = 0 and e.deptype in ('e', 'i')))
  loop
    execute command;
  end loop;
end $$;
`;
}
