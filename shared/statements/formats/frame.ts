import { createHash } from "node:crypto";
import { type FaceName, faceNames, findFontName, openFace } from "./fonts.ts";
import { type Place, references, toCrossReferences, toLiteral, toObjectStream, toStream } from "./objects.ts";
import { makeProfile } from "./profile.ts";
import type { Sheet } from "./sheet.ts";

/** The numbers of the objects that a document has once: pages come after them. */
export const once = {
  ...{ catalog: 1, pages: 2, information: 3, metadata: 4, structure: 5, document: 6, table: 7 },
  ...{ parents: 8, intent: 9, profile: 10, pageCount: 11, fonts: 12, resources: 13 },
} as const;
const firstFace = 14;
/** The font, its descendant, its descriptor, its file, and its map to Unicode. */
const faceObjects = 5;
export const firstPage = firstFace + faceObjects * faceNames.length;

export interface Parts {
  readonly sheet: Sheet;
  readonly used: Readonly<Partial<Record<FaceName, string>>>;
  /** The document's elements in their order, around the table. */
  readonly elements: readonly number[];
  readonly tableParts: readonly number[];
  readonly pages: readonly { readonly number: number; readonly parents: number }[];
  /** The form that says how many pages there are. */
  readonly pageCount: string;
}

/** A string of a document that says what it is, in ASCII, as its metadata do. */
function toTitle({ period, accountId }: Sheet): string {
  return `Statement ${period} of ${accountId}`;
}

const producer = "Card issuing platform";

export interface Closing {
  readonly places: Map<number, Place>;
  /** Where the next byte is. */
  readonly offset: number;
  readonly next: number;
}

/** What follows the pages: all that is there once, and where each object is. */
export async function closeDocument(parts: Parts, { places, offset, next }: Closing): Promise<string> {
  const streams = new Map<number, string>();
  const objects = new Map<number, string>();
  addFrame(parts, objects, streams);
  await addFonts(parts.used, objects, streams);
  const packed = next;
  const ordered = new Map([...objects].toSorted(([one], [other]) => one - other));
  streams.set(packed, toObjectStream(packed, ordered));
  for (const [index, number] of [...ordered.keys()].entries()) places.set(number, [packed, index]);
  let end = offset;
  for (const [number, text] of streams) {
    places.set(number, [end]);
    end += Buffer.byteLength(text);
  }
  const id = identify(parts.sheet).toString("hex");
  const trailer = `/Root ${once.catalog} 0 R/Info ${once.information} 0 R/ID[<${id}><${id}>]`;
  return [...streams.values(), toCrossReferences(packed + 1, places, end, trailer)].join("");
}

/** It differs for another content. */
function identify({ accountId, period, entries, hash, madeAt }: Sheet): Buffer {
  const text = `${accountId} ${period} ${entries} ${hash} ${madeAt}`;
  return createHash("sha256").update(text).digest().subarray(0, 16);
}

function addFrame(parts: Parts, objects: Map<number, string>, streams: Map<number, string>): void {
  const { sheet, pages, elements, tableParts } = parts;
  const pairs = pages.map(({ parents }, index) => `${index} ${parents} 0 R`);
  const time = `D:${sheet.madeAt.replaceAll(/\D/g, "").slice(0, 14)}Z`;
  const title = toTitle(sheet);
  const entries: [number, string][] = [
    [
      once.catalog,
      `<</Type/Catalog/Pages ${once.pages} 0 R/Metadata ${once.metadata} 0 R/Lang(en)/MarkInfo<</Marked true>>` +
        `/StructTreeRoot ${once.structure} 0 R/OutputIntents[${once.intent} 0 R]/ViewerPreferences<</DisplayDocTitle true>>>>`,
    ],
    [
      once.pages,
      `<</Type/Pages/Count ${pages.length}/Kids[${references(pages.map(({ number }) => number))}]>>`,
    ],
    [
      once.information,
      `<</Title${toLiteral(title)}/Producer${toLiteral(producer)}/CreationDate(${time})/ModDate(${time})>>`,
    ],
    [
      once.structure,
      `<</Type/StructTreeRoot/K ${once.document} 0 R/ParentTree ${once.parents} 0 R/ParentTreeNextKey ${pages.length}>>`,
    ],
    [
      once.document,
      `<</Type/StructElem/S/Document/P ${once.structure} 0 R/Lang(en)/K[${references(elements)}]>>`,
    ],
    [once.table, `<</Type/StructElem/S/Table/P ${once.document} 0 R/K[${references(tableParts)}]>>`],
    [once.parents, `<</Nums[${pairs.join(" ")}]>>`],
    [
      once.intent,
      `<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB)/DestOutputProfile ${once.profile} 0 R>>`,
    ],
    [once.resources, `<</Font ${once.fonts} 0 R/XObject<</PageCount ${once.pageCount} 0 R>>>>`],
  ];
  for (const [number, body] of entries) objects.set(number, body);
  const metadata = describe(sheet, title);
  streams.set(
    once.metadata,
    `${once.metadata} 0 obj\n<</Type/Metadata/Subtype/XML/Length ${metadata.length}>>stream\n${metadata}\nendstream\nendobj\n`,
  );
  streams.set(once.profile, toStream(once.profile, "/N 3", makeProfile()));
  const box = "/Type/XObject/Subtype/Form/BBox[0 -10 80 20]";
  const formEntries = `${box}/Resources<</Font ${once.fonts} 0 R>>`;
  streams.set(once.pageCount, toStream(once.pageCount, formEntries, parts.pageCount));
}

const namespaces = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  dc: "http://purl.org/dc/elements/1.1/",
  xmp: "http://ns.adobe.com/xap/1.0/",
  xmpMM: "http://ns.adobe.com/xap/1.0/mm/",
  pdf: "http://ns.adobe.com/pdf/1.3/",
  pdfaid: "http://www.aiim.org/pdfa/ns/id/",
};

/** XMP: the same as the information of the trailer, and that the document is PDF/A-2b. */
function describe(sheet: Sheet, title: string): string {
  const time = `${sheet.madeAt.slice(0, 19)}Z`;
  const id = identify(sheet)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const declared = Object.entries(namespaces).map(([name, uri]) => ` xmlns:${name}="${uri}"`);
  return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF${declared.join("")}><rdf:Description rdf:about="">
<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>
<dc:format>application/pdf</dc:format>
<dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>
<pdf:Producer>${producer}</pdf:Producer>
<xmp:CreateDate>${time}</xmp:CreateDate><xmp:ModifyDate>${time}</xmp:ModifyDate>
<xmpMM:DocumentID>uuid:${id}</xmpMM:DocumentID>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

async function addFonts(used: Parts["used"], objects: Map<number, string>, streams: Map<number, string>) {
  const named: string[] = [];
  for (const [index, face] of faceNames.entries()) {
    const characters = [...(used[face] ?? "")];
    if (characters.length === 0) continue;
    const first = firstFace + faceObjects * index;
    named.push(`/${face} ${first} 0 R`);
    await addFont(face, characters, first, objects, streams);
  }
  objects.set(once.fonts, `<<${named.join("")}>>`);
}

/** The glyphs that are used, numbered as the pages number them. */
async function addFont(
  face: FaceName,
  characters: readonly string[],
  first: number,
  objects: Map<number, string>,
  streams: Map<number, string>,
): Promise<void> {
  const [descendant, descriptor, file, toUnicode] = [first + 1, first + 2, first + 3, first + 4];
  const font = await openFace(face);
  const glyphs = characters.map((character) => font.glyph(character.codePointAt(0) ?? 0));
  const name = findFontName(face);
  const widths = [0, ...glyphs].map((glyph) => font.width(glyph)).join(" ");
  objects.set(
    first,
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${toUnicode} 0 R>>`,
  );
  objects.set(
    descendant,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
      `/FontDescriptor ${descriptor} 0 R/DW 1000/W[0[${widths}]]/CIDToGIDMap/Identity>>`,
  );
  const { ascent, descent, box } = font;
  objects.set(
    descriptor,
    `<</Type/FontDescriptor/FontName/${name}/Flags 4/FontBBox[${box.join(" ")}]/ItalicAngle 0/Ascent ${ascent}` +
      `/Descent ${descent}/CapHeight ${Math.round(ascent * 0.68)}/StemV 80/FontFile2 ${file} 0 R>>`,
  );
  const subset = font.subset(glyphs);
  streams.set(file, toStream(file, `/Length1 ${subset.length}`, subset));
  streams.set(toUnicode, toStream(toUnicode, "", mapToUnicode(characters)));
}

/** No section of a map may have more lines. */
const sectionLines = 100;

function mapToUnicode(characters: readonly string[]): string {
  const lines = characters.map((character, index) => {
    const units = [...Buffer.from(character, "utf16le").swap16()];
    const text = units.map((unit) => unit.toString(16).padStart(2, "0")).join("");
    return `<${(index + 1).toString(16).padStart(4, "0")}> <${text}>`;
  });
  const sections: string[] = [];
  for (let at = 0; at < lines.length; at += sectionLines) {
    const section = lines.slice(at, at + sectionLines);
    sections.push(`${section.length} beginbfchar`, ...section, "endbfchar");
  }
  return [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    "1 begincodespacerange <0000> <ffff> endcodespacerange",
    ...sections,
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");
}
