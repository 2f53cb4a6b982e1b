import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { momentIn } from "./names";
import type { Store } from "./store";

const HALF = ".part";

/** Keeps backups in a folder, each readable by its owner alone. */
export function folderStore(folder: string): Store {
  const at = (name: string) => path.join(folder, name);
  return {
    address: folder,
    write: async (name, source) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const half = at(`${name}${HALF}`);
      try {
        await pipeline(source, createWriteStream(half, { flags: "wx", mode: 0o600, flush: true }));
        await rename(half, at(name));
        await sync(folder);
        return (await stat(at(name))).size;
      } catch (error) {
        await rm(half, { force: true });
        throw error;
      }
    },
    list: async () => {
      const names = (await namesIn(folder)).filter((name) => momentIn(name) !== undefined).sort();
      return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(at(name))).size })));
    },
    read: (name) => createReadStream(at(name)),
    remove: (name) => rm(at(name), { force: true }),
    sweep: async (isOwn) => {
      for (const name of await namesIn(folder))
        if (name.endsWith(HALF) && isOwn(name.slice(0, -HALF.length)))
          await rm(at(name), { force: true });
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

// A name in a folder outlives a power cut once the folder is synced.
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    await handle.close();
  }
}
