/** As much of a template as has to be resolved. */
export interface StackTemplate {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
}

/** Properties that name a resource. */
const names: Readonly<Record<string, string>> = {
  "AWS::S3::Bucket": "BucketName",
  "AWS::SSM::Parameter": "Name",
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Events::EventBus": "Name",
  "AWS::SQS::Queue": "QueueName",
};

/** What a template's references stand for, where every resource has come into being. */
export class StackValues {
  readonly #template: StackTemplate;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #place: { readonly account: string; readonly region: string };

  constructor(
    template: StackTemplate,
    parameters: Readonly<Record<string, string>>,
    place: { readonly account: string; readonly region: string },
  ) {
    this.#template = template;
    this.#parameters = parameters;
    this.#place = place;
  }

  namesOf(type: string): string[] {
    return this.#all(type).map(([logicalId]) => this.#reference(logicalId));
  }

  parameters(): { readonly name: string; readonly value: string }[] {
    return this.#all("AWS::SSM::Parameter").map(([logicalId, { Properties }]) => ({
      name: this.#reference(logicalId),
      value: this.#text(Properties?.Value),
    }));
  }

  outputs(): Record<string, string> {
    const outputs = Object.entries(this.#template.Outputs ?? {});
    return Object.fromEntries(outputs.map(([name, { Value }]) => [name, this.#text(Value)]));
  }

  #all(type: string) {
    return Object.entries(this.#template.Resources).filter(([, { Type }]) => Type === type);
  }

  #reference(name: string): string {
    if (name === "AWS::AccountId") return this.#place.account;
    if (name === "AWS::Region") return this.#place.region;
    if (name === "AWS::Partition") return "aws";
    const resource = this.#template.Resources[name];
    if (resource === undefined) {
      const given = this.#parameters[name];
      return given ?? String(this.#template.Parameters?.[name]?.Default ?? "");
    }
    const given = resource.Properties?.[names[resource.Type] ?? ""];
    return given === undefined ? name.toLowerCase() : this.#text(given);
  }

  #text(value: unknown): string {
    if (typeof value !== "object" || value === null) return String(value);
    const [[kind, operand] = ["", undefined]] = Object.entries(value);
    if (kind === "Ref") return this.#reference(String(operand));
    if (kind === "Fn::Sub") {
      return String(operand).replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => this.#reference(name));
    }
    // Conditions ask whether a parameter was given.
    if (kind === "Fn::If") {
      const [, then, otherwise] = operand as unknown[];
      return this.#text(then) || this.#text(otherwise);
    }
    if (kind === "Fn::Join") {
      const [separator, parts] = operand as [string, unknown[]];
      return parts.map((part) => this.#text(part)).join(separator);
    }
    return JSON.stringify(value);
  }
}
