import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { useLanguage, useT } from '@/i18n/provider';

/** Public, because the sign-in page shows it. */
export const hospitalQuery = queryOptions({
  queryKey: ['hospital'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/hospital', { signal })),
  staleTime: 5 * 60_000,
});

/** Returns the hospital's name and logo, or the product's name until they are loaded or if they cannot be. */
export function useHospital(): { name: string; logo: string } {
  const t = useT();
  const { language } = useLanguage();
  const { data } = useQuery(hospitalQuery);
  const name = language === 'en' ? data?.nameEn || data?.name : data?.name;
  return { name: name || t.app.product, logo: data?.logo ?? '' };
}
