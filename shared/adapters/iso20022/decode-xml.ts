export class XmlError extends Error {
  override readonly name = "XmlError";
}

type Encoding =
  | "UTF-8"
  | "US-ASCII"
  | "ISO-8859-1"
  | "ISO-8859-15"
  | "windows-1252"
  | "UTF-16LE"
  | "UTF-16BE";

/** By the name that a declaration has, without hyphens and underscores. */
const named: Readonly<Record<string, Encoding | "UTF-16">> = {
  UTF8: "UTF-8",
  ASCII: "US-ASCII",
  USASCII: "US-ASCII",
  ISO88591: "ISO-8859-1",
  LATIN1: "ISO-8859-1",
  ISO885915: "ISO-8859-15",
  LATIN9: "ISO-8859-15",
  WINDOWS1252: "windows-1252",
  CP1252: "windows-1252",
  UTF16: "UTF-16",
  UTF16LE: "UTF-16LE",
  UTF16BE: "UTF-16BE",
};

const marks: readonly (readonly [encoding: Encoding, ...bytes: number[]])[] = [
  ["UTF-8", 0xef, 0xbb, 0xbf],
  ["UTF-16LE", 0xff, 0xfe],
  ["UTF-16BE", 0xfe, 0xff],
];

/** How `<` begins a file without a mark. */
const beginnings: typeof marks = [
  ["UTF-16LE", 0x3c, 0x00],
  ["UTF-16BE", 0x00, 0x3c],
];

const chunkBytes = 64 * 1024;

/**
 * The text of a file, in parts, exactly: by its byte order mark, and the encoding that it declares.
 * @throws XmlError if they differ, or the bytes are no text in it
 */
export function* decodeXml(bytes: Uint8Array): Generator<string> {
  const begins = ([, ...begin]: readonly [Encoding, ...number[]]) =>
    begin.every((byte, index) => bytes[index] === byte);
  const [found] = marks.find(begins) ?? beginnings.find(begins) ?? [];
  const encoding = findEncoding(bytes, found);
  const decode = decoderOf(encoding);
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const isLast = start + chunkBytes >= bytes.length;
    try {
      yield decode(bytes.subarray(start, start + chunkBytes), isLast);
    } catch {
      throw new XmlError(`It is not ${encoding}.`);
    }
  }
}

function findEncoding(bytes: Uint8Array, found: Encoding | undefined): Encoding {
  const begin = Buffer.from(bytes.subarray(0, 400)).toString("latin1").replaceAll("\0", "");
  const [, declared] = /^[^<]{0,3}<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(begin) ?? [];
  if (declared === undefined) return found ?? "UTF-8";
  const encoding = named[declared.toUpperCase().replace(/[-_]/g, "")];
  if (encoding === undefined)
    throw new XmlError(
      `Its encoding is ${declared}; it must be UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 or windows-1252.`,
    );
  const isSame = found === undefined ? !encoding.startsWith("UTF-16") : found.startsWith(encoding);
  if (!isSame) throw new XmlError(`Its encoding is ${declared} by its declaration, but not by its bytes.`);
  return found ?? (encoding as Encoding);
}

type Decode = (chunk: Uint8Array, isLast: boolean) => string;

function decoderOf(encoding: Encoding): Decode {
  if (encoding.startsWith("UTF")) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return (chunk, isLast) => decoder.decode(chunk, { stream: !isLast });
  }
  const others = otherCharacters[encoding] ?? {};
  return (chunk) => {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    return text.replace(/[^\0-\x7f]/g, (character) => {
      const other = others[character] ?? character;
      if (other === "" || encoding === "US-ASCII") throw new Error("No character.");
      return other;
    });
  };
}

/**
 * What differs from ISO-8859-1. Kept here: Node's decoder for windows-1252 reads some bytes as
 * ISO-8859-1 in some versions, and takes the one's name for the other.
 */
const otherCharacters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "ISO-8859-15": toTable("\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe", "€ŠšŽžŒœŸ"),
  "windows-1252": {
    ...toTable("\x81\x8d\x8f\x90\x9d", ""),
    ...toTable(
      "\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8e\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9e\x9f",
      "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ",
    ),
  },
};

function toTable(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((character, index) => [character, to[index] ?? ""]));
}
