import { listRefused, type RefusedInput } from "../../shared/platform/refused/refused-input.ts";

/** All that is kept for the operator, the newest first: more than a page may have come since. */
export async function allRefused(before?: string): Promise<RefusedInput[]> {
  const items = await listRefused(100, before);
  const last = items.at(-1);
  return last ? [...items, ...(await allRefused(last.refusedId))] : [];
}

/** Those of a Program. */
export async function refusedOf({ programId }: { readonly programId: string }): Promise<RefusedInput[]> {
  return (await allRefused()).filter((one) => one.programId === programId);
}

/** Those whose reason has these words. */
export async function refusedFor(words: string): Promise<RefusedInput[]> {
  return (await allRefused()).filter(({ reason }) => reason.includes(words));
}
