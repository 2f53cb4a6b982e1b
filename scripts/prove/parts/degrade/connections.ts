import { setTimeout as pause } from "node:timers/promises";
import type { OnClose } from "../drill-parts";
import { until } from "../patroni/cluster";
import { expected, told } from "../proof";
import { startChanges, tellAnswer, tellAnswers } from "./callers";
import { changeWithoutLimit, hogConnections, lockLinks, refusalOf } from "./hogs";
import { openScene, type Scene } from "./scene";

const MAX_CONNECTIONS = 50;
const HELD_SECONDS = 20;
const BACK_SECONDS = 5;
const PATIENCE_SECONDS = 90;
const RENEWALS = 60;
const LOCKED_LINKS = 10;
const CHANGERS = 40;
/** A free connection of the pool, then a statement: docs/decisions/database-connections.md. */
const REQUEST_SECONDS = 6 + 10;

/** Another program has every connection of Postgres, then rows are locked until Kutip's pool is used up. */
export async function connections(folder: string, onClose: OnClose): Promise<void> {
  const scene = await openScene(folder, onClose, {
    maxConnections: MAX_CONNECTIONS,
    renewals: RENEWALS,
  });
  const { links } = scene.trade.callers;
  await until("links", PATIENCE_SECONDS, async () => links.size > LOCKED_LINKS || undefined);
  await allAreTaken(scene);
  await rowsAreLocked(scene);
  await scene.trade.close();
}

async function allAreTaken({ trade, databaseUrl }: Scene): Promise<void> {
  const name = "all connections taken";
  const hogs = await hogConnections(databaseUrl);
  const tally = trade.callers.next();
  try {
    await pause(HELD_SECONDS * 1_000);
    told(`${name} for ${HELD_SECONDS} s by another program`, hogs.taken);
    expected(`${name}: one more is refused with`, await refusalOf(databaseUrl), "53300");
    trade.callers.next();
  } finally {
    await hogs.release();
  }
  const back = await trade.back(performance.now());
  // A call may have started just before the connections were free.
  const limits = { only: ["200", "503"], seen: "503", mostSeconds: REQUEST_SECONDS };
  tellAnswers(name, tally, ["create", "get", "list", "pay page", "ready"], limits);
  tellAnswers(name, tally, ["live"], { only: ["200"] });
  tellBack(name, back);
}

async function rowsAreLocked({ trade, databaseUrl }: Scene): Promise<void> {
  const name = "rows locked";
  const links = new Map([...trade.callers.links].slice(0, LOCKED_LINKS));
  const [first = ""] = links.keys();
  const unlock = await lockLinks(databaseUrl, [...links.keys()]);
  const locked = performance.now();
  const plain = changeWithoutLimit(databaseUrl, first);
  const tally = trade.callers.next();
  const changes = startChanges(trade.url, trade.shop.key, links, CHANGERS);
  try {
    await pause(HELD_SECONDS * 1_000);
    trade.callers.next();
  } finally {
    await unlock();
  }
  const held = (performance.now() - locked) / 1_000;
  const back = await trade.back(performance.now());
  const limits = { only: ["200", "503"], mostSeconds: REQUEST_SECONDS };
  tellAnswer(`${name}: ${CHANGERS} callers change ${LOCKED_LINKS} links`, await changes.stop(), {
    ...limits,
    seen: "503",
  });
  tellAnswers(name, tally, ["create", "get", "list", "pay page"], limits);
  tellAnswers(name, tally, ["live", "ready"], { only: ["200"] });
  const waited = await plain;
  told(
    `${name}: a client without limits waits, of ${held.toFixed(0)} s`,
    waited.toFixed(1),
    waited >= held - 1,
  );
  tellBack(name, back);
}

function tellBack(name: string, { writes, worker }: { writes: number; worker: number }): void {
  told(
    `${name}: seconds to writes when they are free, worker`,
    `${writes.toFixed(1)}, ${worker.toFixed(1)}`,
    writes <= BACK_SECONDS,
  );
}
