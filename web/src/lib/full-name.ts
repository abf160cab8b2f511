interface Named {
  prename: string;
  firstName: string;
  lastName: string;
}

/** The name as it is called out: 'นายสมชาย ใจดี'. */
export function fullName({ prename, firstName, lastName }: Named): string {
  return `${prename}${firstName} ${lastName}`.trim();
}
