import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Logo } from '@/app/shell/brand';
import { LanguageButton } from '@/app/shell/language-button';
import { usePage } from '@/app/use-page';
import { useHospital } from '@/entities/hospital/hospital';
import { useT } from '@/i18n/provider';
import classes from './bare-layout.module.css';

/** The layout of the sign-in and password pages: the hospital on one side, the form on the other. */
export function BareLayout({ children }: { children: ReactNode }) {
  const t = useT();
  const hospital = useHospital();
  const { title } = usePage();
  useDocumentTitle(t.app.documentTitle(title, hospital.name));
  return (
    <div className={classes.layout}>
      <header className={classes.hospital}>
        <div className={classes.identity}>
          <Logo size={56} onPrimary />
          <p className={classes.name}>{hospital.name}</p>
          <p className={classes.purpose}>{t.app.purpose}</p>
        </div>
      </header>
      <main className={classes.main}>
        <div className={classes.language}>
          <LanguageButton />
        </div>
        <div className={classes.card}>{children}</div>
      </main>
    </div>
  );
}
