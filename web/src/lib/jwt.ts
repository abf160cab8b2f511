/** The claims that the app uses. Only the server verifies the signature. */
export interface Claims {
  sub: string;
  name: string;
  role: string;
  /** Seconds since the epoch. */
  exp: number;
}

/** Returns the claims of a token, or null if it is not a JWT with an expiry. */
export function decodeToken(token: string): Claims | null {
  const [, payload, signature, ...rest] = token.split('.');
  if (!payload || !signature || rest.length > 0) return null;
  try {
    const claims: unknown = JSON.parse(decodeBase64Url(payload));
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return null;
    const { sub, name, role, exp } = claims as Record<string, unknown>;
    if (typeof exp !== 'number' || !Number.isFinite(exp)) return null;
    return { sub: text(sub), name: text(name), role: text(role), exp };
  } catch {
    return null;
  }
}

/** Compared in whole seconds, as in the token. */
export function isExpired(claims: Claims, now: number = Date.now()): boolean {
  return claims.exp <= Math.floor(now / 1000);
}

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function decodeBase64Url(encoded: string): string {
  const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));
}
