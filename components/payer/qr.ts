import { create } from "qrcode";

const QUIET_ZONE = 4;

/** A QR of `text` as one stroked SVG path in the current colour, quiet zone included. About 0.5 ms: keep it beside the record. */
export function qrSvg(text: string): string {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  let path = "";
  for (let row = 0; row < size; row += 1) {
    let end = -1;
    for (let column = 0; column < size; column += 1) {
      if (!data[row * size + column]) continue;
      const start = column;
      while (column + 1 < size && data[row * size + column + 1]) column += 1;
      path += end === -1 ? `M${start} ${row}.5` : `m${start - end} 0`;
      path += `h${column + 1 - start}`;
      end = column + 1;
    }
  }
  const box = size + 2 * QUIET_ZONE;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${QUIET_ZONE} -${QUIET_ZONE} ${box} ${box}" shape-rendering="crispEdges">` +
    `<path stroke="currentColor" d="${path}"/></svg>`
  );
}
