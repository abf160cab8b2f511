import { ApiError, NETWORK } from '@/api/error';
import { useLanguage, useT } from '@/i18n/provider';
import { showFailure } from '@/ui/toast';

/** Changes to the other of the two languages. Its texts may have to be fetched; when they do not come, that is told. */
export function useOtherLanguage(): () => void {
  const t = useT();
  const { language, setLanguage } = useLanguage();
  return () => {
    const failed = new ApiError({ code: NETWORK, message: t.language.failed });
    void setLanguage(language === 'th' ? 'en' : 'th').catch(() => showFailure(t, failed));
  };
}
