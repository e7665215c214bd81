const lanes = 16;

/** Some at a time, in any order of their ends. */
export async function inLanes<V, R>(values: readonly V[], work: (value: V) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = values.entries();
  const lane = async () => {
    for (const [index, value] of waiting) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
