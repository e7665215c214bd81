/** The two functions with names of their own: administration finds them by the environment's name. */
export function operatorFunctionName(environmentName: string): string {
  return `card-issuing-${environmentName}-operator`;
}

/** Its role has the same name: the CAs' keys sign for this role alone. */
export function certificatesFunctionName(environmentName: string): string {
  return `card-issuing-${environmentName}-certificates`;
}
