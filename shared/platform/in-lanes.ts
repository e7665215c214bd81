/**
 * Some at a time, in any order of their ends. The results are in the order of the values: with
 * `isStopped`, of those that were begun before, and of one at least.
 */
export async function inLanes<V, R>(
  values: Iterable<V>,
  work: (value: V) => Promise<R>,
  lanes = 16,
  isStopped = () => false,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = numbered(values, isStopped);
  const lane = async () => {
    for (const [index, value] of waiting) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function* numbered<V>(
  values: Iterable<V>,
  isStopped: () => boolean,
): Generator<[index: number, value: V], void> {
  let index = 0;
  for (const value of values) {
    if (index > 0 && isStopped()) return;
    yield [index++, value];
  }
}
