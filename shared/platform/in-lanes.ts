/** Some at a time, in any order of their ends. The results are in the order of the values. */
export async function inLanes<V, R>(
  values: readonly V[],
  work: (value: V) => Promise<R>,
  lanes = 16,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = values.entries();
  const lane = async () => {
    for (const [index, value] of waiting) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
