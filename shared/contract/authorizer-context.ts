import * as z from "zod";

/** The authorizer's result. API Gateway carries only strings. */
export const AuthorizerContext = z.discriminatedUnion("level", [
  z.object({
    level: z.literal("program"),
    tenantId: z.string(),
    programId: z.string(),
    currency: z.enum(["0", "1", "2", "3"]).transform((value) => Number(value) as 0 | 1 | 2 | 3),
    apiUserId: z.string(),
  }),
  z.object({ level: z.literal("tenant"), tenantId: z.string(), apiUserId: z.string() }),
]);
