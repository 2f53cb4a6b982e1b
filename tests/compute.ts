import { bundleCompute } from "../scripts/compute-bundle.mjs";

/** Bundles the entry of the compute threads, so that they run what the tests' sources say. */
export default async function setUp(): Promise<void> {
  await bundleCompute();
}
