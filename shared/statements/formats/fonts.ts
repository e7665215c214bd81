import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type OpenFont, openFont } from "./open-type.ts";

/** A bundle has the files' bytes in place of this: `infra/constructs/parts.ts`. */
const readFont = (name: string): Promise<Buffer> => readFile(createRequire(import.meta.url).resolve(name));

interface Face {
  /** The PostScript name, behind the tag of a subset. */
  readonly fontName: string;
  readonly isBold?: boolean;
  /** Hexadecimal code points, as of `unicode-range` in CSS: `20-FF 131`. */
  readonly ranges: string;
  readonly read: () => Promise<Buffer>;
}

/** A character is drawn by the first face that has it. Only faces that are needed are read. */
const faces = {
  bold: {
    fontName: "LATINB+NotoSans-Bold",
    isBold: true,
    ranges: "20-206F",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-700-normal.woff"),
  },
  latin: {
    fontName: "LATINA+NotoSans-Regular",
    ranges: "20-FF 131 152-153 2BB-2DC 2000-2215",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff"),
  },
  latinExtended: {
    fontName: "LATINX+NotoSans-Regular",
    ranges: "100-36F 1D00-1EFF 2000-20CF 2100-218B 2C60-2C7F A720-A7FF",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff"),
  },
  vietnamese: {
    fontName: "VIETNA+NotoSans-Regular",
    ranges: "100-329 1EA0-1EF9",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-vietnamese-400-normal.woff"),
  },
  greek: {
    fontName: "GREEKA+NotoSans-Regular",
    ranges: "370-3FF",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff"),
  },
  greekExtended: {
    fontName: "GREEKX+NotoSans-Regular",
    ranges: "1F00-1FFF",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-greek-ext-400-normal.woff"),
  },
  cyrillic: {
    fontName: "CYRILA+NotoSans-Regular",
    ranges: "301 400-4B1 2116",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-cyrillic-400-normal.woff"),
  },
  cyrillicExtended: {
    fontName: "CYRILX+NotoSans-Regular",
    ranges: "460-52F 1C80-1C8A 2DE0-2DFF A640-A69F",
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-cyrillic-ext-400-normal.woff"),
  },
  japanese: {
    fontName: "JAPANA+BIZUDPGothic-Regular",
    ranges: "2010-27BF 2E80-9FFF F900-FAFF FE30-FFEF",
    read: () => readFont("@fontsource/biz-udpgothic/files/biz-udpgothic-japanese-400-normal.woff"),
  },
} as const satisfies Readonly<Record<string, Face>>;
export type FaceName = keyof typeof faces;
export const faceNames = Object.keys(faces) as FaceName[];

export function findFontName(name: FaceName): string {
  return faces[name].fontName;
}

const opened = new Map<FaceName, Promise<OpenFont>>();

/** Read once by a process. */
export function openFace(name: FaceName): Promise<OpenFont> {
  const found = opened.get(name) ?? faces[name].read().then(openFont);
  opened.set(name, found);
  return found;
}

export interface Drawn {
  readonly face: FaceName;
  readonly glyph: number;
  readonly width: number;
  /** What stands on the page. */
  readonly character: string;
}

/** How each character is drawn. One that no face has loses its accents, or becomes `?`. */
export class Drawing {
  readonly #plain = new Map<string, Drawn>();
  readonly #bold = new Map<string, Drawn>();

  /** Call it with all texts, before they are drawn. */
  async prepare(texts: Iterable<string>): Promise<void> {
    const characters = new Set<string>();
    for (const text of texts) for (const character of text.normalize("NFC")) characters.add(character);
    for (const character of ["?", ".", ...characters]) {
      if (this.#plain.has(character)) continue;
      this.#plain.set(character, await this.#choose(character));
    }
    for (const [character, drawn] of this.#plain) {
      if (this.#bold.has(character)) continue;
      this.#bold.set(character, (await find(drawn.character, ["bold"])) ?? drawn);
    }
  }

  async #choose(character: string): Promise<Drawn> {
    const [base = ""] = character.normalize("NFKD");
    const other = /[\s\p{C}]/u.test(character) ? " " : "?";
    for (const one of [character, base, other]) {
      const found = await find(one, plainFaces);
      if (found) return found;
    }
    throw new Error("No face has a question mark.");
  }

  draw(text: string, isBold = false): Drawn[] {
    const drawn = isBold ? this.#bold : this.#plain;
    return [...text.normalize("NFC")].map((character) => drawn.get(character) as Drawn);
  }
}

const plainFaces = faceNames.filter((name) => name !== "bold");

async function find(character: string, among: readonly FaceName[]): Promise<Drawn | undefined> {
  const codePoint = character.codePointAt(0) ?? 0;
  for (const face of among) {
    if (!isWithin(faces[face].ranges, codePoint)) continue;
    const font = await openFace(face);
    const glyph = font.glyph(codePoint);
    if (glyph !== 0) return { face, glyph, width: font.width(glyph), character };
  }
  return undefined;
}

function isWithin(ranges: string, codePoint: number): boolean {
  return ranges.split(" ").some((range) => {
    const [first = "", last = first] = range.split("-");
    return codePoint >= Number.parseInt(first, 16) && codePoint <= Number.parseInt(last, 16);
  });
}
