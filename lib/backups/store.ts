/** A file in a store. */
export type Stored = { name: string; bytes: number };

/** Where backups are kept. */
export type Store = {
  /** Its address, for messages. */
  address: string;
  /** Writes a file that appears whole or not at all. Returns its size once the store has confirmed it. */
  write: (name: string, source: AsyncIterable<Buffer>) => Promise<number>;
  /** Every file, in the order of names. */
  list: () => Promise<Stored[]>;
  read: (name: string) => AsyncIterable<Buffer>;
  remove: (name: string) => Promise<void>;
  /** Removes what writers that were killed have left of these files. None of them may be written meanwhile. */
  sweep: (isOwn: (name: string) => boolean) => Promise<void>;
};
