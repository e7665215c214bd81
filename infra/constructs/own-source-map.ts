import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/**
 * A bundle's source map without the packages, which are nine tenths of it: Node parses the map when it imports the file. Lines
 * of packages in a stack trace are those of the bundle.
 */
export function ownSourceMap(text: string): string {
  const map = JSON.parse(text) as SourceMap;
  const sources = new Numbered();
  const names = new Numbered();
  const nameOf = (index: number) => names.of(map.names[index]);
  const lines = decode(map.mappings).map((line) => {
    let isMapped = false;
    return line.flatMap((segment): SourceMapSegment[] => {
      const [column, index, sourceLine, sourceColumn, name] = segment;
      const source = index === undefined ? undefined : map.sources[index];
      const wasMapped = isMapped;
      isMapped = source !== undefined && !source.includes("node_modules/");
      // Where a package's code begins, so that it does not pass for what stands before it.
      if (!isMapped) return wasMapped ? [[column]] : [];
      const place = [column, sources.of(source), sourceLine, sourceColumn] as [
        number,
        number,
        number,
        number,
      ];
      return [name === undefined ? place : [...place, nameOf(name)]];
    });
  });
  return JSON.stringify({
    version: map.version,
    sources: sources.all,
    names: names.all,
    mappings: encode(lines),
  });
}

/** Texts and their numbers, in the order in which they are first asked for. */
class Numbered {
  readonly #numbers = new Map<string, number>();

  of(text = ""): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  get all(): string[] {
    return [...this.#numbers.keys()];
  }
}
