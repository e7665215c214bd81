/** Waits for all, also when one fails, so that nothing starts behind the back of a clean-up. */
export async function allOf<Parts extends readonly unknown[] | []>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
