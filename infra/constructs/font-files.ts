import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";

/**
 * Puts the fonts of PDFs into the bundles: a file for each, which the first character that needs it
 * imports.
 */
export const fontFiles: Plugin = {
  name: "font-files",
  setup({ onLoad }) {
    onLoad({ filter: /statements\/formats\/fonts\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const contents = text.replaceAll(
        /readFont\(("[^"]+\.woff")\)/g,
        'import($1).then((file) => Buffer.from(file.default, "base64"))',
      );
      return { contents, loader: "ts", resolveDir: path.dirname(file) };
    });
  },
};
