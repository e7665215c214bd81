import type { Drawing, Drawn, FaceName } from "./fonts.ts";
import { references, toObjectStream, toStream } from "./objects.ts";

export const [pageWidth, pageHeight] = [595.28, 841.89];

interface Style {
  readonly size?: number;
  readonly isBold?: boolean;
  readonly isGrey?: boolean;
}

/** The glyphs of a face in the order of their first use, which numbers them. */
export class UsedGlyphs {
  readonly #faces = new Map<FaceName, Map<string, number>>();

  constructor(used: Readonly<Partial<Record<FaceName, string>>>) {
    for (const [face, characters] of Object.entries(used) as [FaceName, string][])
      this.#faces.set(face, new Map([...characters].map((character, index) => [character, index + 1])));
  }

  number({ face, character }: Drawn): number {
    const numbers = this.#faces.get(face) ?? new Map<string, number>();
    this.#faces.set(face, numbers);
    const number = numbers.get(character) ?? numbers.size + 1;
    numbers.set(character, number);
    return number;
  }

  /** By face, its characters in their order. */
  toJson(): Partial<Record<FaceName, string>> {
    return Object.fromEntries(
      [...this.#faces].map(([face, numbers]) => [face, [...numbers.keys()].join("")]),
    );
  }
}

interface PageProps {
  readonly drawing: Drawing;
  readonly used: UsedGlyphs;
  /** Its first object: the numbers after it are the page's too. */
  readonly first: number;
  /** From 0. */
  readonly index: number;
  readonly resources: string;
  readonly parent: number;
}

/** A page: what stands on it, and the elements of the document's structure that it has. */
export class Page {
  readonly #props: PageProps;
  readonly #content: string[] = [];
  readonly #objects = new Map<number, string>();
  /** The element of each piece of marked content. */
  readonly #marked: number[] = [];
  #next: number;

  constructor(props: PageProps) {
    this.#props = props;
    this.#next = props.first + 2;
    this.number = this.reserve();
    this.#parents = this.reserve();
  }

  readonly number: number;
  readonly #parents: number;

  /** The number of an object to come. */
  reserve(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  define(number: number, body: string): number {
    this.#objects.set(number, body);
    return number;
  }

  /** An element of the structure that is on this page, with what is drawn for it. */
  mark(type: string, parent: number, draw: () => void, attributes = ""): number {
    const number = this.reserve();
    const place = this.#marked.push(number) - 1;
    this.#content.push(`/${type} <</MCID ${place}>> BDC`);
    draw();
    this.#content.push("EMC");
    return this.define(
      number,
      `<</Type/StructElem/S/${type}/P ${parent} 0 R/Pg ${this.number} 0 R/K ${place}${attributes}>>`,
    );
  }

  /** What is no part of the text: lines, and what each page repeats. */
  artifact(type: "Pagination" | "Layout", draw: () => void): void {
    this.#content.push(`/Artifact <</Type/${type}>> BDC`);
    draw();
    this.#content.push("EMC");
  }

  write(text: string, x: number, y: number, style: Style = {}): number {
    return this.#show(this.#props.drawing.draw(text, style.isBold), x, y, style);
  }

  writeRight(text: string, right: number, y: number, style: Style = {}): void {
    const drawn = this.#props.drawing.draw(text, style.isBold);
    this.#show(drawn, right - measure(drawn, style.size), y, style);
  }

  /** Shortened to the width, if it is longer. */
  writeWithin(text: string, x: number, y: number, { width, ...style }: Style & { width: number }): void {
    const { drawing } = this.#props;
    const drawn = drawing.draw(text, style.isBold);
    this.#show(
      measure(drawn, style.size) <= width ? drawn : shorten(drawn, drawing, { width, ...style }),
      x,
      y,
      style,
    );
  }

  rule(from: number, to: number, y: number): void {
    this.#content.push(`0.5 w 0.4 G ${round(from)} ${round(y)} m ${round(to)} ${round(y)} l S`);
  }

  /** Draws the form with the number of pages, which is made with the last page. */
  drawForm(name: string, x: number, y: number): void {
    this.#content.push(`q 1 0 0 1 ${round(x)} ${round(y)} cm /${name} Do Q`);
  }

  /** Where it ends. */
  #show(drawn: readonly Drawn[], x: number, y: number, { size = 9, isGrey = false }: Style): number {
    const content = showText(drawn, this.#props.used, size);
    this.#content.push(`${isGrey ? "0.4" : "0"} g BT ${round(x)} ${round(y)} Td ${content} ET`);
    return x + measure(drawn, size);
  }

  /** Its two streams: the content, and its other objects. */
  finish(): { content: string; objects: string; numbers: number[]; next: number } {
    const { first, index, resources, parent } = this.#props;
    this.define(
      this.number,
      `<</Type/Page/Parent ${parent} 0 R/MediaBox[0 0 ${pageWidth} ${pageHeight}]/Resources ${resources}` +
        `/Contents ${first} 0 R/StructParents ${index}/Tabs/S>>`,
    );
    this.define(this.#parents, `[${references(this.#marked)}]`);
    const ordered = new Map([...this.#objects].toSorted(([one], [other]) => one - other));
    return {
      content: toStream(first, "", this.#content.join("\n")),
      objects: toObjectStream(first + 1, ordered),
      numbers: [...ordered.keys()],
      next: this.#next,
    };
  }
}

export function showText(drawn: readonly Drawn[], used: UsedGlyphs, size: number): string {
  let [face, digits] = ["", ""];
  const parts: string[] = [];
  for (const one of drawn) {
    if (one.face !== face) {
      parts.push(digits && `<${digits}> Tj`, `/${one.face} ${size} Tf`);
      [face, digits] = [one.face, ""];
    }
    digits += used.number(one).toString(16).padStart(4, "0");
  }
  return [...parts, digits && `<${digits}> Tj`].filter(Boolean).join(" ");
}

export function measure(drawn: readonly Drawn[], size = 9): number {
  return (drawn.reduce((sum, { width }) => sum + width, 0) * size) / 1000;
}

function shorten(
  drawn: readonly Drawn[],
  drawing: Drawing,
  { width, size, isBold }: Style & { width: number },
): Drawn[] {
  const dots = drawing.draw("...", isBold);
  let left = width - measure(dots, size);
  let length = 0;
  for (const one of drawn) {
    left -= measure([one], size);
    if (left < 0) break;
    length += 1;
  }
  while (length > 0 && drawn[length - 1]?.character === " ") length -= 1;
  return [...drawn.slice(0, length), ...dots];
}

/** No number in a page needs more digits. */
export const round = (value: number) => String(Math.round(value * 100) / 100);
