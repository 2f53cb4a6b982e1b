declare module "virtual:routes" {
  /** Every route file under `app/`: its address pattern such as `/api/payment-links/[id]`, and what the file exports. */
  export const routes: Array<{ pattern: string; module: Record<string, unknown> }>;
}
