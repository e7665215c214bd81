import * as z from "zod";

/** An optional `Idempotency-Key`: 1 to 255 printable characters. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters");
