import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Permission } from '@/api/client';
import { useCan } from '@/entities/session/session';
import type { Language } from '@/i18n/language';
import { useLanguage } from '@/i18n/provider';
import { allServicesQuery } from './api';

/** The name of a service in a language; the Thai name if it has no English one. */
export function serviceName({ name, nameEn }: { name: string; nameEn: string }, language: Language): string {
  return (language === 'en' && nameEn) || name;
}

/** Permissions of which one is needed to read the services. */
const READ_PERMISSIONS: Permission[] = [
  'SERVICE_CONFIG.SHOW',
  'SERVICE_SCHEDULE.SHOW',
  'SLOT.SHOW',
  'APPOINTMENT.SHOW',
  'DASHBOARD.SHOW',
  'REPORT.SHOW',
];

/**
 * Returns a function that names a service. Records contain only its Thai name, so the English one is looked up among
 * the services; in Thai nothing is fetched. Call it once per list, not per row.
 */
export function useServiceName(): (service: { id: number; name: string }) => string {
  const { language } = useLanguage();
  const english = useCan()(...READ_PERMISSIONS) && language === 'en';
  const { data: services } = useQuery({ ...allServicesQuery, enabled: english });
  return useMemo(() => {
    const known = english ? services : undefined;
    const names = new Map(known?.map(({ id, nameEn }) => [id, nameEn]));
    return ({ id, name }) => names.get(id) || name;
  }, [english, services]);
}
