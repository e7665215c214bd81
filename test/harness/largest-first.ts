import { existsSync, statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files with a process of their own begin, since a shared process ends where one comes. Then the
 * largest, with the table of rows that a file runs: no long one is left alone at the end.
 */
export class LargestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bytes = new Map(files.map(({ moduleId }) => [moduleId, sizeOf(moduleId)]));
    const size = ({ moduleId, project }: TestSpecification) =>
      project.config.isolate ? Number.POSITIVE_INFINITY : (bytes.get(moduleId) ?? 0);
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    // By their projects first, so that isolated ones keep their order.
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) =>
        group(one) - group(other) || Number(size(one) < size(other)) - Number(size(one) > size(other)),
    );
  }
}

function sizeOf(file: string): number {
  const rows = file.replace(".test.ts", ".txt");
  return statSync(file).size + (existsSync(rows) ? statSync(rows).size : 0);
}
