import * as z from "zod";
import { Role } from "./roles.ts";

/** Absent for a key of the role `everything`. Operations are joined by spaces. */
const rights = {
  role: Role.optional(),
  operations: z
    .string()
    .transform((joined) => joined.split(" "))
    .optional(),
};

/** The authorizer's result. API Gateway carries only strings. */
export const AuthorizerContext = z.discriminatedUnion("level", [
  z.object({
    level: z.literal("program"),
    tenantId: z.string(),
    programId: z.string(),
    currency: z.enum(["0", "1", "2", "3"]).transform((value) => Number(value) as 0 | 1 | 2 | 3),
    apiUserId: z.string(),
    ...rights,
  }),
  z.object({ level: z.literal("tenant"), tenantId: z.string(), apiUserId: z.string(), ...rights }),
]);
