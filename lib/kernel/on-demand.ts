/** What `make` returns, made at the first call: a format of Intl costs a phone as much as a hundred rows. */
export function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
