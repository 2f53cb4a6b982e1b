import { type Entry, fromBufferPromise } from "yauzl";
import { damaged, tooMuch, Unreadable } from "./unreadable";

const MAX_ENTRIES = 2_000;
/** Of all parts together, whatever the archive says about their sizes. */
const MAX_UNZIPPED_BYTES = 64 * 1024 * 1024;

export type Archive = {
  names: readonly string[];
  has: (name: string) => boolean;
  /** Hands the text of a part on as it is unzipped. Throws Unreadable. */
  read: (name: string, onText: (text: string) => void) => Promise<void>;
};

/** Opens a ZIP archive in memory, names without case. No name ever reaches a file system. Throws Unreadable. */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const zip = await orDamaged(() => fromBufferPromise(Buffer.from(bytes)));
  if (zip.entryCount > MAX_ENTRIES) throw tooMuch();
  const entries = new Map<string, Entry>();
  await orDamaged(async () => {
    for await (const entry of zip.eachEntry()) {
      // An archive with two parts of one name can be read in two ways.
      if (entries.has(entry.fileName.toLowerCase())) throw damaged();
      entries.set(entry.fileName.toLowerCase(), entry);
    }
  });
  let unzipped = 0;
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name.toLowerCase()),
    read: (name, onText) =>
      orDamaged(async () => {
        const entry = entries.get(name.toLowerCase());
        if (!entry) throw damaged();
        if (entry.isEncrypted()) throw locked();
        const decoder = new TextDecoder("utf-8", { fatal: true });
        for await (const chunk of await zip.openReadStreamPromise(entry)) {
          unzipped += (chunk as Buffer).length;
          if (unzipped > MAX_UNZIPPED_BYTES) throw tooMuch();
          onText(decoder.decode(chunk as Buffer, { stream: true }));
        }
        onText(decoder.decode());
      }),
  };
}

export const locked = () =>
  new Unreadable(
    "The file is protected with a password. Remove the password in your spreadsheet program, then choose it again.",
  );

async function orDamaged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged();
  }
}
