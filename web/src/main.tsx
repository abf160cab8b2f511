import '@fontsource-variable/noto-sans-thai-looped/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '@/app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { NoAccessError } from '@/app/page-meta';
import { createQueryClient } from '@/app/query-client';
import { Root } from '@/app/root';
import { currentLanguage, loadMessages } from '@/i18n/language';
import { createAppRouter } from './router';

// Not awaited at the top level: the English catalogue imports from this chunk, and both would wait for each other.
void start();

async function start(): Promise<void> {
  const language = currentLanguage();
  const t = await loadMessages(language);
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  const container = document.getElementById('root');
  if (!container) throw new Error('index.html has no #root');
  createRoot(container, {
    // The guard throws to deny access and its page shows that, so it is not logged as an error.
    onCaughtError: (error) => error instanceof NoAccessError || console.error(error),
  }).render(
    <StrictMode>
      <Root queryClient={queryClient} router={router} i18n={{ language, t }} />
    </StrictMode>,
  );
}
