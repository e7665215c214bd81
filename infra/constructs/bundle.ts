import path from "node:path";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import type { BuildOptions } from "esbuild";

export const projectRoot = path.resolve(import.meta.dirname, "../..");

/**
 * The SDK imports these only without a key in the environment, where Lambda puts one, or in a
 * browser.
 */
const neverImported = [
  ...["ini", "login", "process", "sso", "web-identity"].map((name) => `@aws-sdk/credential-provider-${name}`),
  ...["@aws-sdk/nested-clients/*", "@aws-sdk/token-providers", "@smithy/credential-provider-imds", "bowser"],
];

/** Dynamic imports become separate files, which a cold start does not load. */
export const bundling = {
  external: neverImported,
  outExtension: { ".js": ".mjs" },
  // File names derive from paths and must be equal on every machine.
  preserveSymlinks: true,
  splitting: true,
  write: false,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  mainFields: ["module", "main"],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
  loader: { ".woff": "base64" },
} as const satisfies BuildOptions;

/** Namespace of the first build's files in the second (`join-parts.ts`). */
export const partNamespace = "part";
const foreign = new RegExp(`node_modules/|^${partNamespace}:`);

interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/**
 * Removes packages from a source map, nine tenths of it, because Node parses the map at import.
 * Packages' stack frames show the bundle's lines.
 */
export function ownSourceMap(text: string): string {
  const map = JSON.parse(text) as SourceMap;
  const sources = new Numbered();
  const names = new Numbered();
  const numberName = (index: number) => names.of(map.names[index]);
  const lines = decode(map.mappings).map((line) => {
    let isMapped = false;
    return line.flatMap((segment): SourceMapSegment[] => {
      const [column, index, sourceLine, sourceColumn, name] = segment;
      const source = index === undefined ? undefined : map.sources[index];
      const wasMapped = isMapped;
      isMapped = source !== undefined && !foreign.test(source);
      // Ends the previous mapping where a package's code begins.
      if (!isMapped) return wasMapped ? [[column]] : [];
      const place = [column, sources.of(source), sourceLine, sourceColumn] as [
        number,
        number,
        number,
        number,
      ];
      return [name === undefined ? place : [...place, numberName(name)]];
    });
  });
  return JSON.stringify({
    version: map.version,
    sources: sources.all,
    names: names.all,
    mappings: encode(lines),
  });
}

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
