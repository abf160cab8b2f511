import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { useLanguage, useT } from '@/i18n/provider';

/** Public: the sign-in page shows it too. */
export const hospitalQuery = queryOptions({
  queryKey: ['hospital'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/hospital', { signal })),
  staleTime: 5 * 60_000,
});

/** The hospital's name and logo; the product's name until they are known, or if they cannot be read. */
export function useHospital(): { name: string; logo: string } {
  const t = useT();
  const { language } = useLanguage();
  const { data } = useQuery(hospitalQuery);
  const name = language === 'en' ? data?.nameEn || data?.name : data?.name;
  return { name: name || t.app.product, logo: data?.logo ?? '' };
}
