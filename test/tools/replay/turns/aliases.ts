/** Members of answers that are secrets of the run. */
const secretNames = ["apiKey", "secret", "token", "code"];
const identifier = /\b[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}\b/g;
const wholeIdentifier = new RegExp(`^${identifier.source}$`);
/** A short secret may also be part of a number: it is replaced only where it has its name. */
const shortLength = 12;

/**
 * Names what the platform drew: inputs of a recording have the name of the answer that a secret or
 * an identifier first came in. A replay draws it again, and another version may draw another one.
 */
export class Aliases {
  readonly #values = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #secrets: { value: string; member: string }[] = [];
  #turn = 0;
  #sent = 0;

  beginTurn(turn: number): void {
    this.#turn = turn;
    this.#sent = 0;
  }

  /** The JSON text that the turn's caller got. */
  learnAnswer(text: string): void {
    this.#learn(`${this.#turn}`, text);
  }

  /** The JSON text that a receiver got. */
  learnSent(text: string): void {
    this.#sent += 1;
    this.#learn(`${this.#turn}.sent${this.#sent}`, text);
  }

  hide(text: string): string {
    let hidden = text;
    for (const { value, member } of this.#secrets) {
      const name = `{{${this.#names.get(value)}}}`;
      if (value.length >= shortLength) hidden = hidden.replaceAll(value, name);
      else hidden = hidden.replaceAll(named(member, value), (_, before) => before + name);
    }
    return hidden.replaceAll(identifier, (id) => {
      const name = this.#names.get(id);
      return name === undefined ? id : `{{${name}}}`;
    });
  }

  reveal(text: string): string {
    return text.replaceAll(/\{\{([\w.]+)\}\}/g, (whole, name) => this.#values.get(name) ?? whole);
  }

  /** All that were drawn, for a check that a file has none of them. */
  get secrets(): string[] {
    return this.#secrets.map(({ value }) => value);
  }

  #learn(place: string, text: string): void {
    try {
      this.#visit(place, "", JSON.parse(text));
    } catch {
      // It is no JSON, so it has none.
    }
  }

  #visit(place: string, member: string, value: unknown): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) this.#visit(`${place}.${name}`, name, inner);
    } else if (typeof value === "string" && value !== "") {
      const isSecret = secretNames.includes(member);
      if (isSecret || wholeIdentifier.test(value)) this.#add(place, value, isSecret ? member : undefined);
    }
  }

  #add(name: string, value: string, secretMember: string | undefined): void {
    this.#values.set(name, value);
    if (this.#names.has(value)) return;
    this.#names.set(value, name);
    if (secretMember !== undefined) this.#secrets.push({ value, member: secretMember });
  }
}

/** The member in JSON, or in JSON within a JSON string. */
function named(member: string, value: string): RegExp {
  return new RegExp(`(\\\\?"${member}\\\\?":\\s*\\\\?")${value}(?=\\\\?")`, "g");
}
