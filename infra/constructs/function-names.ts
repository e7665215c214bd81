/** A function's name in AWS. */
export function functionName(environmentName: string, name: string): string {
  return `card-issuing-${environmentName}-${name}`;
}

export function operatorFunctionName(environmentName: string): string {
  return functionName(environmentName, "operator");
}

/** Its role has the same name: the CAs' keys sign for this role alone. */
export function certificatesFunctionName(environmentName: string): string {
  return functionName(environmentName, "certificates");
}
