import type { SourceFile } from "./source-files.ts";

/** Each file by its path, with those that it imports, types and `import()` included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function readImportGraph(files: readonly SourceFile[]): ImportGraph {
  const paths = new Set(files.map((file) => file.path));
  return new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap(({ isLocal, target }) => (isLocal && paths.has(target) ? [target] : [])),
    ]),
  );
}

/** The files that one reads from `starts` on, in the order in which they are met. */
export function walk(
  graph: ImportGraph,
  starts: readonly string[],
  stopsAt: (file: string) => boolean,
): string[] {
  const met = new Set(starts);
  for (const file of met) {
    const imported = graph.get(file);
    if (!imported) throw new Error(`${file} does not exist.`);
    for (const next of imported) if (!stopsAt(next)) met.add(next);
  }
  return [...met];
}

/** The sets of files that import each other in a circle, the largest first: Tarjan's algorithm. */
export function findCircles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) as number);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next))
        lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(next) as number));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle.toSorted());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles.toSorted((left, right) => right.length - left.length);
}
