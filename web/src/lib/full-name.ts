interface Named {
  prename: string;
  firstName: string;
  lastName: string;
}

/** The full name with prename: 'นายสมชาย ใจดี'. */
export function fullName({ prename, firstName, lastName }: Named): string {
  return `${prename}${firstName} ${lastName}`.trim();
}
