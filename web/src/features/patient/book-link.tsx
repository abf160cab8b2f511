import { linkOptions } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { LinkButton } from '@/ui/link-button';

type BookLinkProps = Omit<ComponentProps<typeof LinkButton>, 'to' | 'search' | 'params'> & {
  patientId: number;
};

/** To the booking page, with the patient chosen already. */
export function BookLink({ patientId, ...props }: BookLinkProps) {
  return <LinkButton {...linkOptions({ to: '/app/appointment/create', search: { patientId } })} {...props} />;
}
