import * as z from "zod";

// In a page zod would try whether it may compile code, which the policy forbids and browsers report. Before the first schema is made.
if (typeof document !== "undefined") z.config({ jitless: true });
