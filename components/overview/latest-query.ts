/** The query of the latest payments, which their page and its server both ask. */
export const latestCollected = { collected: "true", per_page: 5 } as const;
