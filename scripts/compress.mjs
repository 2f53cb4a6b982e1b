import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);
const COMPRESSIBLE = /\.(js|css|svg|json|txt)$/;

/** Writes `FILE.br` beside each text file of a folder: Brotli at its best, which is too slow while a browser waits. */
export async function compressFolder(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => COMPRESSIBLE.test(file));
  await Promise.all(
    files.map(async (file) => {
      const whole = await readFile(path.join(folder, file));
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
      };
      await writeFile(path.join(folder, `${file}.br`), await compress(whole, { params }));
    }),
  );
}
