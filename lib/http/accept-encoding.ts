type Reads = (acceptEncoding: string | null | undefined) => boolean;

/** A weight as RFC 9110 writes it. */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** Whether an Accept-Encoding header takes this content coding. A weight of 0 refuses it. */
const takes =
  (coding: string): Reads =>
  (acceptEncoding) =>
    (acceptEncoding ?? "").split(",").some((one) => {
      const [name, weight, ...more] = one.split(";").map((part) => part.trim());
      if (name?.toLowerCase() !== coding || more.length > 0) return false;
      return weight === undefined || Number(WEIGHT.exec(weight)?.[1] ?? 0) > 0;
    });

export const takesGzip = takes("gzip");
export const takesBrotli = takes("br");
