import { linkOptions } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { LinkButton } from '@/ui/link-button';

type BookLinkProps = Omit<ComponentProps<typeof LinkButton>, 'to' | 'search' | 'params'> & {
  patientId: number;
};

/** A link to the booking page with this patient. */
export function BookLink({ patientId, ...props }: BookLinkProps) {
  return <LinkButton {...linkOptions({ to: '/app/appointment/create', search: { patientId } })} {...props} />;
}
