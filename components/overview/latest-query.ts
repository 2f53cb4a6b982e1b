/** The query of the latest payments, which their page and its server both ask. */
export const latestCollected = { collected: "true", sort: "-succeeded_at", per_page: 5 } as const;
