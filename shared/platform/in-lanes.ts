/** Some at a time, in any order of their ends. The results are in the order of the values. */
export async function inLanes<V, R>(
  values: Iterable<V>,
  work: (value: V) => Promise<R>,
  lanes = 16,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = numbered(values);
  const lane = async () => {
    for (const [index, value] of waiting) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function* numbered<V>(values: Iterable<V>): Generator<[index: number, value: V], void> {
  let index = 0;
  for (const value of values) yield [index++, value];
}
