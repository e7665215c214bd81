import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type OpenFont, openFont } from "./open-type.ts";

/** A bundle has the files' bytes in place of this: `infra/constructs/font-files.ts`. */
const readFont = (name: string): Promise<Buffer> => readFile(createRequire(import.meta.url).resolve(name));

type Ranges = readonly (readonly [first: number, last: number])[];

interface Face {
  /** The PostScript name, behind the tag of a subset. */
  readonly fontName: string;
  readonly isBold?: boolean;
  readonly ranges: Ranges;
  readonly read: () => Promise<Buffer>;
}

/** A character is drawn by the first face that has it. Only faces that are needed are read. */
const faces = {
  bold: {
    fontName: "LATINB+NotoSans-Bold",
    isBold: true,
    ranges: [[0x20, 0x206f]],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-700-normal.woff"),
  },
  latin: {
    fontName: "LATINA+NotoSans-Regular",
    ranges: [
      [0x20, 0xff],
      [0x131, 0x131],
      [0x152, 0x153],
      [0x2bb, 0x2dc],
      [0x2000, 0x2215],
    ],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff"),
  },
  latinExtended: {
    fontName: "LATINX+NotoSans-Regular",
    ranges: [
      [0x100, 0x36f],
      [0x1d00, 0x1eff],
      [0x2000, 0x20cf],
      [0x2100, 0x218b],
      [0x2c60, 0x2c7f],
      [0xa720, 0xa7ff],
    ],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff"),
  },
  vietnamese: {
    fontName: "VIETNA+NotoSans-Regular",
    ranges: [
      [0x100, 0x329],
      [0x1ea0, 0x1ef9],
    ],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-vietnamese-400-normal.woff"),
  },
  greek: {
    fontName: "GREEKA+NotoSans-Regular",
    ranges: [[0x370, 0x3ff]],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff"),
  },
  greekExtended: {
    fontName: "GREEKX+NotoSans-Regular",
    ranges: [[0x1f00, 0x1fff]],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-greek-ext-400-normal.woff"),
  },
  cyrillic: {
    fontName: "CYRILA+NotoSans-Regular",
    ranges: [
      [0x301, 0x301],
      [0x400, 0x4b1],
      [0x2116, 0x2116],
    ],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-cyrillic-400-normal.woff"),
  },
  cyrillicExtended: {
    fontName: "CYRILX+NotoSans-Regular",
    ranges: [
      [0x460, 0x52f],
      [0x1c80, 0x1c8a],
      [0x2de0, 0x2dff],
      [0xa640, 0xa69f],
    ],
    read: () => readFont("@fontsource/noto-sans/files/noto-sans-cyrillic-ext-400-normal.woff"),
  },
  japanese: {
    fontName: "JAPANA+BIZUDPGothic-Regular",
    ranges: [
      [0x2010, 0x27bf],
      [0x2e80, 0x9fff],
      [0xf900, 0xfaff],
      [0xfe30, 0xffef],
    ],
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
    const ranges: Ranges = faces[face].ranges;
    if (!ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) continue;
    const font = await openFace(face);
    const glyph = font.glyph(codePoint);
    if (glyph !== 0) return { face, glyph, width: font.width(glyph), character };
  }
  return undefined;
}
