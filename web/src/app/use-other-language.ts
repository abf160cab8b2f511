import { ApiError, NETWORK } from '@/api/error';
import { useLanguage, useT } from '@/i18n/provider';
import { showFailure } from '@/ui/toast';

/** Switches to the other of the two languages. Shows an error if its texts cannot be loaded. */
export function useOtherLanguage(): () => void {
  const t = useT();
  const { language, setLanguage } = useLanguage();
  return () => {
    const failed = new ApiError({ code: NETWORK, message: t.language.failed });
    void setLanguage(language === 'th' ? 'en' : 'th').catch(() => showFailure(t, failed));
  };
}
