/** Values from earlier answers, which a reader would put in place of the page's examples. */
export class KnownValues {
  readonly #byName = new Map<string, unknown>();
  readonly #byPrefix = new Map<string, string>();

  learn(value: unknown): void {
    JSON.stringify(value, (name, member) => {
      if (typeof member === "string" || (member !== null && typeof member === "object"))
        this.#learn(name, member);
      return member;
    });
  }

  #learn(name: string, member: unknown): void {
    this.#byName.set(name, member);
    const [, prefix] = (typeof member === "string" && /^([a-z]{3})_[0-9A-Z]{26}$/.exec(member)) || [];
    if (prefix !== undefined) this.#byPrefix.set(prefix, member as string);
  }

  get(name: string): unknown {
    return this.#byName.get(name);
  }

  /** Replaces `{cardId}`. */
  fillNames(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = this.#byName.get(name);
      return typeof value === "string" ? value : whole;
    });
  }

  /** Replaces `crd_…`, `crd_00000000000000000000000001` and `https://….example.com`. */
  fillExamples(text: string, origin: string): string {
    return text
      .replace(/\b([a-z]{3})_(?:…|0{20}\w{6}\b)/g, (whole, prefix) => this.#byPrefix.get(prefix) ?? whole)
      .replace(/https:\/\/[\w.-]+\.example\.com/g, origin);
  }
}
