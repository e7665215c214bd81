import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";

/** A customer of the platform. It owns Programs, API keys, client certificates and an IP allowlist. */
export const Tenant = z.object({
  tenantId: id("tenant"),
  name: z.string(),
  /** Absent for a Tenant from before there was one. */
  contactEmail: z.string().optional(),
  createdAt: timestamp,
  createdBy: z.string(),
});
export type Tenant = z.output<typeof Tenant>;
