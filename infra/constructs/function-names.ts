export function functionName(environmentName: string, name: string): string {
  return `card-issuing-${environmentName}-${name}`;
}

export function operatorFunctionName(environmentName: string): string {
  return functionName(environmentName, "operator");
}

/** The function's role has the same name; the CAs' key policies refer to it. */
export function certificatesFunctionName(environmentName: string): string {
  return functionName(environmentName, "certificates");
}
