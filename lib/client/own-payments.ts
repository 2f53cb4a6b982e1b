const own = new Set<string>();

/** Remembers a payment that this page itself has made and reports. */
export const addOwnPayment = (id: string): void => void own.add(id);

export const isOwnPayment = (id: string): boolean => own.has(id);
