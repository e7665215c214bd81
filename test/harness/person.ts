/** All that `POST /cardholders` requires. */
export const person = {
  firstName: "Ada",
  lastName: "Lovelace",
  dateOfBirth: "1990-12-10",
  gender: 1,
  email: "ada@example.com",
  phone: "+442079460000",
  address: { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
} as const;
