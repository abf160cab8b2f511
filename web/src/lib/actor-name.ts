import type { Messages } from '@/i18n/th';

/** Returns the name of the actor of a log entry: a user, the server, or unknown. */
export function actorName(
  t: Messages,
  { actorId, actorName: name }: { actorId: number | null; actorName: string },
): string {
  // A registration or a failed sign-in has a name but no user id.
  if (!actorId && name === 'system') return t.audit.system;
  return name || (actorId ? t.audit.unknownPerson(actorId) : t.audit.unknownActor);
}
