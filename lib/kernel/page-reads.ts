/** Reads of the API by a page that is being rendered, in the same process. */
export type PageReads = {
  /** Calls an address below `/api` as the browser that asked for the page would. `headers` name business and mode. */
  read: (address: string, headers: Record<string, string>) => Promise<Response>;
  /** The position of the page's data, for the stream of changes to begin at; undefined where changes may be missing. */
  since: () => string | undefined;
  /** Whether a whole document is rendered, and not a page for a browser that shows another one. */
  isDocument: () => boolean;
};

// Next.js bundles its own copy of each module. Its pages and our server meet in the process's own global, so that both use one pool and one cache.
const READS = Symbol.for("kutip.page-reads");
const shared = globalThis as { [READS]?: PageReads };

/** Offers reads to the pages of this process. */
export function providePageReads(reads: PageReads): void {
  shared[READS] = reads;
}

/** The reads that server.ts offers; undefined under plain `next start` and `next dev`, where the browser asks for everything. */
export const pageReads = (): PageReads | undefined => shared[READS];
