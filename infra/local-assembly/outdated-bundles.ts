/** Running platforms still load files from what they started with, and have rebuilt since. */
const kept = 5;

/** Names of directories that were made before the oldest start whose bundles are kept. */
export function findOutdated(names: readonly string[]): string[] {
  const found = names.flatMap((name) => {
    const [, kind, madeAt] = /^(bundles|rebuilt)-(\d+)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind, madeAt: Number(madeAt) }];
  });
  const starts = found.filter(({ kind }) => kind === "bundles").map(({ madeAt }) => madeAt);
  const oldest = starts.toSorted((one, other) => other - one)[kept - 1] ?? 0;
  return found.filter(({ madeAt }) => madeAt < oldest).map(({ name }) => name);
}
