import * as z from "zod";

const reserved = z.int().min(2).max(2_000);
const Reserved = z.strictObject({ reserved });
const Warm = z
  .strictObject({
    reserved,
    /**
     * Environments kept started, so that no answer waits for a start. Without it, none. 0 while a
     * restore has stopped the function: Lambda keeps none started of what may not run.
     */
    warm: z.int().nonnegative().optional(),
  })
  .refine(({ reserved, warm = 0 }) => 2 * warm <= reserved, {
    error: "While a new version takes over, both versions are kept started.",
    path: ["warm"],
  });

/**
 * Concurrency of its own for each function that a card network or every caller waits for: no flood
 * elsewhere takes it, and a flood of its own takes no more. By folder.
 */
export const Concurrency = z.strictObject({
  authorizer: Reserved.optional(),
  "connection-webhooks": Reserved.optional(),
  "processor-events": Warm.optional(),
  vault: Warm.optional(),
});
export type Concurrency = z.output<typeof Concurrency>;

interface OwnConcurrency {
  readonly reserved?: number;
  readonly warm?: number | undefined;
}

export function ownConcurrency(concurrency: Concurrency, folder: string): OwnConcurrency {
  const all: Readonly<Record<string, OwnConcurrency | undefined>> = concurrency;
  return all[folder] ?? {};
}
