import * as z from "zod";
import { amount, text, timestamp } from "./primitives.ts";

export const authorizationReference = z
  .string()
  .regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 printable ASCII characters without spaces");

/**
 * Where ids are acquirer, reference, trace and time, with dots between them: what `id` names may
 * have been sent before with another time, or is named here without its own reference or trace.
 */
export const SimilarTo = z.object({
  id: authorizationReference,
  differsIn: z.enum(["time", "reference", "trace"]),
  /** What the one has that a reversal names without trace and time. */
  amount: amount.optional(),
  /** When it was sent. */
  at: timestamp,
  /** The `key` that such a message has. */
  keys: z.array(text(128)).max(2).optional(),
});
export type SimilarTo = z.output<typeof SimilarTo>;

/** A message that may be sent again with another time. */
export const RepeatableMessage = z.object({
  /** What it has in common with its repetitions, if that tells them from others. */
  key: text(128).optional(),
  /** The part of its ids that has the time. */
  id: authorizationReference,
  /** When it was sent. */
  at: timestamp,
  isRepeated: z.boolean().optional(),
});
export type RepeatableMessage = z.output<typeof RepeatableMessage>;
