const maximumLength = 26;
/** What a card bureau can print: letters of the Latin script, digits, space and a few marks. */
const notPrintable = /[^\p{Script=Latin}\d .,'’&/-]/gu;

/**
 * The name as it is if it fits, else with an initial for the first name, cut to 26 characters. Undefined if
 * nothing is printable, as in another script.
 */
export function defaultNameOnCard(firstName: string, lastName: string): string | undefined {
  const [first, last] = [printable(firstName), printable(lastName)];
  const whole = `${first} ${last}`.trim();
  const name = whole.length <= maximumLength ? whole : `${[...first].slice(0, 1).join("")} ${last}`.trim();
  return name === "" ? undefined : [...name].slice(0, maximumLength).join("").trim();
}

function printable(name: string): string {
  return name.normalize("NFC").replace(/\p{M}/gu, "").replace(notPrintable, " ").replace(/ +/g, " ").trim();
}
