const lanes = 8;

/** Works on several at once, in their order, and on one at least. Returns how many were begun. */
export async function inLanes<T>(
  all: readonly T[],
  work: (one: T) => Promise<void>,
  isStopped: () => boolean,
): Promise<number> {
  let begun = 0;
  const lane = async () => {
    while (begun < all.length && (begun === 0 || !isStopped())) {
      const one = all[begun] as T;
      begun += 1;
      await work(one);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return begun;
}
