import type { Messages } from '@/i18n/th';

/** Who did what the log says: a person, the server itself, or, where it could not know, nobody known. */
export function actorName(
  t: Messages,
  { actorId, actorName: name }: { actorId: number | null; actorName: string },
): string {
  // Somebody who registers, or fails to sign in, has a name and no number yet.
  if (!actorId && name === 'system') return t.audit.system;
  return name || (actorId ? t.audit.unknownPerson(actorId) : t.audit.unknownActor);
}
