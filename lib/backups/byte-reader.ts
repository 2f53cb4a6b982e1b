/** Reads an exact number of bytes at a time from a stream of buffers. */
export class ByteReader {
  #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes. Throws when the source ends before. */
  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.upTo(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The next `length` bytes, or those that are left. */
  async atMost(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#take(missing);
      missing -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** The next `length` bytes in parts, as they come. Throws when the source ends before. */
  async *upTo(length: number): AsyncGenerator<Buffer> {
    for (let missing = length; missing > 0; ) {
      if (!(await this.#fill())) throw new Error("the archive ends too early");
      const part = this.#take(missing);
      missing -= part.length;
      yield part;
    }
  }

  /** Reads to the very end, so that a compression's own checksum is compared. */
  async drain(): Promise<void> {
    while (await this.#fill()) this.#rest = Buffer.alloc(0);
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }

  #take(length: number): Buffer {
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}
