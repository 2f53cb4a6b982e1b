const own = new Set<string>();
const underWay = new Set<Promise<unknown>>();

/** Remembers the payment that a call of this page makes, since the page reports it itself. Gives the call's answer. */
export async function trackOwn<T>(call: Promise<T>): Promise<T> {
  underWay.add(call);
  try {
    const data = await call;
    if (typeof data === "object" && data && "_id" in data) own.add(String(data._id));
    return data;
  } finally {
    underWay.delete(call);
  }
}

/** Whether this page itself has made a payment. The live stream is often faster than the answer, so calls under way are awaited. */
export async function isOwnPayment(id: string): Promise<boolean> {
  await Promise.allSettled(underWay);
  return own.has(id);
}
