type Reads = (acceptEncoding: string | null | undefined) => boolean;

/** Whether an Accept-Encoding header takes this content coding. A weight of 0 refuses it. */
const takes = (coding: string): Reads => {
  const taken = new RegExp(`^\\s*${coding}\\s*(;\\s*q=(1(\\.0*)?|0?\\.\\d*[1-9]\\d*))?\\s*$`, "i");
  return (acceptEncoding) => (acceptEncoding ?? "").split(",").some((one) => taken.test(one));
};

export const takesGzip = takes("gzip");
export const takesBrotli = takes("br");
